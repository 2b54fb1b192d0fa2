"""Inspect a finished program: its calls, memory, reports and manifest.

The package does not import torch, so that prebuilt programs can be linked without it.
"""

"""Facts about a finished program: its calls, memory and manifest.

The package does not import torch, so that prebuilt programs can be linked without it.
"""

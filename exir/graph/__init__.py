"""Utilities for edge graphs that passes and stages share."""

"""Compares compiled random networks with eager PyTorch."""

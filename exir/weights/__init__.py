"""Weights as data: weights files, low-bit weights, and bytes of tensors."""

"""Operator sets of the compiler's stages."""

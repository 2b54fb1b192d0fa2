"""Verifiers of each stage's dialect, which run between passes."""

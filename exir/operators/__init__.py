"""The operator tables, and the kernel tables."""

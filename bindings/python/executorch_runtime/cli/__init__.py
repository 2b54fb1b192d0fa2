"""Command-line tools that run programs."""

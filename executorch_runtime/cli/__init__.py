"""Programs that run programs."""

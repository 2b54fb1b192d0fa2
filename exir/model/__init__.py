"""A model before export: its specification, copies, and lost state."""

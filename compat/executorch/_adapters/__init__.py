"""What the official package has under a name of its own and rules_executorch in another shape."""

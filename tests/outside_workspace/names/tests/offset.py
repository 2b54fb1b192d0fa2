"""A user's package that has the name of a folder in the rules' repository."""

OFFSET = 1.0

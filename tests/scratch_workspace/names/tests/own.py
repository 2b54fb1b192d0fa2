"""A user's package with a name that the rules' repository has a folder of."""

OFFSET = 1.0

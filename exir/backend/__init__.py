"""Delegation: a backend's compiler takes parts of a program."""

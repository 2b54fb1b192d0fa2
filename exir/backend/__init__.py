"""Delegation: handing parts of a program to a backend's own compiler."""

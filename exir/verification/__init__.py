"""Checks that a program is of the dialect that it claims to be."""

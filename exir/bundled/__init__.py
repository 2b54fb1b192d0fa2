"""Bundled programs: a program with test calls in one `.bpte` file."""

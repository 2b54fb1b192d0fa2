"""Serving compile requests: a process that keeps torch imported and forks a child for each."""

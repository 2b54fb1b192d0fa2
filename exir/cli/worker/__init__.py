"""The worker: imports torch once and forks a child process for each request."""

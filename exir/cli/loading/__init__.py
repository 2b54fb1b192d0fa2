"""Getting the user's model: modules, weights, and what the configuration names."""

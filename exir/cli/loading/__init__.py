"""Load the user's model: modules, weights, and objects that options refer to."""

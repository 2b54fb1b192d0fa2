"""Memory planning: lifetimes, placement of tensors, and the verifier of plans."""

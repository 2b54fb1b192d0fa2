"""Lowers the graph of `torch.export` to a functional graph of core operators."""

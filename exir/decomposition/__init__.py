"""From the graph that `torch.export` gives to a functional graph of core operators."""

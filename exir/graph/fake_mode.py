"""The fake tensor mode of a graph."""

from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx import Graph


def fake_mode_of(graph: Graph) -> FakeTensorMode:
    """Return the fake tensor mode of the graph's values."""
    vals = (node.meta.get("val") for node in graph.nodes)
    return next((val.fake_mode for val in vals if isinstance(val, FakeTensor)), FakeTensorMode())

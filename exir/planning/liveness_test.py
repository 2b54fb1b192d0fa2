"""Tests of the steps at which tensors occupy memory."""

import operator

import torch
from torch.fx import Graph, GraphModule

from exir.planning.liveness import Lifetime, lifetimes_of
from exir.tensor import TensorSpec


def _float_spec() -> TensorSpec:
    return TensorSpec(torch.float32, (4,), (0,))


def test_lifetime_includes_its_first_and_last_step() -> None:
    assert [Lifetime(2, last).steps for last in (2, 3, 5)] == [1, 2, 4]


def test_late_getitem_does_not_extend_the_lifetime_of_results() -> None:
    """Unread results are live for one step, because `getitem` has no instruction."""
    graph, specs = Graph(), [_float_spec() for _ in range(4)]
    x = graph.placeholder("x")
    pair = graph.call_function(torch.topk, (x, 2))
    other = graph.call_function(torch.relu, (x,))
    values = graph.call_function(operator.getitem, (pair, 0))
    graph.output((values, other))
    x.meta["spec"], pair.meta["spec"], other.meta["spec"] = specs[0], specs[1:3], specs[3]
    values.meta["spec"] = specs[1]
    lifetimes = lifetimes_of(GraphModule({}, graph))
    assert [lifetimes[spec] for spec in specs] == [
        Lifetime(0, 2),
        Lifetime(1, 4),
        Lifetime(1, 1),
        Lifetime(2, 4),
    ]

"""Random graphs for tests and benchmarks of memory planning."""

import random
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from exir.tensor import TensorSpec


def spec(nbytes: int) -> TensorSpec:
    """Return the spec of a tensor of `nbytes` bytes."""
    return TensorSpec(torch.uint8, (nbytes,), (0,))


def mix(*values: Any) -> Any:
    """A placeholder for an operator with any number of operands."""


def network(choose: random.Random, length: int, long_uses: float = 0.0) -> GraphModule:
    """Return a graph of calls on tensors of random sizes.

    long_uses: the fraction of calls that also use a value from anywhere before them.
    """
    graph = Graph()
    values: list[Node] = [graph.placeholder("x")]
    for _ in range(length):
        inputs = choose.sample(values[-6:], k=min(len(values), choose.randint(1, 3)))
        if long_uses and choose.random() < long_uses:
            inputs.append(choose.choice(values))
        values.append(graph.call_function(mix, tuple(inputs)))
    for node in values:
        node.meta["spec"] = spec(choose.randint(1, 4096))
    graph.output((values[-1],))
    return GraphModule({}, graph)


def specs_in(graph_module: GraphModule) -> list[TensorSpec]:
    """Return the tensors of a graph without views, in order."""
    return [node.meta["spec"] for node in graph_module.graph.nodes if node.op != "output"]

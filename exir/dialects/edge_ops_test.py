"""Tests that edge operators wrap torch operators."""

import copy
import pickle

import pytest
import torch
from torch.fx import Graph, GraphModule

from exir.dialects._ops import ops
from exir.dialects.edge import edge_op, to_torch_overload

ADD = ops.edge.aten.add.Tensor


def test_each_overload_has_one_edge_operator() -> None:
    assert ADD is ops.edge.aten.add.Tensor
    assert ADD is edge_op(torch.ops.aten.add.Tensor)
    assert copy.deepcopy(ADD) is ADD
    assert pickle.loads(pickle.dumps(ADD)) is ADD


def test_edge_operator_matches_torch() -> None:
    x = torch.ones(2)
    assert torch.equal(ADD(x, x, alpha=3), torch.full((2,), 4.0))
    assert ADD.name() == "aten::add.Tensor"
    assert ADD._schema == torch.ops.aten.add.Tensor._schema


def test_edge_and_torch_overloads_resolve_to_the_torch_overload() -> None:
    assert to_torch_overload(ADD) is torch.ops.aten.add.Tensor
    assert to_torch_overload(torch.ops.aten.add.Tensor) is torch.ops.aten.add.Tensor
    assert to_torch_overload(len) is None


def test_graph_of_edge_operators_runs_and_names_its_nodes_after_them() -> None:
    graph = Graph()
    x = graph.placeholder("x")
    node = graph.call_function(ADD, (x, x))
    graph.output(node)
    assert node.name == "aten_add_tensor"
    assert torch.equal(GraphModule({}, graph)(torch.ones(1)), torch.tensor([2.0]))


def test_unknown_operator_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        ops.edge.aten.no_such_operator  # noqa: B018

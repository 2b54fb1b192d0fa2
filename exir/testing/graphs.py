"""Inspects programs, and compares their results."""

import copy
from typing import Any

import torch
from torch import Tensor
from torch.export import ExportedProgram
from torch.fx import Node
from torch.utils._pytree import tree_leaves

from exir.dialects.edge import edge_op, to_torch_overload
from exir.graph.control_flow import graphs


def calls(program: ExportedProgram) -> list[Node]:
    """Return the call nodes of the program, including those in branches."""
    nodes = (node for module in graphs(program.graph_module) for node in module.graph.nodes)
    return [node for node in nodes if node.op == "call_function"]


def operator_names(program: ExportedProgram) -> list[str]:
    """Return the called operators in order, such as `aten::add.Tensor`."""
    overloads = (to_torch_overload(node.target) for node in calls(program))
    return [overload.name() for overload in overloads if overload is not None]


def run(program: ExportedProgram, inputs: tuple[Any, ...]) -> list[Any]:
    """Return the flat results of a call; buffers and `inputs` are unchanged."""
    with torch.no_grad():
        return tree_leaves(copy.deepcopy(program).module()(*copy.deepcopy(inputs)))


def run_module(module: torch.nn.Module, inputs: tuple[Any, ...]) -> list[Any]:
    """Return a module's flat results; buffers and `inputs` are unchanged."""
    with torch.no_grad():
        return tree_leaves(copy.deepcopy(module)(*copy.deepcopy(inputs)))


def assert_same(found: list[Any], expected: list[Any], rtol: float = 1e-5, atol: float = 1e-6) -> None:
    """Assert that values are equal, and tensors also in dtype and shape."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        if isinstance(other, Tensor):
            pair = one.detach(), other.detach()
            torch.testing.assert_close(*pair, rtol=rtol, atol=atol, equal_nan=True)
        else:
            assert one == other


def rewrite_in_place(program: ExportedProgram) -> None:
    """Make every `index_put` an in-place operator, regardless of later readers."""
    for node in calls(program):
        if to_torch_overload(node.target) is torch.ops.aten.index_put.default:
            node.target = edge_op(torch.ops.aten.index_put_.default)
    program.graph_module.recompile()

"""Looking into programs and comparing what they compute."""

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
    """The nodes of the program, its branches included, that call something."""
    nodes = (node for module in graphs(program.graph_module) for node in module.graph.nodes)
    return [node for node in nodes if node.op == "call_function"]


def operator_names(program: ExportedProgram) -> list[str]:
    """Names of the operators that the program calls, in order, such as `aten::add.Tensor`."""
    overloads = (to_torch_overload(node.target) for node in calls(program))
    return [overload.name() for overload in overloads if overload is not None]


def run(program: ExportedProgram, inputs: tuple[Any, ...]) -> list[Any]:
    """What a call returns, flat; the program's buffers and `inputs` stay as they are."""
    with torch.no_grad():
        return tree_leaves(copy.deepcopy(program).module()(*copy.deepcopy(inputs)))


def run_module(module: torch.nn.Module, inputs: tuple[Any, ...]) -> list[Any]:
    """What a call of `module` returns, flat; its buffers and `inputs` stay as they are."""
    with torch.no_grad():
        return tree_leaves(copy.deepcopy(module)(*copy.deepcopy(inputs)))


def assert_same(found: list[Any], expected: list[Any], rtol: float = 1e-5, atol: float = 1e-6) -> None:
    """Assert that values agree, tensors in dtype and shape too."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        if isinstance(other, Tensor):
            pair = one.detach(), other.detach()
            torch.testing.assert_close(*pair, rtol=rtol, atol=atol, equal_nan=True)
        else:
            assert one == other


def put_in_place(program: ExportedProgram) -> None:
    """Let every `index_put` change its first operand where that lies, whoever reads it afterwards."""
    for node in calls(program):
        if to_torch_overload(node.target) is torch.ops.aten.index_put.default:
            node.target = edge_op(torch.ops.aten.index_put_.default)
    program.graph_module.recompile()

"""Compiles modules for the backend and compares what their payloads compute with eager PyTorch."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import ExportedProgram, export

from backends.cpu.compiler.compile import compile_partition, step_graph
from backends.cpu.compiler.graph import StepGraph
from backends.cpu.compiler.kinds.operation import Operation
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.partitioner import CpuPartitioner
from backends.cpu.compiler.testing.interpreter import Arguments, run_payload
from exir import to_edge_transform_and_lower
from exir.backend.tags import mutated_buffers
from exir.backend.utils import get_non_lowered_nodes
from exir.delegate import delegate_calls, lowered_module_of


class Function(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Tensor) -> Any:
        return self.function(*args)


def lowered(module: Any, inputs: Arguments, dynamic_shapes: Any = None, **options: Any) -> ExportedProgram:
    """The edge program of a module or function with what the backend takes as delegates."""
    whole = module if isinstance(module, nn.Module) else Function(module)
    shapes = dynamic_shapes if isinstance(module, nn.Module) or dynamic_shapes is None else (dynamic_shapes,)
    program = export(whole.eval(), tuple(inputs), dynamic_shapes=shapes, strict=False)
    manager = to_edge_transform_and_lower(program, partitioner=[CpuPartitioner(**options)])
    return manager.exported_program()


def delegated(module: Any, inputs: Arguments, dynamic_shapes: Any = None, **options: Any) -> ExportedProgram:
    """The one partition that the whole module becomes."""
    program = lowered(module, inputs, dynamic_shapes, **options)
    assert get_non_lowered_nodes(program.graph) == []
    (call,) = delegate_calls(program.graph)
    return lowered_module_of(call).original_module


def steps(module: Any, *inputs: Tensor, dynamic_shapes: Any = None, **options: Any) -> StepGraph:
    """The step graph of a module that is delegated as a whole."""
    return step_graph(delegated(module, inputs, dynamic_shapes, **options), Options(**options))


def operations(module: Any, *inputs: Tensor, **options: Any) -> list[Operation]:
    """The operations of the steps, in order."""
    return [step.operation for step in steps(module, *inputs, **options).steps]


def assert_computes(
    module: Any,
    *inputs: Tensor | int,
    dynamic_shapes: Any = None,
    others: Sequence[Arguments] = (),
    tolerance: float = 1e-5,
    **options: Any,
) -> None:
    """Assert that one delegate computes what `module` does, of `inputs` and of `others`."""
    program = delegated(module, inputs, dynamic_shapes, **options)
    payload = compile_partition(program, Options(**options))
    for each in (inputs, *others):
        with torch.no_grad():
            expected = torch.utils._pytree.tree_leaves(module(*copy.deepcopy(each)))
        found = run_payload(payload.data, payload.named, each)
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one, other, rtol=tolerance, atol=tolerance)


def assert_keeps(module: nn.Module, *calls: Arguments, dynamic_shapes: Any = None, tolerance: float = 1e-5) -> None:
    """Assert that one delegate computes what `module` does in a row of calls, buffers that they change included.

    Every changed buffer must be a state of the delegate, and begins as it is in `module`.
    """
    program = delegated(module, calls[0], dynamic_shapes)
    payload = compile_partition(program, Options())
    buffers = dict(module.named_buffers())
    names = [buffer.spec.target for buffer in mutated_buffers(program).values()]
    states = [buffers[name].clone() for name in names if name is not None]
    for call in calls:
        with torch.no_grad():
            expected = torch.utils._pytree.tree_leaves(module(*copy.deepcopy(call)))
        found = run_payload(payload.data, payload.named, (*call, *states))
        kept = [buffers[name] for name in names if name is not None]
        for one, other in zip((*found, *states), (*expected, *kept), strict=True):
            torch.testing.assert_close(one, other, rtol=tolerance, atol=tolerance)

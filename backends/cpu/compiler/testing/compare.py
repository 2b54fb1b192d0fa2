"""Compiles modules for the backend, and compares results with eager PyTorch."""

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import ExportedProgram, export

from backends.cpu.compiler.compile import compile_partition, op_graph
from backends.cpu.compiler.graph import OpGraph
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.partitioner import CpuPartitioner
from backends.cpu.compiler.payload import Payload
from backends.cpu.compiler.testing.interpreter import Arguments, run_payload
from backends.cpu.schema.declarations import OpSpec
from exir import to_edge_transform_and_lower
from exir.backend.tags import mutated_buffers
from exir.backend.utils import get_non_lowered_nodes
from exir.delegate import delegate_calls, lowered_module_of


class Function(nn.Module):
    """Wraps a function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Tensor) -> Any:
        return self.function(*args)


def lowered(module: Any, inputs: Arguments, dynamic_shapes: Any = None, **options: Any) -> ExportedProgram:
    """Return the edge program of a module or function after delegation to the backend."""
    whole = module if isinstance(module, nn.Module) else Function(module)
    shapes = dynamic_shapes if isinstance(module, nn.Module) or dynamic_shapes is None else (dynamic_shapes,)
    program = export(whole.eval(), tuple(inputs), dynamic_shapes=shapes, strict=False)
    manager = to_edge_transform_and_lower(program, partitioner=[CpuPartitioner(**options)])
    return manager.exported_program()


def delegated(module: Any, inputs: Arguments, dynamic_shapes: Any = None, **options: Any) -> ExportedProgram:
    """Return the program of the only delegate, which must be the whole module."""
    return Whole(lowered(module, inputs, dynamic_shapes, **options)).partition


class Whole:
    """A program that consists of one delegate.

    Maps the delegate's arguments and results to those of the program.
    """

    def __init__(self, program: ExportedProgram) -> None:
        assert get_non_lowered_nodes(program.graph) == []
        (self._call,) = delegate_calls(program.graph)
        self._program = program

    @property
    def partition(self) -> ExportedProgram:
        """The program of the delegate."""
        partition: ExportedProgram = lowered_module_of(self._call).original_module
        return partition

    def run(self, payload: Payload, inputs: Arguments, buffers: Mapping[str, Tensor]) -> list[Any]:
        """Run `payload`, update `buffers` (by name), and return the program's results."""
        signature = self._program.graph_signature
        given = dict(zip(signature.user_inputs, torch.utils._pytree.tree_leaves(tuple(inputs)), strict=True))
        given |= {name: buffers[target] for name, target in signature.inputs_to_buffers.items() if target in buffers}
        found = run_payload(payload.data, payload.named, [given[node.name] for node in self._call.args[1:]])
        results = self._program.graph.output_node().args[0][-len(signature.user_outputs) :]
        return [given[node.name] if node.op == "placeholder" else found[node.args[1]] for node in results]


def ops(module: Any, *inputs: Tensor, dynamic_shapes: Any = None, **options: Any) -> OpGraph:
    """Return the op graph of a module that is delegated as a whole."""
    return op_graph(delegated(module, inputs, dynamic_shapes, **options), Options(**options))


def specs(module: Any, *inputs: Tensor, **options: Any) -> list[OpSpec]:
    """Return the specs of the ops of a module, in order."""
    return [op.spec for op in ops(module, *inputs, **options).ops]


def assert_computes(
    module: Any,
    *inputs: Tensor | int,
    dynamic_shapes: Any = None,
    others: Sequence[Arguments] = (),
    tolerance: float = 1e-5,
    **options: Any,
) -> None:
    """Assert that one delegate computes `module` for `inputs` and for `others`."""
    whole = Whole(lowered(module, inputs, dynamic_shapes, **options))
    payload = compile_partition(whole.partition, Options(**options))
    for each in (inputs, *others):
        with torch.no_grad():
            expected = torch.utils._pytree.tree_leaves(module(*copy.deepcopy(each)))
        _assert_close(whole.run(payload, each, {}), expected, tolerance)


def assert_keeps(module: nn.Module, *calls: Arguments, dynamic_shapes: Any = None, tolerance: float = 1e-5) -> None:
    """Assert that a delegate's results and buffers match `module` after each call.

    Every modified buffer must be a state of the delegate. Its initial value is the one in `module`.
    """
    whole = Whole(lowered(module, calls[0], dynamic_shapes))
    payload = compile_partition(whole.partition, Options())
    buffers = dict(module.named_buffers())
    names = [buffer.spec.target for buffer in mutated_buffers(whole.partition).values()]
    states = {name: buffers[name].clone() for name in names if name is not None}
    for call in calls:
        with torch.no_grad():
            expected = torch.utils._pytree.tree_leaves(module(*copy.deepcopy(call)))
        kept = [buffers[name] for name in states]
        _assert_close([*whole.run(payload, call, states), *states.values()], [*expected, *kept], tolerance)


def _assert_close(found: Sequence[Any], expected: Sequence[Any], tolerance: float) -> None:
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=tolerance, atol=tolerance)

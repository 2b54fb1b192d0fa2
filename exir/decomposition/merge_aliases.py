"""Makes tensors that share mutated memory views of one tensor.

`torch.export` gives each name of a tensor a separate input: a buffer of two modules, a buffer that is a
slice of another, or a buffer that a cache object also holds. A write to one is a write to all.
"""

from collections.abc import Iterator
from itertools import accumulate
from math import prod
from typing import NamedTuple

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Graph, Node
from torch.nn import Parameter

from exir.error import UnsupportedOperatorError
from exir.graph.constants import ConstantTable
from exir.graph.fake_mode import fake_mode_of
from exir.graph.program_copy import copy_program

_ATEN = torch.ops.aten
_CARRIED = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


class _ProgramTensor(NamedTuple):
    """A tensor of the program, with its qualified name and its placeholder."""

    node: Node
    name: str
    tensor: Tensor
    is_registered: bool


def merge_aliases(program: ExportedProgram) -> ExportedProgram:
    """Return `program`, or a copy in which aliases of mutated tensors are views.

    Raises `UnsupportedOperatorError` if no view operators express an alias.
    """
    if not any(_written_groups(program)):
        return program
    copied = copy_program(program)
    for group in list(_written_groups(copied)):
        owner, *others = sorted(
            group, key=lambda member: (-member.tensor.numel(), not member.is_registered)
        )
        for other in others:
            other.node.replace_all_uses_with(_view_of(owner, other, copied.graph))
    ConstantTable(copied, fake_mode_of(copied.graph)).drop_unused()
    return copied


def _written_groups(program: ExportedProgram) -> Iterator[list[_ProgramTensor]]:
    """Yield the tensors of each mutated memory that several placeholders use."""
    by_memory: dict[int, list[_ProgramTensor]] = {}
    for carried in _program_tensors(program):
        by_memory.setdefault(carried.tensor.untyped_storage().data_ptr(), []).append(carried)
    shared = [group for group in by_memory.values() if len(group) > 1]
    written = _written_inputs(program.graph) if shared else set()
    return (group for group in shared if any(tensor.node in written for tensor in group))


def _program_tensors(program: ExportedProgram) -> Iterator[_ProgramTensor]:
    tensors = {**program.state_dict, **program.constants}
    nodes = program.graph.find_nodes(op="placeholder")
    for node, spec in zip(nodes, program.graph_signature.input_specs, strict=True):
        tensor = tensors.get(spec.target) if spec.kind in _CARRIED and node.users else None
        if not isinstance(tensor, Tensor) or type(tensor) not in (Tensor, Parameter):
            continue
        if tensor.device.type == "cpu" and tensor.numel():
            yield _ProgramTensor(node, spec.target, tensor, spec.kind is not InputKind.CONSTANT_TENSOR)


def _written_inputs(graph: Graph) -> set[Node]:
    """Return the placeholders that an operator mutates, directly or by views."""
    root: dict[Node, Node] = {}
    written: set[Node] = set()
    for node in graph.nodes:
        if not isinstance(node.target, OpOverload):
            continue
        arguments = [*node.args, *node.kwargs.values()]
        if any(result.alias_info is not None for result in node.target._schema.returns) and arguments:
            root[node] = root.get(arguments[0], arguments[0])
        if node.target._schema.is_mutable:
            written.update(
                root.get(argument, argument) for argument in arguments if isinstance(argument, Node)
            )
    return written


def _view_of(owner: _ProgramTensor, other: _ProgramTensor, graph: Graph) -> Node:
    """Return a view of `owner` with the memory of `other`."""
    if _tensor_geometry(owner.tensor) == _tensor_geometry(other.tensor):
        return owner.node
    steps = other.tensor.stride()
    order = sorted(range(len(steps)), key=lambda dim: -steps[dim])
    sizes = [other.tensor.size(dim) for dim in order]
    start = int(other.tensor.storage_offset() - owner.tensor.storage_offset())
    end = start + other.tensor.numel()
    if not _is_dense(other.tensor.permute(order)) or not _contains_range(
        owner.tensor, other.tensor, start, end
    ):
        raise UnsupportedOperatorError(
            f"'{other.name}' shares memory with '{owner.name}', which the model writes to; keep only "
            f"'{owner.name}', and take the view in forward()"
        )
    views = (
        (_ATEN.view.default, [-1]),
        (_ATEN.slice.Tensor, 0, start, end),
        (_ATEN.view.default, sizes),
        (_ATEN.permute.default, [order.index(dim) for dim in range(len(order))]),
    )
    value = owner.node
    with torch.no_grad(), fake_mode_of(graph), graph.inserting_before(_first_call(graph)):
        for op, *args in views:
            meta = {"val": op(value.meta["val"], *args)}
            value = graph.call_function(op, (value, *args))
            value.meta = meta
    return value


def _tensor_geometry(tensor: Tensor) -> tuple[object, ...]:
    return tensor.dtype, tensor.size(), tensor.stride(), tensor.storage_offset()


def _is_dense(tensor: Tensor) -> bool:
    """Return true if the elements are dense and row-major.

    Strides of dimensions of size 1 are ignored.
    """
    expected = list(accumulate(reversed(tensor.shape), initial=1, func=lambda a, b: a * b))[-2::-1]
    return all(
        size == 1 or step == want for size, step, want in zip(tensor.shape, tensor.stride(), expected)
    )


def _contains_range(owner: Tensor, other: Tensor, start: int, end: int) -> bool:
    return owner.dtype == other.dtype and _is_dense(owner) and start >= 0 and end <= prod(owner.shape)


def _first_call(graph: Graph) -> Node:
    return next(node for node in graph.nodes if node.op != "placeholder")

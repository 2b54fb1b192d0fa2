"""The op graph: the intermediate representation from which payloads are encoded.

Ops are in execution order. Their tensors are dense, with the outermost dimension first. A view is a value that shares
the memory of its `base`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.fx import Node

from backends.cpu.compiler.dims import Bounds, Dim
from backends.cpu.compiler.ops import registry  # noqa: F401  (registers the checks of all ops)
from backends.cpu.compiler.ops.reference import check_shapes
from backends.cpu.schema.declarations import OpSpec
from exir.error import internal_assert


@dataclass(frozen=True)
class Input:
    """Argument `index` of the call."""

    index: int


@dataclass(frozen=True)
class Output:
    """Result `index` of the call."""

    index: int


@dataclass(frozen=True)
class State:
    """Argument `index` of the call: a buffer of the program that the call updates."""

    index: int


@dataclass(frozen=True)
class Scratch:
    """Planned memory."""


@dataclass(frozen=True, eq=False)
class Constant:
    """Named data of the program."""

    tensor: Tensor


@dataclass(eq=False)
class Value:
    """A dense tensor. `dims` are in memory order, outermost first.

    place: memory of a value that has no base.
    base: the value of which this is a view. Sizes may differ; both begin at the same byte.
    """

    dtype: torch.dtype
    dims: tuple[Dim, ...]
    place: Input | Output | State | Scratch | Constant = field(default_factory=Scratch)
    base: "Value | None" = None

    @property
    def storage(self) -> "Value":
        """The value that owns the memory: itself, or that at the end of the chain of bases."""
        return self if self.base is None else self.base.storage

    @property
    def constant(self) -> Tensor | None:
        """The elements of a constant; None for views and other values."""
        return self.place.tensor if self.base is None and isinstance(self.place, Constant) else None


def constant(tensor: Tensor) -> Value:
    """Return a constant with the elements of `tensor`."""
    return Value(tensor.dtype, tuple(tensor.shape), Constant(tensor.detach().contiguous()))


@dataclass(frozen=True)
class TensorLayout:
    """A tensor of the program, stored in a value.

    order: `order[i]` is the dimension of the tensor that is dimension i of the value.
    """

    value: Value
    order: tuple[int, ...]

    @property
    def dims(self) -> tuple[Dim, ...]:
        """The sizes, in the order of the tensor's dimensions."""
        return tuple(self.value.dims[self.order.index(dim)] for dim in range(len(self.order)))


@dataclass(eq=False)
class Op:
    """An operation on values.

    nodes: nodes of the program that the op computes.
    """

    spec: OpSpec
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    workspaces: tuple[Value, ...] = ()
    dims: tuple[Dim, ...] = ()
    nodes: tuple[Node, ...] = ()

    @property
    def output(self) -> Value:
        """The only output."""
        (value,) = self.outputs
        return value


@dataclass
class OpGraph:
    """Ops in execution order, and the arguments and results of a call.

    arguments: tensors and integers, in the order of the call.
    results: tensors, in the order of the call.
    """

    bounds: Bounds
    arguments: list[TensorLayout | Dim] = field(default_factory=list)
    results: list[TensorLayout] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)


def verify(graph: OpGraph) -> None:
    """Raise `InternalError` unless every value is written once, before it is read, and ops accept their tensors."""
    written: set[Value] = set()
    for op in graph.ops:
        for value in op.inputs:
            internal_assert(_is_there(value, written), f"{op.spec} reads a value that no op wrote")
        for value in op.outputs:
            internal_assert(_may_be_written(op, value, written), f"{op.spec} overwrites a value")
        written.update(value.storage for value in op.outputs)
        check_shapes(op.spec, [value.dims for value in tensors_of(op)])
    for result in graph.results:
        internal_assert(_is_there(result.value, written), "a result is not computed")


def tensors_of(op: Op) -> Iterator[Value]:
    """Yield inputs, outputs and workspaces, in the order of the payload."""
    yield from op.inputs
    yield from op.outputs
    yield from op.workspaces


def storages_of(values: Iterable[Value]) -> list[Value]:
    """Return the storages of `values`, each once, in order."""
    return list(dict.fromkeys(value.storage for value in values))


def source_of(op: Op, writers: Mapping[Value, Op]) -> Op | None:
    """Return the op that writes the first input of `op`; None if there is none. writers: ops by output storage."""
    return writers.get(op.inputs[0].storage) if op.inputs else None


def _is_there(value: Value, written: set[Value]) -> bool:
    return isinstance(value.storage.place, (Input, State, Constant)) or value.storage in written


def _may_be_written(op: Op, value: Value, written: set[Value]) -> bool:
    """Return whether `op` may write `value`. Any op may overwrite states, but only in-place ops other values."""
    place, operand = value.storage.place, op.spec.in_place
    if not isinstance(place, (Scratch, Output)):
        return isinstance(place, State)
    over = operand is not None and op.inputs[operand].storage is value.storage
    return over or value.storage not in written

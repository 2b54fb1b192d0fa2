"""The op graph: what a payload will say, before places and bytes are chosen.

Ops stand in the order in which they run and only see dense tensors, outermost dimension
first. A view is a value whose bytes are those of its `base`.
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
    """A dense tensor; `dims` are in the order of memory, outermost first.

    place: of its bytes, where it has no base.
    base: the value that it is a view of: other sizes, the same bytes from the first on.
    """

    dtype: torch.dtype
    dims: tuple[Dim, ...]
    place: Input | Output | State | Scratch | Constant = field(default_factory=Scratch)
    base: "Value | None" = None

    @property
    def storage(self) -> "Value":
        """The value that has the bytes: itself, or what it is (a view of) a view of."""
        return self if self.base is None else self.base.storage

    @property
    def constant(self) -> Tensor | None:
        """The elements of a constant that is no view."""
        return self.place.tensor if self.base is None and isinstance(self.place, Constant) else None


def constant(tensor: Tensor) -> Value:
    """A value for the elements of `tensor`."""
    return Value(tensor.dtype, tuple(tensor.shape), Constant(tensor.detach().contiguous()))


@dataclass(frozen=True)
class TensorLayout:
    """A tensor of the program as a value: `order[i]` is the tensor's dimension that is dimension i
    of the value."""

    value: Value
    order: tuple[int, ...]

    @property
    def dims(self) -> tuple[Dim, ...]:
        """The sizes in the order of the tensor's dimensions."""
        return tuple(self.value.dims[self.order.index(dim)] for dim in range(len(self.order)))


@dataclass(eq=False)
class Op:
    """One operation on values.

    nodes: of the program, that it computes.
    """

    spec: OpSpec
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    workspaces: tuple[Value, ...] = ()
    dims: tuple[Dim, ...] = ()
    nodes: tuple[Node, ...] = ()

    @property
    def output(self) -> Value:
        """Its only result."""
        (value,) = self.outputs
        return value


@dataclass
class OpGraph:
    """Ops in order, and what the call gives and takes.

    arguments: of the call, in order: a tensor as it lies, or an integer.
    results: of the call, in order.
    """

    bounds: Bounds
    arguments: list[TensorLayout | Dim] = field(default_factory=list)
    results: list[TensorLayout] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)


def verify(graph: OpGraph) -> None:
    """Raise `InternalError` unless every value is written once, before it is read, and ops fit."""
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
    """Inputs, outputs, workspaces: as the payload lists them."""
    yield from op.inputs
    yield from op.outputs
    yield from op.workspaces


def storages_of(values: Iterable[Value]) -> list[Value]:
    """The values that have the bytes of `values`, each once, in order."""
    return list(dict.fromkeys(value.storage for value in values))


def source_of(op: Op, writers: Mapping[Value, Op]) -> Op | None:
    """The one of `writers`, by the bytes that they write, from which `op` has its first input; None if there is
    none."""
    return writers.get(op.inputs[0].storage) if op.inputs else None


def _is_there(value: Value, written: set[Value]) -> bool:
    return isinstance(value.storage.place, (Input, State, Constant)) or value.storage in written


def _may_be_written(op: Op, value: Value, written: set[Value]) -> bool:
    """States may be overwritten by any op, other values only by an op that works in place."""
    place, operand = value.storage.place, op.spec.in_place
    if not isinstance(place, (Scratch, Output)):
        return isinstance(place, State)
    over = operand is not None and op.inputs[operand].storage is value.storage
    return over or value.storage not in written

"""The step graph: what a payload will say, before places and bytes are chosen.

Steps stand in the order in which they run and only see dense tensors, outermost dimension
first. A view is a value whose bytes are those of its `base`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.fx import Node

from backends.cpu.compiler.dims import Bounds, Dim
from backends.cpu.compiler.kinds.operation import Operation
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
class Laid:
    """A tensor of the program as a value: `order[i]` is the tensor's dimension that is dimension i
    of the value."""

    value: Value
    order: tuple[int, ...]

    @property
    def dims(self) -> tuple[Dim, ...]:
        """The sizes in the order of the tensor's dimensions."""
        return tuple(self.value.dims[self.order.index(dim)] for dim in range(len(self.order)))


@dataclass(eq=False)
class Step:
    """One operation on values.

    nodes: of the program, that it computes.
    """

    operation: Operation
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
class StepGraph:
    """Steps in order, and what the call gives and takes.

    arguments: of the call, in order: a tensor as it lies, or an integer.
    results: of the call, in order.
    """

    bounds: Bounds
    arguments: list[Laid | Dim] = field(default_factory=list)
    results: list[Laid] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


def verify(graph: StepGraph) -> None:
    """Raise `InternalError` unless every value is written once, before it is read, and steps fit."""
    written: set[Value] = set()
    for step in graph.steps:
        for value in step.inputs:
            internal_assert(_is_there(value, written), f"{step.operation} reads what nothing has written")
        for value in step.outputs:
            internal_assert(_may_be_written(step, value, written), f"{step.operation} writes over a value")
        written.update(value.storage for value in step.outputs)
        step.operation.check([value.dims for value in tensors_of(step)])
    for result in graph.results:
        internal_assert(_is_there(result.value, written), "a result is not computed")


def tensors_of(step: Step) -> Iterator[Value]:
    """Inputs, outputs, workspaces: as the payload lists them."""
    yield from step.inputs
    yield from step.outputs
    yield from step.workspaces


def storages_of(values: Iterable[Value]) -> list[Value]:
    """The values that have the bytes of `values`, each once, in order."""
    return list(dict.fromkeys(value.storage for value in values))


def source_of(step: Step, writers: Mapping[Value, Step]) -> Step | None:
    """The one of `writers`, by the bytes that they write, from which `step` has its first input; None if there is
    none."""
    return writers.get(step.inputs[0].storage) if step.inputs else None


def _is_there(value: Value, written: set[Value]) -> bool:
    return isinstance(value.storage.place, (Input, State, Constant)) or value.storage in written


def _may_be_written(step: Step, value: Value, written: set[Value]) -> bool:
    """States may be written again; what else is there only by a step that works on it in place."""
    place, operand = value.storage.place, step.operation.in_place
    if not isinstance(place, (Scratch, Output)):
        return isinstance(place, State)
    over = operand is not None and step.inputs[operand].storage is value.storage
    return over or value.storage not in written

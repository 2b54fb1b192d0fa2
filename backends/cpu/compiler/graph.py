"""The op graph: the intermediate representation from which payloads are encoded.

Ops are in execution order. Their tensors are dense, with the outermost dimension first. A view is a
value that shares the memory of its `base`.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.fx import Node

from backends.cpu.compiler.dims import Bounds, Dim, guarded_value
from backends.cpu.compiler.ops.reference import check_shapes
from backends.cpu.schema.declarations import OpSpec
from backends.cpu.schema.registry import BY_CODE, modules_of
from exir.error import InternalError, internal_assert

modules_of("backends.cpu.compiler.ops")  # registers the checks of all ops


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
    base: the value that this value is a view of. Sizes may differ; both begin at the same byte.
    """

    dtype: torch.dtype
    dims: tuple[Dim, ...]
    place: Input | Output | State | Scratch | Constant = field(default_factory=Scratch)
    base: "Value | None" = None

    @property
    def storage(self) -> "Value":
        """The value that owns the memory: the value itself, or the storage of its base."""
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
        """The op's only output."""
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


def verify_graph(graph: OpGraph, incomplete: Collection[type[OpSpec]] = ()) -> None:
    """Raise `InternalError` unless `graph` is valid.

    - Each op has a registered code, and its sizes satisfy `check_shapes`.
    - Each input of an op is an argument, a constant, or an output of an earlier op that is not
      overwritten yet.
    - Each value has one producer. An op overwrites only a state, or the input that `in_place`
      declares.
    - Inputs, states and outputs refer to arguments and results of the graph, and results are
      computed.

    incomplete: kinds of ops whose sizes are not checked, because a later pass completes them.
    """
    verifier = _Verifier(graph)
    for index, op in enumerate(graph.ops):
        try:
            verifier.check_op(op, type(op.spec) not in incomplete)
        except InternalError as error:
            raise InternalError(f"op {index}: {error.message}", *op.nodes[:1]) from error
    verifier.check_results()


class _Verifier:
    """Checks the ops of a graph in order, and then its results."""

    def __init__(self, graph: OpGraph) -> None:
        self._graph = graph
        self._writes: Counter[Value] = Counter()  # number of writes to a storage
        self._versions: dict[Value, int] = {}  # number of the write that produced a value
        self._given: set[Value] = set()
        for index, layout in enumerate(graph.arguments):
            if isinstance(layout, TensorLayout):
                place = layout.value.place
                is_valid = layout.value.base is None and place in (Input(index), State(index))
                internal_assert(is_valid, f"argument {index} is in {place}")
                self._given.add(layout.value)

    def check_op(self, op: Op, checks_shapes: bool) -> None:
        """Check `op`. Earlier ops have already been checked."""
        kind = type(op.spec)
        internal_assert(BY_CODE.get(op.spec.code) is kind, f"code {op.spec.code} does not belong to {kind.__name__}")
        for index, value in enumerate(op.inputs):
            self._check_read(value, f"{op.spec}: input {index} is")
        operand = op.spec.in_place
        internal_assert(operand is None or operand < len(op.inputs), f"{op.spec} has no input {operand} to overwrite")
        for index, value in enumerate(op.outputs):
            self._check_write(op, index, value)
        for value in op.workspaces:
            is_own = value.base is None and value.place == Scratch() and self._writes[value] == 0
            internal_assert(
                is_own and value not in op.outputs, f"{op.spec} has a workspace that is not separate scratch"
            )
        for value in op.outputs:
            self._writes[value.storage] += 1
            self._versions[value] = self._writes[value.storage]
        if checks_shapes:
            check_shapes(op.spec, [tuple(map(guarded_value, value.dims)) for value in tensors_of(op)])

    def check_results(self) -> None:
        """Check the results. All ops have already been checked."""
        for index, layout in enumerate(self._graph.results):
            self._check_read(layout.value, f"result {index} is")
            is_order = sorted(layout.order) == list(range(len(layout.value.dims)))
            internal_assert(is_order, f"the order of result {index}, {layout.order}, is not a permutation of its dims")

    def _check_read(self, value: Value, reader: str) -> None:
        storage = value.storage
        if isinstance(storage.place, Constant):
            return
        is_there = storage in self._given or self._writes[storage] > 0
        internal_assert(is_there, f"{reader} a value that has no producer before it")
        is_current = isinstance(storage.place, State) or self._version(value) == max(self._writes[storage], 1)
        internal_assert(is_current, f"{reader} a value that an earlier op overwrote")

    def _version(self, value: Value) -> int:
        """Return the number of the write that produced `value`.

        The number is 1 for a view of the storage.
        """
        while value not in self._versions:
            if value.base is None:
                return 1
            value = value.base
        return self._versions[value]

    def _check_write(self, op: Op, index: int, value: Value) -> None:
        storage = value.storage
        place = storage.place
        if isinstance(place, State):
            internal_assert(storage in self._given, f"{op.spec} writes a state that is not an argument")
            return
        internal_assert(isinstance(place, (Scratch, Output)), f"{op.spec} overwrites a value in {place}")
        if isinstance(place, Output):
            results = self._graph.results
            is_result = place.index < len(results) and results[place.index].value.storage is storage
            internal_assert(
                is_result, f"{op.spec} writes output {place.index}, but result {place.index} has a different storage"
            )
        shared = [each for each, read in enumerate(op.inputs) if read.storage is storage]
        if self._writes[storage] > 0 or shared:
            is_in_place = index == 0 and shared == [op.spec.in_place]
            internal_assert(is_in_place, f"{op.spec} overwrites a value of another op")
            over = op.inputs[shared[0]]
            is_same = over.dims == value.dims and over.dtype == value.dtype
            internal_assert(is_same, f"{op.spec} works in place on a value of a different size or dtype")


def tensors_of(op: Op) -> Iterator[Value]:
    """Yield inputs, outputs and workspaces, in the order of the payload."""
    yield from op.inputs
    yield from op.outputs
    yield from op.workspaces


def storages_of(values: Iterable[Value]) -> list[Value]:
    """Return the storages of `values` in order, without duplicates."""
    return list(dict.fromkeys(value.storage for value in values))


def source_of(op: Op, writers: Mapping[Value, Op]) -> Op | None:
    """Return the op that writes the first input of `op`, or None.

    writers: ops by output storage.
    """
    return writers.get(op.inputs[0].storage) if op.inputs else None

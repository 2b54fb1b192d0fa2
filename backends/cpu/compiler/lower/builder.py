"""Builds an op graph, and tracks the value and memory order of each tensor."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import torch
from torch.fx import Node

from backends.cpu.compiler.dims import Dim, dim_of, dims_of
from backends.cpu.compiler.graph import Input, Op, OpGraph, State, TensorLayout, Value, constant
from backends.cpu.compiler.lower.program import Program, given_tensor_of, tensor_of
from backends.cpu.compiler.ops.quantization import FLOAT16_DTYPES
from backends.cpu.schema.copies import Permute
from backends.cpu.schema.declarations import OpSpec
from backends.cpu.schema.quantization import Cast
from exir.error import internal_assert
from exir.tensor import dim_order_of_strides

Order = tuple[int, ...]


def as_it_is(rank: int) -> Order:
    """Return the memory order of a contiguous tensor."""
    return tuple(range(rank))


def channels_last(rank: int) -> Order:
    """Return the memory order with dimension 1 innermost."""
    return (0, *range(2, rank), 1)


class Builder:
    """Builds an op graph, one node at a time in the order of the program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.graph = OpGraph(program.bounds)
        self._layouts: dict[Node, TensorLayout] = {}
        self._states: dict[Node, TensorLayout] = {}
        self._made: dict[Hashable, Value] = {}

    def add_argument(self, node: Node) -> None:
        """Append an argument of the call, a tensor or an integer."""
        if isinstance(node.meta["val"], torch.Tensor):
            self._add_tensor(node, Input(len(self.graph.arguments)))
        else:
            self.graph.arguments.append(dim_of(node.meta["val"]))

    def add_state(self, node: Node) -> None:
        """Append a buffer that the call updates. Buffers follow all other arguments."""
        self._states[node] = self._add_tensor(node, State(len(self.graph.arguments)))

    def add_result(self, node: Node) -> None:
        """Append a result of the call, in the memory order of the program.

        A result that is a state is copied.
        """
        given = given_tensor_of(node)
        order = self._given_order(given)
        value = self._apart_from_states(self._as_dtype(self.read(node, order), given.dtype, node), node)
        self.graph.results.append(TensorLayout(value, order))

    def keep_states(self, new_values: Mapping[Node, Node]) -> None:
        """Store the new values of states, by placeholder.

        No node may be lowered afterwards.
        """
        moved = []
        for node, new in new_values.items():
            state, order = self._states[node].value, self._states[node].order
            value = self._as_dtype(self.read(new, order), state.dtype, new)
            if value.storage is not state:
                moved.append((state, self._apart_from_states(value, new), new))
        for state, value, new in moved:
            self._copied(value, Value(state.dtype, state.dims, base=state), new)

    def layout(self, node: Node) -> TensorLayout:
        """Return the layout of the tensor of `node`. Constants are contiguous."""
        found = self.program.constant(node)
        if node not in self._layouts and found is not None:
            self._layouts[node] = TensorLayout(constant(found), as_it_is(found.dim()))
        return self._layouts[node]

    def has_layout(self, node: Node, order: Order) -> bool:
        """Return whether the tensor of `node` can be read in `order` without permutation."""
        return _same_bytes(self.layout(node), order)

    def read(self, node: Node, order: Order | None = None) -> Value:
        """Return the tensor of `node` in the memory order `order`, by default contiguous.

        Permutes it if necessary.
        """
        layout = self.layout(node)
        return self._ordered(layout, order or as_it_is(len(layout.order)), node)

    def read_weight(self, node: Node, order: Order | None = None) -> Value | None:
        """Return a constant in the dtype of the program and in the memory order `order`.

        Return None for computed tensors.
        """
        found = self.program.weight(node)
        return (
            None
            if found is None
            else self.once((node, order), lambda: constant(found.permute(order or as_it_is(found.dim()))))
        )

    def broadcast(self, node: Node, order: Order) -> Value:
        """Return the tensor of `node` in the order `order`, with leading dims of size 1."""
        layout = self.layout(node)
        missing = len(order) - len(layout.order)
        dims = (1,) * missing + layout.value.dims
        raised = (*range(missing), *(dim + missing for dim in layout.order))
        return self._ordered(TensorLayout(view(layout.value, dims), raised), order, node)

    def write(self, node: Node, order: Order | None = None) -> Value:
        """Return a new value for the result of `node`.

        order: memory order, by default contiguous.
        """
        tensor = tensor_of(node)
        order = order or as_it_is(tensor.dim())
        value = Value(tensor.dtype, _in_order(dims_of(tensor), order))
        self._layouts[node] = TensorLayout(value, order)
        return value

    def rewrite(self, node: Node, old: Node) -> Value:
        """Return a value for the result of `node`, a copy of `old` with replaced elements.

        It shares the memory of `old` if `old` is a state without other readers.
        """
        layout = self.layout(old)
        over = isinstance(layout.value.storage.place, State) and self._is_read_by_none_but(node, layout.value.storage)
        value = Value(layout.value.dtype, layout.value.dims, base=layout.value if over else None)
        self._layouts[node] = TensorLayout(value, layout.order)
        return value

    def alias(self, node: Node, layout: TensorLayout) -> None:
        """Use `layout` as the result of `node`. Emits no op."""
        self._layouts[node] = layout

    def op(
        self, spec: OpSpec, inputs: Sequence[Value], output: Value, *nodes: Node, dims: tuple[Dim, ...] = ()
    ) -> None:
        """Append an op with one output. The op computes `nodes`."""
        self.graph.ops.append(Op(spec, tuple(inputs), (output,), dims=dims, nodes=nodes))

    def once(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the cached value for `key`. The first call creates it with `make`."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def shaped(self, node: Node, dims: tuple[Dim, ...], order: Order) -> Value:
        """Return the tensor of `node` reshaped to `dims`, in the memory order `order`."""
        layout = self.layout(node)
        if tuple(dims_of(tensor_of(node))) != dims:
            layout = TensorLayout(view(self.read(node), dims), as_it_is(len(dims)))
        return self._ordered(layout, order, node)

    def maximum(self, dim: Dim) -> int:
        """Return the largest value of `dim`, which must have an upper bound."""
        return self.graph.bounds.most([dim])

    def _add_tensor(self, node: Node, place: Input | State) -> TensorLayout:
        tensor = given_tensor_of(node)
        order = self._given_order(tensor)
        given = TensorLayout(Value(tensor.dtype, _in_order(dims_of(tensor), order), place), order)
        self.graph.arguments.append(given)
        self._layouts[node] = TensorLayout(self._as_dtype(given.value, tensor_of(node).dtype, node), order)
        return given

    def _as_dtype(self, value: Value, dtype: torch.dtype, node: Node) -> Value:
        """Return `value` as `dtype`.

        Converts between float32, in which ops compute, and float16 or bfloat16 of the program.
        """
        if value.dtype == dtype:
            return value
        internal_assert(
            value.dtype in FLOAT16_DTYPES or dtype in FLOAT16_DTYPES,
            f"got a value of dtype {value.dtype}, expected {dtype}",
        )
        converted = Value(dtype, value.dims)
        self.op(Cast(), [value], converted, node)
        return converted

    def _is_read_by_none_but(self, node: Node, storage: Value) -> bool:
        """Return whether no node except `node` reads `storage`.

        Earlier nodes also count, because ops may be reordered.
        """
        here = {each for each, layout in self._layouts.items() if layout.value.storage is storage}
        return all(user is node or user in here for each in here for user in each.users)

    def _apart_from_states(self, value: Value, node: Node) -> Value:
        if not isinstance(value.storage.place, State):
            return value
        return self._copied(value, Value(value.dtype, value.dims), node)

    def _copied(self, value: Value, to: Value, node: Node) -> Value:
        self.op(Permute(as_it_is(len(value.dims))), [value], to, node)
        return to

    def _given_order(self, tensor: torch.Tensor) -> Order:
        """Return the memory order of an argument or result of the delegate.

        exir's memory planning defines this order.
        """
        shape = [self.maximum(dim_of(size)) for size in tensor.shape]
        strides = [self.maximum(dim_of(stride)) for stride in tensor.stride()]
        return dim_order_of_strides(shape, strides)

    def _ordered(self, layout: TensorLayout, order: Order, node: Node) -> Value:
        if _same_bytes(layout, order):
            return view(layout.value, _in_order(layout.dims, order))
        return self.once((layout, order), lambda: self._permuted(layout, order, node))

    def _permuted(self, layout: TensorLayout, order: Order, node: Node) -> Value:
        permutation = tuple(layout.order.index(dim) for dim in order)
        tensor = layout.value.constant
        if tensor is not None:
            return constant(tensor.permute(permutation))
        output = Value(layout.value.dtype, _in_order(layout.dims, order))
        self.op(Permute(permutation), [layout.value], output, node)
        return output


def view(value: Value, dims: tuple[Dim, ...]) -> Value:
    """Return a view of `value` with sizes `dims`, or `value` if it has these sizes."""
    if value.dims == dims:
        return value
    tensor = value.constant
    return Value(value.dtype, dims, base=value) if tensor is None else constant(tensor.reshape(dims))


def _in_order(dims: Sequence[Any], order: Order) -> tuple[Any, ...]:
    return tuple(dims[dim] for dim in order)


def _same_bytes(layout: TensorLayout, order: Order) -> bool:
    """Return whether `layout` has the order `order`, ignoring dimensions of size 1."""
    dims = layout.dims
    return [dim for dim in layout.order if dims[dim] != 1] == [dim for dim in order if dims[dim] != 1]

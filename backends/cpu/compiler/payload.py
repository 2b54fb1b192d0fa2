"""Encode an op graph and its memory plan as a payload (`backends/cpu/PAYLOAD.md`)."""

import hashlib
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from torch import Tensor

from backends.cpu.compiler.dim_table import DimTable
from backends.cpu.compiler.dims import Dim
from backends.cpu.compiler.graph import (
    Constant,
    Input,
    Op,
    OpGraph,
    Output,
    Scratch,
    State,
    TensorLayout,
    Value,
    tensors_of,
)
from backends.cpu.compiler.plan import Plan
from backends.cpu.schema.declarations import word_count
from backends.cpu.schema.payload_tables import (
    MAGIC,
    VERSION,
    WORD_BYTES,
    DataEntry,
    OpEntry,
    PayloadHeader,
    Place,
    ValueEntry,
)
from exir.error import ExportError, ExportErrorType
from exir.tensor import scalar_type
from exir.weights.tensor_bytes import bytes_in_order

MAX_WORD = 0xFFFFFFFF
_PLACES = {
    Input: Place.INPUT,
    Output: Place.OUTPUT,
    Scratch: Place.SCRATCH,
    Constant: Place.DATA,
    State: Place.STATE,
}


@dataclass(frozen=True)
class Payload:
    """A payload, and the named data that it refers to, by key.

    The data are views of tensors of the graph.
    """

    data: bytes
    named: dict[str, memoryview]


def write(graph: OpGraph, plan: Plan) -> Payload:
    """Encode a planned graph. Identical graphs have identical payloads."""
    return _Writer(graph, plan).payload()


def content_key(data: memoryview) -> str:
    """Return the key of named data. Identical data have identical keys."""
    return "cpu-" + hashlib.sha256(data).hexdigest()[:40]


def pack_words(words: Iterable[int]) -> bytes:
    """Pack unsigned 32-bit words, little-endian.

    Raises `ExportError` for a word that is out of range.
    """
    flat = list(words)
    largest = max(flat, default=0)
    if largest > MAX_WORD:
        raise ExportError(
            ExportErrorType.NOT_SUPPORTED,
            f"a size or a memory requirement is {largest} at the maximum sizes, but the CPU backend supports at most "
            f"{MAX_WORD}; reduce the max of the torch.export.Dim of dynamic sizes, or use portable kernels",
        )
    return struct.pack(f"<{len(flat)}I", *flat)


class _Writer:
    """Collects the tables of a payload."""

    def __init__(self, graph: OpGraph, plan: Plan) -> None:
        self._graph = graph
        self._plan = plan
        self._dims = DimTable(graph.bounds, _argument_sizes(graph))
        self._named: dict[str, memoryview] = {}
        self._values: dict[Value, list[int]] = {}
        self._ids: dict[Value, int] = {}

    def payload(self) -> Payload:
        """Return the encoded payload and its named data."""
        for layout in self._graph.arguments:
            if isinstance(layout, TensorLayout):
                self._add_value(layout.value, layout.order)
        for layout in self._graph.results:
            self._add_value(layout.value, layout.order)
        ops = [word for op in self._graph.ops for word in self._op(op)]
        return Payload(self._joined(ops), dict(self._named))

    def _joined(self, ops: list[int]) -> bytes:
        """Return the header and the tables.

        The ops must be encoded first, because encoding fills the other tables.
        """
        dims = [word for each in self._dims.entries for word in each.words()]
        values = [word for each in self._values.values() for word in each]
        keys = [key.encode() for key in self._named]
        starts = [0, *accumulate(len(key) for key in keys)]
        data = [
            word
            for start, key, content in zip(starts, keys, self._named.values())
            for word in DataEntry(start, len(key), len(content)).words()
        ]
        names = b"".join(keys)
        padded = names + bytes(-len(names) % WORD_BYTES)
        body = [*dims, *values, *data, *ops]
        total = word_count(PayloadHeader) + len(body) + len(padded) // WORD_BYTES
        return pack_words([*self._header(total, len(names)).words(), *body]) + padded

    def _header(self, total: int, key_bytes: int) -> PayloadHeader:
        return PayloadHeader(
            magic=MAGIC,
            version=VERSION,
            total_words=total,
            input_count=len(self._graph.arguments),
            output_count=len(self._graph.results),
            dim_count=len(self._dims.entries),
            value_count=len(self._values),
            data_count=len(self._named),
            op_count=len(self._graph.ops),
            scratch_bytes=self._plan.size,
            key_bytes=key_bytes,
        )

    def _op(self, op: Op) -> list[int]:
        values = [self._value(value) for value in tensors_of(op)]
        dims = [self._dims.add(dim) for dim in op.dims]
        words = op.spec.words()
        groups = (op.inputs, op.outputs, op.workspaces, dims, words)
        return [*OpEntry(op.spec.code, *map(len, groups)).words(), *values, *dims, *words]

    def _value(self, value: Value) -> int:
        if value not in self._ids:
            self._add_value(value, tuple(range(len(value.dims))))
        return self._ids[value]

    def _add_value(self, value: Value, order: tuple[int, ...]) -> None:
        dims = [self._dims.add(dim) for dim in value.dims]
        place, index, offset = self._place(value.storage)
        dtype = scalar_type(value.dtype)
        self._ids[value] = len(self._values)
        entry = ValueEntry(dtype, len(dims), place, index, offset, _order_word(order))
        self._values[value] = [*entry.words(), *dims]

    def _place(self, storage: Value) -> tuple[Place, int, int]:
        """Return the place, the index and the offset of `storage`."""
        place = storage.place
        kind = _PLACES[type(place)]
        if isinstance(place, (Input, Output, State)):
            return kind, place.index, 0
        if isinstance(place, Constant):
            return kind, self._name(bytes_of_tensor(place.tensor)), 0
        return kind, 0, self._plan.offsets[storage]

    def _name(self, data: memoryview) -> int:
        key = content_key(data)
        self._named.setdefault(key, data)
        return list(self._named).index(key)


def _argument_sizes(graph: OpGraph) -> list[tuple[Dim, ...] | Dim]:
    return [each.dims if isinstance(each, TensorLayout) else each for each in graph.arguments]


def _order_word(order: tuple[int, ...]) -> int:
    return sum(dim << 4 * place for place, dim in enumerate(order))


def bytes_of_tensor(tensor: Tensor) -> memoryview:
    """Return a view of the elements of a contiguous tensor, without a copy."""
    return bytes_in_order(tensor, range(tensor.dim())).numpy().data

"""Write XNNPACK payloads with one node, which no program contains.

    tools/python -m tests.fuzz.payloads.xnnpack_kinds

The official exporter does not lower any operator to most of these kinds, but its schema contains
them, and the runtime supports them. The linear layer has one output, so that its row can have 2^31 - 1
elements.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from backends.xnnpack.payload_nodes import NODES

PATH = Path("tests/fuzz/payloads/xnnpack_kinds.bin")

_FLOAT32, _INT32 = 1, 12
_INPUT, _OUTPUT = 1, 2
_NO_VALUE = 2**32 - 1
_HEADER_BYTES = 32
_ALIGNMENT = 64
_DATA_ALIGNMENT = 16

Shape = tuple[int, ...]


@dataclass(frozen=True)
class NodeExample:
    """A payload with one node.

    attributes: fields that are not value ids, in the order of the schema.
    outputs: shapes; the second output is int32.
    constants: shapes of the inputs that follow `inputs`. Their elements are 0.5.
    """

    kind: str
    attributes: tuple[float, ...]
    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]
    constants: tuple[Shape, ...] = ()


_IMAGE, _POOLED = (1, 6, 8, 3), (1, 3, 4, 3)
_NO_PADDING = (0, 0, 0, 0)

EXAMPLES = (
    NodeExample("AvgPooling2d", (*_NO_PADDING, 2, 2, 2, 2, 1, 1), (_IMAGE,), (_POOLED,)),
    NodeExample("ArgMaxPooling2d", (*_NO_PADDING, 2, 2), (_IMAGE,), (_POOLED, _POOLED)),
    NodeExample("Minimum", (), ((2, 3, 4), (2, 3, 4)), ((2, 3, 4),)),
    NodeExample("Maximum", (), ((2, 3, 4), (3, 4)), ((2, 3, 4),)),
    NodeExample("ELU", (1.0,), ((5, 7),), ((5, 7),)),
    NodeExample("Concatenate3", (1, 0), ((2, 3), (2, 1), (2, 4)), ((2, 8),)),
    NodeExample("Concatenate4", (1, 0), ((2, 3), (2, 1), (2, 4), (2, 2)), ((2, 10),)),
    NodeExample("FullyConnected", (), ((4, 12),), ((4, 1),), ((1, 12),)),
)


@dataclass(frozen=True)
class _Table:
    """The fields of a flatbuffer table in the order of their numbers.

    Bytes are a packed scalar; a sequence is a vector of uint32 or of tables; None is an absent
    field.
    """

    fields: tuple[bytes | Sequence[int] | list[_Table] | _Table | None, ...]


class _Writer:
    """Writes a flatbuffer from front to back."""

    def __init__(self) -> None:
        self.data = bytearray(struct.pack("<I4s", 0, b"XN01"))

    def written(self, root: _Table) -> bytes:
        self._link(0, self._table(root))
        return bytes(self.data)

    def _table(self, table: _Table) -> int:
        """Return the position of the table, which is between its vtable and its children."""
        vtable = self._reserve(4 + 2 * len(table.fields), 2)
        at = self._reserve(4, 8)
        slots = []
        for field in table.fields:
            content = field if isinstance(field, bytes) else bytes(4)
            slots.append(self._reserve(len(content), len(content)) if field is not None else at)
            if field is not None:
                self.data[slots[-1] : slots[-1] + len(content)] = content
        offsets = [slot - at for slot in slots]
        struct.pack_into(f"<HH{len(slots)}H", self.data, vtable, 4 + 2 * len(slots), len(self.data) - at, *offsets)
        struct.pack_into("<i", self.data, at, at - vtable)
        for field, slot in zip(table.fields, slots, strict=True):
            if field is not None and not isinstance(field, bytes):
                self._link(slot, self._child(field))
        return at

    def _child(self, field: Sequence[int] | list[_Table] | _Table) -> int:
        if isinstance(field, _Table):
            return self._table(field)
        at = self._reserve(4 + 4 * len(field), 4)
        struct.pack_into("<I", self.data, at, len(field))
        for i, item in enumerate(field):
            if isinstance(item, _Table):
                self._link(at + 4 + 4 * i, self._table(item))
            else:
                struct.pack_into("<I", self.data, at + 4 + 4 * i, item)
        return at

    def _reserve(self, size: int, alignment: int) -> int:
        self.data += bytes(-len(self.data) % alignment)
        at = len(self.data)
        self.data += bytes(size)
        return at

    def _link(self, slot: int, target: int) -> None:
        struct.pack_into("<I", self.data, slot, target - slot)


def payload_of(example: NodeExample) -> bytes:
    """Return the payload, with a header."""
    flatbuffer = _Writer().written(_graph(example))
    flatbuffer += bytes(-len(flatbuffer) % _DATA_ALIGNMENT)
    end = _HEADER_BYTES + len(flatbuffer)
    data = b"".join(_data_of(shape) for shape in example.constants)
    header = struct.pack("<4x4sHIIIQ2x", b"XH00", 30, _HEADER_BYTES, len(flatbuffer), end, len(data))
    return header + flatbuffer + data


def _data_of(shape: Shape) -> bytes:
    data = struct.pack("<f", 0.5) * math.prod(shape)
    return data + bytes(-len(data) % _DATA_ALIGNMENT)


def _graph(example: NodeExample) -> _Table:
    input_count, constant_count = len(example.inputs), len(example.constants)
    first_output = input_count + constant_count
    values = [_value(i, shape, _INPUT, external=i) for i, shape in enumerate(example.inputs)]
    constants = [_Table((bytes(8), bytes(8)))]  # index 0 means that a value is not a constant
    offset = 0
    for i, shape in enumerate(example.constants):
        values.append(_value(input_count + i, shape, 0, constant=1 + i))
        data = _data_of(shape)
        constants.append(_Table((struct.pack("<Q", offset), struct.pack("<Q", len(data)))))
        offset += len(data)
    for i, shape in enumerate(example.outputs):
        datatype = _INT32 if i > 0 else _FLOAT32
        values.append(_value(first_output + i, shape, _OUTPUT, external=input_count + i, datatype=datatype))
    return _Table(
        (
            None,
            [_node(example)],
            values,
            _word(input_count + len(example.outputs)),
            list(range(input_count)),
            list(range(first_output, len(values))),
            None,
            None,
            constants,
        )
    )


def _node(example: NodeExample) -> _Table:
    names = [name for name, _ in NODES]
    tag = 1 + names.index(example.kind)
    first_output = len(example.inputs) + len(example.constants)
    attributes, inputs = iter(example.attributes), iter(range(first_output))
    outputs = iter(range(first_output, first_output + len(example.outputs)))
    fields = []
    for letter in NODES[tag - 1][1]:
        if letter == "f":
            fields.append(struct.pack("<f", next(attributes)))
        else:
            numbers = {"i": inputs, "o": outputs}.get(letter, attributes)
            fields.append(_word(int(next(numbers, _NO_VALUE))))
    return _Table((bytes([tag]), _Table((*fields, _word(0))), _word(0), None))


def _value(
    index: int,
    shape: Shape,
    flags: int,
    *,
    external: int = _NO_VALUE,
    constant: int = 0,
    datatype: int = _FLOAT32,
) -> _Table:
    words = [_word(number) for number in (constant, external, flags, index)]
    tensor = _Table((struct.pack("<h", datatype), _word(len(shape)), list(shape), *words, struct.pack("<h", 0)))
    return _Table((bytes([1]), tensor))


def _word(number: int) -> bytes:
    return struct.pack("<I", number)


def payloads() -> bytes:
    """Return all payloads, each at a multiple of 64 bytes."""
    parts = [payload_of(example) for example in EXAMPLES]
    return b"".join(part + bytes(-len(part) % _ALIGNMENT) for part in parts)


if __name__ == "__main__":
    PATH.write_bytes(payloads())

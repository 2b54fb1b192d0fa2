"""Reference semantics of `embedding` and `embedding_qw`."""

from collections.abc import Sequence

from torch import Tensor

from backends.cpu.compiler.ops.reference import Sizes, check_shapes, evaluate, expect
from backends.cpu.compiler.packing import dequantized_panels, unpanelled
from backends.cpu.schema.embedding import Embedding, EmbeddingQw

_MATRIX = 2


@check_shapes.register
def _check_embedding(spec: Embedding, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 3, f"{len(sizes)} tensors, expected 3")
    table, indices, y = sizes
    expect(spec, y == (*indices, table[1]), f"output is {y}, expected {(*indices, table[1])}")


@evaluate.register
def _embedding(spec: Embedding, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    table, indices = inputs
    rows = table if table.dim() == _MATRIX else unpanelled(table, spec.rows)
    outputs[0].copy_(rows[indices.long()])


@check_shapes.register
def _check_low_bit(spec: EmbeddingQw, sizes: Sizes) -> None:
    expect(
        spec,
        len(sizes) == 4 + bool(spec.format.offset),
        f"{len(sizes)} tensors, expected {4 + bool(spec.format.offset)}",
    )
    table, indices, y = sizes[0], sizes[2], sizes[-1]
    width = int(table[1]) * 32 // spec.format.bits
    expect(spec, y == (*indices, width), f"output is {y}, expected {(*indices, width)}")


@evaluate.register
def _low_bit(spec: EmbeddingQw, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    packed, scales, indices, *offsets = inputs
    table = dequantized_panels(spec.format, packed, scales, offsets, spec.rows)
    outputs[0].copy_(table[indices.long()])

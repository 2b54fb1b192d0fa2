"""Ops that gather rows of a table."""

from dataclasses import dataclass, field
from typing import ClassVar

from backends.cpu.schema.declarations import ANY, I32, INDEX, OpSpec, Tensor, bounds, optional
from backends.cpu.schema.records import GROUP_DTYPES, LowBitFormat


@dataclass(frozen=True)
class Embedding(OpSpec):
    """y[..., n] = table[indices[...], n].

    A call fails if an index is not in `0..rows - 1`. The table is dense, or prepacked like
    `gemm_f32` weights (float32, float16 or bfloat16). A linear layer with tied weights can share a
    prepacked table.

    rows: number of rows of the table; 0 for all rows of the tensor.
    """

    rows: int = field(metadata=bounds(0))

    code: ClassVar[int] = 15
    inputs: ClassVar[tuple[Tensor, ...]] = (
        Tensor("table", "[rows, N] | [ceil(rows / 16), N, 16]", ANY),
        Tensor("indices", "[...]", INDEX),
    )
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[..., N]", ANY),)


@dataclass(frozen=True)
class EmbeddingQw(OpSpec):
    """y[..., n] = table[indices[...], n] with a table of 4-bit or 8-bit weights.

    `table`, `scales` and `offsets` have the layout of `gemm_f32_qbw` operands. Their columns are
    the rows of the table. A linear layer with tied weights can share them. A call fails if an index
    is not in `0..rows - 1`.

    rows: number of rows of the table.
    """

    rows: int = field(metadata=bounds(1))
    format: LowBitFormat

    code: ClassVar[int] = 28
    inputs: ClassVar[tuple[Tensor, ...]] = (
        Tensor("table", "[ceil(rows / 16), N * bits / 32, 16]", I32),
        Tensor("scales", "[ceil(rows / 16), groups, 16]", GROUP_DTYPES),
        Tensor("indices", "[...]", INDEX),
        optional("offsets", "[ceil(rows / 16), groups, 16]", GROUP_DTYPES),
    )
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[..., N]"),)

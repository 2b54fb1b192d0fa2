"""Matrix multiplications."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import mul
from typing import Any, ClassVar

from backends.cpu.schema.cost_model import STRASSEN_COLUMNS
from backends.cpu.schema.declarations import F16, I32, INDEX, OpSpec, Tensor, bounds, many, optional
from backends.cpu.schema.kernel_sizes import MATMUL_COLUMNS, MATMUL_DEPTH, QBW_MAX_OUTPUTS
from backends.cpu.schema.records import GROUP_DTYPES, NONE, Activated, Activation, LowBitFormat

MATMUL_WORKSPACE = MATMUL_COLUMNS * MATMUL_DEPTH
"""Number of floats of the second operand of `matmul` that a thread packs at once."""

_RANK_OF_ROWS = 2

_X = Tensor("x", "[..., K]")
_WEIGHTS = "[ceil(N / 16), K, 16]"
_BIAS = Tensor("bias", "[...]")
_RESIDUAL = optional("residual", "[..., N]")
_LOW_BIT_OPERANDS = (
    _X,
    Tensor("weights", "[ceil(N / 16), K * bits / 32, 16]", I32),
    Tensor("scales", "[ceil(N / 16), groups, 16]", GROUP_DTYPES),
    _BIAS,
)


@dataclass(frozen=True)
class GemmF32(Activated):
    """y = activation(x @ weights + bias + residual).

    The columns of `weights` are in panels of 16, padded with zeros. `bias` is padded to the same
    number of columns.
    """

    activation: Activation = NONE

    code: ClassVar[int] = 1
    inputs: ClassVar[tuple[Tensor, ...]] = (_X, Tensor("weights", _WEIGHTS), _BIAS, _RESIDUAL)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[..., N]"),)


@dataclass(frozen=True)
class GemmF32F16w(GemmF32):
    """`gemm_f32` with float16 or bfloat16 weights.

    Results are bit-identical to those with the widened weights.
    """

    code: ClassVar[int] = 33
    inputs: ClassVar[tuple[Tensor, ...]] = (_X, Tensor("weights", _WEIGHTS, F16), _BIAS, _RESIDUAL)


@dataclass(frozen=True)
class StrassenF32(Activated):
    """`gemm_f32` for many rows, with one level of Strassen's algorithm.

    The algorithm computes 7 half-size GEMMs instead of 8. Rows of the upper half of an example are
    paired with rows of the lower half. If x has rank 3 or more, its first dimension is the number
    of examples. K and N are multiples of 32. `weights` contains the second factors of the seven
    GEMMs, which are sums of quarters of the weight matrix. Each factor has N / 2 columns,
    in groups of up to 64. The panels are ordered by group, then by factor. The right half of `bias`
    is stored as its difference from the left half.

    pairs: number of row pairs that a thread computes at once.
    """

    activation: Activation = NONE
    pairs: int = field(default=1, metadata=bounds(1, 1 << 20))

    code: ClassVar[int] = 47
    inputs: ClassVar[tuple[Tensor, ...]] = (_X, Tensor("weights", "[7 * N / 32, K / 2, 16]"), _BIAS, _RESIDUAL)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[..., N]"),)
    workspaces: ClassVar[tuple[Tensor, ...]] = (
        Tensor("sums", "[rows + 1, K]"),
        Tensor("products", "[threads, pairs * 64]"),
    )

    @staticmethod
    def rows(x: Sequence[Any]) -> tuple[Any, ...]:
        """Return the sizes whose product is the number of rows of an example of shape `x`."""
        return tuple(x[1:-1] if len(x) > _RANK_OF_ROWS else x[:-1])

    @staticmethod
    def sums(x: Sequence[Any]) -> tuple[Any, Any]:
        """Return the shape of `sums` for an input of shape `x`."""
        return (reduce(mul, StrassenF32.rows(x), 1) + 1, x[-1])

    def workspace(self) -> int:
        """Return the number of floats that a thread needs in `products`."""
        return self.pairs * STRASSEN_COLUMNS


@dataclass(frozen=True)
class GemmF32Qbw(Activated):
    """y = activation(x @ weights + bias + residual) with 4-bit or 8-bit weights.

    Weights are dequantized, and float32 values are multiplied. A word of `weights` contains 32 /
    bits consecutive weights of a column, the first one in the lowest bits. Columns are in panels of
    16, padded with zeros, as in `gemm_f32`. Groups consist of whole words.

    If `format.offset` is ZERO_POINTS or MINIMA, `others` begins with the zero points or minima, in
    the shape of `scales`. An optional residual [..., N] follows.

    If x has one row, there can be up to 4 outputs, each with its own weights and without a
    residual. `others` then also contains the weights, scales, bias, and zero points or minima of
    each output after the first. All outputs have the same number of groups.
    """

    format: LowBitFormat
    activation: Activation = NONE

    code: ClassVar[int] = 23
    inputs: ClassVar[tuple[Tensor, ...]] = (
        *_LOW_BIT_OPERANDS,
        many("others", (0, 13), "[...]", (*GROUP_DTYPES, *I32)),
    )
    outputs: ClassVar[tuple[Tensor, ...]] = (many("ys", (1, QBW_MAX_OUTPUTS), "[..., N]"),)

    @property
    def without_residual(self) -> int:
        """The number of inputs per output, without a residual."""
        return len(_LOW_BIT_OPERANDS) + bool(self.format.offset)


@dataclass(frozen=True)
class GemmQd8Qbw(Activated):
    """y = activation(x @ weights + bias) in int8, with 4-bit or 8-bit weights.

    Activations are dynamically quantized. Each row of x is quantized to int8 over the range of its
    elements, extended to include 0. Sums over a group are exact integers. Operands are those of
    `gemm_f32_qbw`, without minima. Groups have at most `QD8_MAX_GROUP` weights.

    If `format.offset` is ZERO_POINTS, `others` begins with zero points, in the shape of `scales`.
    The next input contains sums:
    - 8-bit weights: the sum of the quantized values of each group, int32 in the shape of `scales`;
    - 4-bit weights, optional: the sum of the weights of each column, float32 in the shape of
      `bias`.
    """

    format: LowBitFormat
    activation: Activation = NONE

    code: ClassVar[int] = 19
    inputs: ClassVar[tuple[Tensor, ...]] = (
        *_LOW_BIT_OPERANDS,
        many("others", (0, 2), "[...]", (*GROUP_DTYPES, *I32)),
    )
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[..., N]"),)


@dataclass(frozen=True)
class GroupedGemmF32(OpSpec):
    """y = x @ weights[g] + bias for each group g of consecutive rows of x.

    Mixtures of experts use such groups. Group g consists of the rows `ends[g - 1]..ends[g] - 1`.
    The first group starts at row 0. Rows outside all groups are zero in y. A call fails if ends
    decrease or exceed S. Each `weights[g]` is packed like the weights of `gemm_f32`.
    """

    code: ClassVar[int] = 48
    inputs: ClassVar[tuple[Tensor, ...]] = (
        Tensor("x", "[S, K]"),
        Tensor("weights", "[G, ceil(N / 16), K, 16]"),
        _BIAS,
        Tensor("ends", "[G]", INDEX),
    )
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[S, N]"),)


@dataclass(frozen=True)
class GroupedGemmF32F16w(GroupedGemmF32):
    """`grouped_gemm_f32` with float16 or bfloat16 weights.

    Results are bit-identical to those with the widened weights.
    """

    code: ClassVar[int] = 49
    inputs: ClassVar[tuple[Tensor, ...]] = tuple(
        replace(each, dtypes=F16) if each.name == "weights" else each for each in GroupedGemmF32.inputs
    )


@dataclass(frozen=True)
class Matmul(OpSpec):
    """y = a @ b for batches of matrices.

    Neither operand is prepacked. Batch dims of a and b may be 1. The workspace has at least
    `MATMUL_WORKSPACE` floats per thread.

    transposed: b is [..., N, K].
    """

    transposed: bool

    code: ClassVar[int] = 13
    inputs: ClassVar[tuple[Tensor, ...]] = (
        Tensor("a", "[..., M, K]"),
        Tensor("b", "[..., K, N] | [..., N, K]"),
    )
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[..., M, N]"),)
    workspaces: ClassVar[tuple[Tensor, ...]] = (Tensor("workspace", "[threads, floats]"),)

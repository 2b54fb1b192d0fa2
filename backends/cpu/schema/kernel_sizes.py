"""Block sizes and limits of microkernels that determine layouts or limits of ops.

Declarations of ops and the compiler import this module. `codegen/c_headers.py` writes the constants
to `kernel_sizes.h` as `ET_CPU_<name>` for ops, microkernels and the XNNPACK importer. Unlike the
constants of `cost_model.py`, they do not choose between equivalent ops.
"""

import sys
from typing import Annotated, get_type_hints

MAX_RANK: Annotated[int, "Maximum rank of a tensor."] = 8
MAX_KERNEL: Annotated[
    int, "Maximum size of a kernel along an axis. Its sums and products with MAX_WINDOW fit in int64."
] = 1 << 15
MAX_WINDOW: Annotated[int, "Maximum stride, padding and dilation of a window."] = 1 << 20
ALIGNMENT: Annotated[
    int,
    "Alignment in bytes of named data and of tensors in scratch memory: the size of a cache line and of the widest vector.",
] = 64
PANEL: Annotated[int, "Number of columns (output channels) of a panel of prepacked weights."] = 16

ELEMENTWISE_MAX_OPERANDS: Annotated[int, "Maximum number of operands of an elementwise op."] = 8
ELEMENTWISE_MAX_REGISTERS: Annotated[
    int, "Maximum total number of operands and instructions of an elementwise program."
] = 32

DWCONV_F32_MAX_ROWS: Annotated[
    int, "Maximum kernel height of dwconv_f32. Pointers to the rows of a window are on the stack."
] = 256
MBCONV_MAX_ROWS: Annotated[
    int, "Maximum height of a depthwise kernel of mbconv_f32. Pointers to its rows are on the stack."
] = 32
CONV_QS8_MAX_TAPS: Annotated[int, "Maximum number of taps of a conv_qs8 kernel. Their addresses are on the stack."] = 64
CONV_QS8_MAX_QUADS: Annotated[int, "Maximum number of weight quads (groups of 4) per output channel of conv_qs8."] = (
    4096
)
CONV_QS8_MAX_CHANNELS: Annotated[int, "Maximum number of input channels per group of conv_qs8."] = 4096
DWCONV_QS8_MAX_TAPS: Annotated[
    int, "Maximum number of taps of a dwconv_qs8 kernel. Their addresses are on the stack."
] = 64

WINOGRAD_QS8_SIDE: Annotated[int, "Height and width of an output tile of winograd_qs8."] = 4
WINOGRAD_QS8_CHANNEL_STEP: Annotated[int, "Divisor of the number of input channels of winograd_qs8."] = 32
WINOGRAD_QS8_MAX_CHANNELS: Annotated[
    int, "Maximum number of input channels of winograd_qs8. GEMM results of transformed values then fit in int32."
] = 224

QBW_MAX_OUTPUTS: Annotated[int, "Maximum number of outputs of gemm_f32_qbw. Each output is a GEMM of one row."] = 4
QD8_MAX_GROUP: Annotated[int, "Maximum group size of gemm_qd8_qbw. Integer sums are then exact."] = 512
STRASSEN_PRODUCTS: Annotated[int, "Number of matrix multiplications of one level of Strassen's algorithm."] = 7
MATMUL_COLUMNS: Annotated[int, "Number of columns of a packed block of the second operand of matmul."] = 64
MATMUL_DEPTH: Annotated[int, "Number of rows of a packed block of the second operand of matmul."] = 256

SDPA_KEYS: Annotated[int, "Maximum number of keys per block of sdpa_f32."] = 512
SDPA_SCORES: Annotated[
    int,
    "Maximum number of scores per block of queries. They take 24 KB, which leaves 8 KB of a 32 KB L1 cache for keys.",
] = 6144

TOPK_MAX_K: Annotated[int, "Maximum k of topk."] = 64


def kernel_sizes() -> dict[str, tuple[int, str]]:
    """Return the values and descriptions of all constants by name."""
    module = sys.modules[__name__]
    hints = get_type_hints(module, include_extras=True)
    return {name: (getattr(module, name), hint.__metadata__[0]) for name, hint in hints.items()}

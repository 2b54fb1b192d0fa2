"""Block sizes and limits of microkernels that the layout or the validity of an op depends on.

Declarations of ops and the compiler import this module. `codegen/c_headers.py` writes the constants to
`kernel_sizes.h` as `ET_CPU_<name>` for ops, microkernels and the XNNPACK importer. Unlike the constants of
`cost_model.py`, none of these is a choice between equivalent ops.
"""

import sys
from typing import Annotated, get_type_hints

MAX_RANK: Annotated[int, "Maximum rank of a tensor."] = 8
MAX_WINDOW: Annotated[int, "Maximum stride, padding and dilation of a window."] = 1 << 20
PANEL: Annotated[int, "Columns (output channels) of a panel of prepacked weights."] = 16

ELEMENTWISE_MAX_OPERANDS: Annotated[int, "Maximum number of operands of an elementwise op."] = 8
ELEMENTWISE_MAX_REGISTERS: Annotated[
    int, "Maximum number of operands and instructions of an elementwise program, in total."
] = 32

DWCONV_F32_MAX_ROWS: Annotated[
    int, "Maximum kernel height of dwconv_f32, which has pointers to the rows of a window on the stack."
] = 256
MBCONV_MAX_ROWS: Annotated[
    int, "Maximum height of a depthwise kernel of mbconv_f32, which has pointers to its rows on the stack."
] = 32
CONV_QS8_MAX_TAPS: Annotated[int, "Maximum taps of a kernel of conv_qs8, whose addresses are on the stack."] = 64
CONV_QS8_MAX_QUADS: Annotated[int, "Maximum quads of 4 weights per output channel of conv_qs8."] = 4096
CONV_QS8_MAX_CHANNELS: Annotated[int, "Maximum input channels of a group of conv_qs8."] = 4096
DWCONV_QS8_MAX_TAPS: Annotated[int, "Maximum taps of a kernel of dwconv_qs8, whose addresses are on the stack."] = 64

WINOGRAD_QS8_SIDE: Annotated[int, "Height and width of an output tile of winograd_qs8."] = 4
WINOGRAD_QS8_CHANNEL_STEP: Annotated[int, "Input channels of winograd_qs8 are a multiple of this."] = 32
WINOGRAD_QS8_MAX_CHANNELS: Annotated[
    int, "Maximum input channels of winograd_qs8, for which products of transformed values fit int32."
] = 224

QBW_MAX_OUTPUTS: Annotated[int, "Maximum number of outputs of gemm_f32_qbw, which are GEMMs of one row."] = 4
QD8_MAX_GROUP: Annotated[int, "Maximum group size of gemm_qd8_qbw, for which integer sums are exact."] = 512
STRASSEN_PRODUCTS: Annotated[int, "Matrix multiplications of one level of Strassen's algorithm."] = 7
MATMUL_COLUMNS: Annotated[int, "Columns of the block of the second matrix that matmul packs at once."] = 64
MATMUL_DEPTH: Annotated[int, "Rows of the block of the second matrix that matmul packs at once."] = 256

SDPA_KEYS: Annotated[int, "Keys of a block of sdpa_f32."] = 512
SDPA_SCORES: Annotated[
    int, "Scores of a block of queries. 24 KB stay in a 32 KB level-1 cache beside the keys that are read."
] = 6144

TOPK_MAX_K: Annotated[int, "Maximum k of topk."] = 64


def kernel_sizes() -> dict[str, tuple[int, str]]:
    """Return values and descriptions of all constants by name."""
    module = sys.modules[__name__]
    hints = get_type_hints(module, include_extras=True)
    return {name: (getattr(module, name), hint.__metadata__[0]) for name, hint in hints.items()}

"""Every op by its code, and the registration of its reference semantics."""

from backends.cpu.compiler.ops import (  # noqa: F401
    attention,
    cast,
    convolution,
    copies,
    elementwise,
    embedding,
    gemm,
    indexing,
    normalization,
    pooling,
    quantization,
    reduction,
    resampling,
)
from backends.cpu.schema.attention import KvUpdate, SdpaF32
from backends.cpu.schema.convolution import (
    Col2im,
    ConvF32,
    ConvF32F16w,
    ConvQs8,
    DwconvF32,
    DwconvQs8,
    MbconvF32,
    WinogradF32,
    WinogradQs8,
)
from backends.cpu.schema.copies import Copy, Permute
from backends.cpu.schema.declarations import OpSpec
from backends.cpu.schema.elementwise import ElementwiseF32, ElementwiseI64
from backends.cpu.schema.embedding import Embedding, EmbeddingQw
from backends.cpu.schema.gemm import (
    GemmF32,
    GemmF32F16w,
    GemmF32Qbw,
    GemmQd8Qbw,
    GroupedGemmF32,
    GroupedGemmF32F16w,
    Matmul,
    StrassenF32,
)
from backends.cpu.schema.indexing import Arange, Cumsum, MaskedScatter, Topk
from backends.cpu.schema.normalization import Norm, Softmax
from backends.cpu.schema.pooling import AdaptivePool, PoolF32, PoolQs8
from backends.cpu.schema.quantization import BinaryQs8, Cast, Dequantize, LutQs8, Quantize
from backends.cpu.schema.reduction import Reduce
from backends.cpu.schema.resampling import GridSample, Resize

OPS: dict[int, type[OpSpec]] = {
    kind.code: kind
    for kind in (
        *(
            GemmF32,
            ConvF32,
            DwconvF32,
            WinogradF32,
            MbconvF32,
            PoolF32,
            Permute,
            ElementwiseF32,
            Softmax,
            Norm,
            SdpaF32,
        ),
        *(
            Embedding,
            Copy,
            ElementwiseI64,
            KvUpdate,
            MaskedScatter,
            Reduce,
            Matmul,
            Resize,
            Arange,
            Cumsum,
            Topk,
            AdaptivePool,
            GridSample,
            Col2im,
        ),
        *(GemmF32Qbw, GemmQd8Qbw, EmbeddingQw, Cast, GemmF32F16w, ConvF32F16w, GroupedGemmF32, GroupedGemmF32F16w),
        *(Quantize, Dequantize, ConvQs8, DwconvQs8, BinaryQs8, LutQs8, PoolQs8, WinogradQs8, StrassenF32),
    )
}


def symbol_of(code: int) -> str:
    """The part of the runtime side that runs ops of this kind."""
    return f"et_cpu_op_{OPS[code].op_name()}"

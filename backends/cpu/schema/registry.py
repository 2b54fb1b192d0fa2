"""All declared ops."""

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
from backends.cpu.schema.xnnpack import AddQs8, ArgmaxPool, RoundRows, TransposedConvolution

OPS: tuple[type[OpSpec], ...] = (
    GemmF32,
    GemmF32F16w,
    Permute,
    Copy,
    ElementwiseF32,
    ElementwiseI64,
    Reduce,
    Softmax,
    SdpaF32,
    KvUpdate,
    GemmF32Qbw,
    GemmQd8Qbw,
    Matmul,
    GroupedGemmF32,
    GroupedGemmF32F16w,
    Embedding,
    EmbeddingQw,
    Norm,
    Arange,
    Cumsum,
    Topk,
    Resize,
    GridSample,
    Quantize,
    Dequantize,
    BinaryQs8,
    LutQs8,
    Cast,
    StrassenF32,
    MaskedScatter,
    PoolF32,
    PoolQs8,
    AdaptivePool,
    ConvF32,
    ConvF32F16w,
    DwconvF32,
    WinogradF32,
    ConvQs8,
    DwconvQs8,
    WinogradQs8,
    MbconvF32,
    Col2im,
)
"""All ops of payloads."""

ALL_OPS: tuple[type[OpSpec], ...] = (*OPS, RoundRows, AddQs8, ArgmaxPool, TransposedConvolution)
"""All ops, including those that only the XNNPACK backend builds."""

BY_CODE = {op.code: op for op in OPS}
BY_NAME = {op.op_name(): op for op in ALL_OPS}

"""Every kind of step, by its code."""

from backends.cpu.compiler.kinds.adaptive_pool import AdaptivePool
from backends.cpu.compiler.kinds.attention import Attention
from backends.cpu.compiler.kinds.block import Block
from backends.cpu.compiler.kinds.bytes import Dequantize, MapI8, Quantize, TableI8
from backends.cpu.compiler.kinds.convert import Convert
from backends.cpu.compiler.kinds.convolution import Convolution, ConvolutionH
from backends.cpu.compiler.kinds.convolution_i8 import ConvolutionI8, DepthwiseI8
from backends.cpu.compiler.kinds.copy import Copy
from backends.cpu.compiler.kinds.cumsum import Cumsum
from backends.cpu.compiler.kinds.depthwise import Depthwise
from backends.cpu.compiler.kinds.embedding import Embedding
from backends.cpu.compiler.kinds.embedding_q import EmbeddingQ
from backends.cpu.compiler.kinds.fold import Fold
from backends.cpu.compiler.kinds.grid_sample import GridSample
from backends.cpu.compiler.kinds.grouped_gemm import GroupedGemm, GroupedGemmH
from backends.cpu.compiler.kinds.map import Map, MapI64
from backends.cpu.compiler.kinds.masked_scatter import MaskedScatter
from backends.cpu.compiler.kinds.matmul import Matmul
from backends.cpu.compiler.kinds.norm import Norm
from backends.cpu.compiler.kinds.operation import Operation
from backends.cpu.compiler.kinds.permute import Permute
from backends.cpu.compiler.kinds.pool import Pool
from backends.cpu.compiler.kinds.pool_i8 import PoolI8
from backends.cpu.compiler.kinds.product import Product, ProductH
from backends.cpu.compiler.kinds.product_i8 import ProductI8
from backends.cpu.compiler.kinds.product_q import ProductQ
from backends.cpu.compiler.kinds.range import Range
from backends.cpu.compiler.kinds.reduce import Reduce
from backends.cpu.compiler.kinds.resize import Resize
from backends.cpu.compiler.kinds.softmax import Softmax
from backends.cpu.compiler.kinds.strassen import Strassen
from backends.cpu.compiler.kinds.topk import Topk
from backends.cpu.compiler.kinds.update import Update
from backends.cpu.compiler.kinds.winograd import Winograd
from backends.cpu.compiler.kinds.winograd_i8 import WinogradI8

KINDS: dict[int, type[Operation]] = {
    kind.code: kind
    for kind in (
        *(Product, Convolution, Depthwise, Winograd, Block, Pool, Permute, Map, Softmax, Norm, Attention),
        *(
            Embedding,
            Copy,
            MapI64,
            Update,
            MaskedScatter,
            Reduce,
            Matmul,
            Resize,
            Range,
            Cumsum,
            Topk,
            AdaptivePool,
            GridSample,
            Fold,
        ),
        *(ProductQ, ProductI8, EmbeddingQ, Convert, ProductH, ConvolutionH, GroupedGemm, GroupedGemmH),
        *(Quantize, Dequantize, ConvolutionI8, DepthwiseI8, MapI8, TableI8, PoolI8, WinogradI8, Strassen),
    )
}


def symbol_of(code: int) -> str:
    """The part of the runtime side that runs steps of this kind."""
    return f"et_cpu_step_{KINDS[code].kind()}"

"""Imports the modules that register the reference semantics of all ops."""

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

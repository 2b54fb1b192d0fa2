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
from backends.cpu.schema.registry import BY_CODE


def symbol_of(code: int) -> str:
    """Return the `et_backend_part` that runs ops with this code."""
    return f"et_cpu_op_{BY_CODE[code].op_name()}"

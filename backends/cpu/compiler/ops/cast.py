"""Reference semantics of `cast`."""

from collections.abc import Sequence

import torch
from torch import Tensor

from backends.cpu.compiler.dims import product
from backends.cpu.compiler.ops.reference import Sizes, check_shapes, evaluate, expect
from backends.cpu.schema.quantization import Cast

HALVES = (torch.float16, torch.bfloat16)
"""The 16-bit floating-point dtypes. Ops compute with float32 in their place."""


@check_shapes.register
def _check_cast(spec: Cast, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 2, f"unexpected number of tensors: {len(sizes)}")
    x, y = sizes
    expect(spec, product(x) == product(y), f"{x} and {y} have different numbers of elements")


@evaluate.register
def _cast(spec: Cast, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    outputs[0].copy_(inputs[0].reshape(outputs[0].shape))

"""Reference semantics of matrix multiplications with float weights."""

from collections.abc import Sequence

import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.ops.activation import activate
from backends.cpu.compiler.ops.reference import Sizes, check_shapes, evaluate, expect
from backends.cpu.compiler.packing import STRASSEN_PRODUCTS, unpanelled, unstrassen
from backends.cpu.schema.gemm import STRASSEN_MULTIPLE, GemmF32, StrassenF32


@check_shapes.register
def _check_gemm(spec: GemmF32, sizes: Sizes) -> None:
    expect(spec, len(sizes) in (4, 5), f"{len(sizes)} tensors")
    x, y = sizes[0], sizes[-1]
    expect(spec, x[:-1] == y[:-1], f"rows of {x} and {y} differ")
    expect(spec, len(sizes) == 4 or sizes[3] == y, "the residual and the output have different sizes")


@evaluate.register
def _gemm(spec: GemmF32, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, packed, bias, *residual = inputs
    n = outputs[0].shape[-1]
    y = F.linear(x, unpanelled(packed.float(), n), bias.flatten()[:n])
    outputs[0].copy_(activate(spec.activation, y + residual[0] if residual else y))


@check_shapes.register
def _check_strassen(spec: StrassenF32, sizes: Sizes) -> None:
    expect(spec, len(sizes) in (6, 7), f"{len(sizes)} tensors")
    x, packed, bias, *residual, y, sums, products = sizes
    k, n = x[-1], y[-1]
    expect(spec, x[:-1] == y[:-1], f"rows of {x} and {y} differ")
    expect(spec, residual in ([], [y]), "the residual and the output have different sizes")
    expect(spec, k % STRASSEN_MULTIPLE == n % STRASSEN_MULTIPLE == 0, f"{k} x {n} weights cannot be quartered")
    expect(spec, packed == (STRASSEN_PRODUCTS * n // STRASSEN_MULTIPLE, k // 2, 16), f"weights {packed}")
    expect(spec, bias == (n,), f"bias {bias}")
    expect(spec, sums == spec.sums(x) and products[1:] == (spec.workspace(),), f"workspaces {sums} and {products}")


@evaluate.register
def _strassen(spec: StrassenF32, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, packed, bias, *residual = inputs
    y = F.linear(x, *unstrassen(packed, bias))
    outputs[0].copy_(activate(spec.activation, y + residual[0] if residual else y))

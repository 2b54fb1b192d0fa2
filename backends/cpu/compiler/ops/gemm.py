"""Reference semantics of matrix multiplications."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.dims import product
from backends.cpu.compiler.ops.activation import activate
from backends.cpu.compiler.ops.reference import Sizes, check_shapes, evaluate, expect
from backends.cpu.compiler.packing import dequantized_panels, unpanelled, unstrassen
from backends.cpu.schema.cost_model import STRASSEN_MULTIPLE
from backends.cpu.schema.gemm import GemmF32, GemmF32Qbw, GemmQd8Qbw, GroupedGemmF32, Matmul, StrassenF32
from backends.cpu.schema.kernel_sizes import QBW_MAX_OUTPUTS, STRASSEN_PRODUCTS
from exir.dialects.quantized_weight_ops import quantized_rows


@check_shapes.register
def _check_gemm(spec: GemmF32, sizes: Sizes) -> None:
    expect(spec, len(sizes) in (4, 5), f"{len(sizes)} tensors, expected 4 or 5")
    x, y = sizes[0], sizes[-1]
    expect(spec, x[:-1] == y[:-1], f"{x} and {y} have different leading dims")
    expect(spec, len(sizes) == 4 or sizes[3] == y, "the residual and the output have different sizes")


@evaluate.register
def _gemm(spec: GemmF32, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, packed, bias, *residual = inputs
    n = outputs[0].shape[-1]
    y = F.linear(x, unpanelled(packed.float(), n), bias.flatten()[:n])
    outputs[0].copy_(activate(spec.activation, y + residual[0] if residual else y))


@check_shapes.register
def _check_strassen(spec: StrassenF32, sizes: Sizes) -> None:
    expect(spec, len(sizes) in (6, 7), f"{len(sizes)} tensors, expected 6 or 7")
    x, packed, bias, *residual, y, sums, products = sizes
    k, n = x[-1], y[-1]
    expect(spec, x[:-1] == y[:-1], f"{x} and {y} have different leading dims")
    expect(spec, residual in ([], [y]), "the residual and the output have different sizes")
    expect(
        spec,
        k % STRASSEN_MULTIPLE == n % STRASSEN_MULTIPLE == 0,
        f"weights are {k} x {n}, expected multiples of {STRASSEN_MULTIPLE}",
    )
    expected = (STRASSEN_PRODUCTS * n // STRASSEN_MULTIPLE, k // 2, 16)
    expect(
        spec,
        packed == expected,
        f"shape of weights is {packed}, expected {expected}",
    )
    expect(spec, bias == (n,), f"shape of bias is {bias}, expected {(n,)}")
    expect(
        spec,
        sums == spec.sums(x) and products[1:] == (spec.workspace(),),
        f"workspaces are {sums} and {products}, expected {spec.sums(x)} and (threads, {spec.workspace()})",
    )


@evaluate.register
def _strassen(spec: StrassenF32, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, packed, bias, *residual = inputs
    y = F.linear(x, *unstrassen(packed, bias))
    outputs[0].copy_(activate(spec.activation, y + residual[0] if residual else y))


@check_shapes.register
def _check_low_bit(spec: GemmF32Qbw, sizes: Sizes) -> None:
    operands = spec.without_residual - 1
    count, residuals = divmod(len(sizes) - 1, operands + 1)
    fits = 1 <= count <= QBW_MAX_OUTPUTS and residuals <= (count == 1)
    expect(
        spec,
        fits,
        f"{len(sizes)} tensors, expected x, {operands} and an output for each GEMM, and a residual of one GEMM",
    )
    x = sizes[0]
    for y in sizes[len(sizes) - count :]:
        expect(spec, x[:-1] == y[:-1], f"{x} and {y} have different leading dims")
    expect(spec, count == 1 or product(x[:-1]) == 1, f"several outputs require one row, got {x}")
    expect(spec, not residuals or sizes[operands + 1] == sizes[-1], "the residual and the output have different sizes")


@evaluate.register
def _low_bit(spec: GemmF32Qbw, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, *others = inputs
    count = spec.without_residual - 1
    residual = others[count] if len(others) > len(outputs) * count else 0
    for index, output in enumerate(outputs):
        packed, scales, bias, *offsets = others[index * count :][:count]
        weight = dequantized_panels(spec.format, packed, scales, offsets, output.shape[-1])
        y = F.linear(x, weight, bias.flatten()[: output.shape[-1]])
        output.copy_(activate(spec.activation, y + residual))


@check_shapes.register
def _check_dynamic(spec: GemmQd8Qbw, sizes: Sizes) -> None:
    inputs = 5 + bool(spec.format.offset)
    expect(spec, len(sizes) == inputs + 1, f"{len(sizes)} tensors, expected {inputs} inputs and an output")
    x, y = sizes[0], sizes[-1]
    expect(spec, x[:-1] == y[:-1], f"{x} and {y} have different leading dims")


@evaluate.register
def _dynamic(spec: GemmQd8Qbw, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, packed, scales, bias, *others = inputs
    n = outputs[0].shape[-1]
    offsets = others[:1] if spec.format.offset else []
    weight = dequantized_panels(spec.format, packed, scales, offsets, n)
    outputs[0].copy_(activate(spec.activation, F.linear(quantized_rows(x), weight, bias.flatten()[:n])))


@check_shapes.register
def _check_grouped(spec: GroupedGemmF32, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 5, f"{len(sizes)} tensors, expected 5")
    x, packed, _, ends, y = sizes
    expect(
        spec,
        len(x) == 2 and len(y) == 2 and x[0] == y[0],
        f"{x} and {y} are not matrices with the same number of rows",
    )
    expect(
        spec,
        len(packed) == 4 and ends == packed[:1],
        f"weights {packed} and ends {ends} have different numbers of matrices",
    )
    expect(spec, packed[2] == x[1], f"depth of weights is {packed[2]}, expected {x[1]}")


@evaluate.register
def _grouped(spec: GroupedGemmF32, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, packed, bias, ends = inputs
    (y,) = outputs
    y.zero_()
    start = 0
    for weight, end in zip(unpanelled(packed.float(), y.shape[1]), ends.tolist(), strict=True):
        y[start:end] = x[start:end] @ weight.t() + bias.flatten()[: y.shape[1]]
        start = end


@check_shapes.register
def _check_matmul(spec: Matmul, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 4, f"{len(sizes)} tensors, expected 4")
    a, b, y, _ = sizes
    depth, columns = b[-2:][::-1] if spec.transposed else b[-2:]
    expect(spec, len(a) == len(b) == len(y), f"ranks of {a}, {b} and {y} differ")
    expect(
        spec, a[-1] == depth and y[-2:] == (a[-2], columns), f"the product of {a} and {b} does not have the sizes {y}"
    )


@evaluate.register
def _matmul(spec: Matmul, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    a, b = inputs
    outputs[0].copy_(torch.matmul(a, b.transpose(-1, -2) if spec.transposed else b))

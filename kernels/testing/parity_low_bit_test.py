"""Test kernels of low-bit weights and of quantization parameters against PyTorch."""

from __future__ import annotations

import pytest
import torch
import torch.ao.quantization.fx._decomposed

import exir.dialects.out_variant  # noqa: F401  (registers the operators)
from exir.weights.quantized_weights import packed
from kernels.testing.native import DTYPE_CODES, KernelError
from kernels.testing.parity import check, load_kernels, random_tensor

KERNELS = load_kernels()
DECOMPOSED, OURS = "quantized_decomposed::", "quantized_weight::"
OPS = torch.ops.quantized_decomposed
INT8 = DTYPE_CODES[torch.int8]
NAN, INF = float("nan"), float("inf")
CODES = {2: (-2, 1), 4: (-8, 7), 8: (-128, 127)}


def chosen(x: torch.Tensor, low: int, high: int, name: str = "choose_qparams.Tensor_out") -> tuple[float, int]:
    scale, point = torch.empty(1, dtype=torch.float64), torch.empty(1, dtype=torch.int64)
    KERNELS.call(DECOMPOSED + name, x, low, high, 1e-5, INT8, scale, point, [scale, point])
    return float(scale), int(point)


@pytest.mark.parametrize("shift", [-9.0, -0.5, 0.0, 0.5, 9.0])
@pytest.mark.parametrize(("low", "high"), [(-128, 127), (-127, 127), (-8, 7)])
@pytest.mark.parametrize("scheme", ["", "_symmetric"])
def test_chosen_quantization_parameters_match_pytorch(shift: float, low: int, high: int, scheme: str) -> None:
    x = random_tensor((3, 50)) * 2 + shift
    scale, point = getattr(OPS, f"choose_qparams{scheme}").tensor(x, low, high, 1e-5, torch.int8)
    found_scale, found_point = chosen(x, low, high, f"choose_qparams{scheme}.Tensor_out")
    assert found_scale == pytest.approx(float(scale), rel=1e-6)
    assert found_point == int(point)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.0], (0.1, 127)),
        ([], (0.1, 127)),
        ([NAN, 0.0], (0.1, 127)),
        ([0.0, 2e-38], (0.1, 127)),  # the reciprocal of the scale is infinite
        ([0.0, 255e-6], (6.1e-5, -128)),  # the smallest scale of ExecuTorch's kernel
        ([-255e-6, 0.0], (6.1e-5, 127)),
        ([INF, -5.0], (INF, -128)),
    ],
)
def test_empty_range_has_finite_quantization_parameters(values: list[float], expected: tuple[float, int]) -> None:
    scale, point = chosen(torch.tensor(values), -128, 127)
    assert (scale, point) == (pytest.approx(expected[0]), expected[1])


@pytest.mark.parametrize(("values", "expected"), [([-3209.5, 955.5], 69), ([-575.75, 673.75], -10)])
def test_zero_point_between_two_integers_is_that_of_executorch(values: list[float], expected: int) -> None:
    # The exact zero points are 68.5 and -10.5. Eager PyTorch rounds the first one to 68.
    assert chosen(torch.tensor(values), -128, 127)[1] == expected


def test_each_row_has_quantization_parameters() -> None:
    x = random_tensor((2, 3, 40)) + torch.tensor([-3.0, 0.0, 3.0])[:, None]
    scales, points = OPS.choose_qparams_per_token_asymmetric(x, torch.int8)
    found = torch.empty_like(scales), torch.empty_like(points)
    KERNELS.call(f"{DECOMPOSED}choose_qparams_per_token_asymmetric.out", x, INT8, *found, list(found))
    torch.testing.assert_close(found[0], scales, rtol=1e-6, atol=0.0)
    assert torch.equal(found[1], points)


@pytest.mark.parametrize("dims", [(7,), (2, 7), (2, 3, 7)])
def test_per_token_quantization_round_trips(dims: tuple[int, ...]) -> None:
    x = random_tensor(dims) * 3
    scales, points = OPS.choose_qparams_per_token_asymmetric(x, torch.int8)
    limits = -128, 127, INT8
    codes = OPS.quantize_per_token(x, scales, points, -128, 127, torch.int8)
    reference = lambda *_: codes
    check(
        KERNELS,
        f"{DECOMPOSED}quantize_per_token.out",
        x,
        scales,
        points,
        *limits,
        out=torch.int8,
        reference=reference,
    )
    back = lambda *_: OPS.dequantize_per_token(codes, scales, points, -128, 127, torch.int8, torch.float32)
    arguments = codes, scales, points, *limits, DTYPE_CODES[torch.float32]
    check(KERNELS, f"{DECOMPOSED}dequantize_per_token.out", *arguments, out=torch.float32, reference=back)


@pytest.mark.parametrize("hostile", [0.0, NAN, INF, -INF, 1e-45])
def test_quantized_values_stay_in_range_for_any_parameters(hostile: float) -> None:
    x = torch.tensor([[1.0, -INF, NAN, 3e38]])
    scales = torch.tensor([[hostile]], dtype=torch.float64)
    for point in (0, 2**63 - 1, -(2**63)):
        points, codes = torch.tensor([[point]]), torch.full((1, 4), 99, dtype=torch.int8)
        KERNELS.call(f"{DECOMPOSED}quantize_per_token.out", x, scales, points, -7, 7, INT8, codes, codes)
        assert codes.abs().max() <= 7


def weight(bits: int, rows: int, columns: int, groups: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    low, high = CODES[bits]
    generator = torch.Generator().manual_seed(bits)
    codes = torch.randint(low, high + 1, (rows, columns), generator=generator).to(torch.int8)
    points = torch.randint(low, high + 1, (rows, groups), generator=generator)
    return packed(codes, bits), random_tensor((rows, groups)).abs() / 8, points.float()


SHAPES = [(1, 8, 1), (5, 64, 2), (3, 96, 3), (4, 200, 5), (2, 72, 1)]


@pytest.mark.parametrize(("rows", "columns", "groups"), SHAPES)
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_low_bit_linear_layers_follow_their_definition(bits: int, rows: int, columns: int, groups: int) -> None:
    codes, scales, points = weight(bits, rows, columns, groups)
    for count, bias in [((1,), None), ((2, 9), random_tensor((rows,)))]:
        x = random_tensor((*count, columns))
        for zero_points in (points, None):
            for name, *rest in (("linear",), ("dynamic_linear",), ("dynamic_linear_per_tensor", 1e-5)):
                arguments = x, codes, scales, zero_points, bias, bits, *rest
                operator = getattr(torch.ops.quantized_weight, name)
                check(KERNELS, f"{OURS}{name}.out", *arguments, reference=operator, tolerance=(1e-4, 1e-4))


@pytest.mark.parametrize("columns", [64, 65, 200])
def test_gemms_with_int8_weights_follow_their_definition(columns: int) -> None:
    """The kernel accumulates 64 columns at a time."""
    codes, scales, points = weight(8, 24, columns, 1)
    arguments = random_tensor((3, 24)), codes, scales[:, 0].clone(), points[:, 0].clone()
    reference = OPS.mixed_mm.default
    check(KERNELS, f"{DECOMPOSED}mixed_mm.out", *arguments, reference=reference, tolerance=(1e-4, 1e-4))
    for x in (arguments[0][0], arguments[0][None]):
        with pytest.raises(KernelError, match="mixed_mm: input has . dimensions"):
            KERNELS.call(f"{DECOMPOSED}mixed_mm.out", x, *arguments[1:], x.clone(), x.clone())


def test_minimum_scale_is_the_step_of_an_empty_range() -> None:
    codes, scales = torch.tensor([[1]], dtype=torch.int8), torch.ones(1, 1)
    x, out = torch.tensor([[0.3], [0.2]]), torch.empty(2, 1)
    KERNELS.call(f"{OURS}dynamic_linear_per_tensor.out", x, codes, scales, None, None, 8, 0.25, out, out)
    assert out.tolist() == [[0.25], [0.25]]


@pytest.mark.parametrize(("rows", "columns", "groups"), SHAPES)
@pytest.mark.parametrize(("bits", "name"), [(2, "2bit"), (4, "4bit"), (8, "byte")])
def test_low_bit_embeddings_follow_their_definition(bits: int, name: str, rows: int, columns: int, groups: int) -> None:
    codes, scales, points = weight(bits, rows, columns, groups)
    indices = torch.arange(2 * rows).reshape(2, rows) % rows
    for zero_points in (points, None):
        arguments = codes, scales, zero_points, *CODES[bits], indices
        reference = getattr(OPS, f"embedding_{name}").default
        check(KERNELS, f"{DECOMPOSED}embedding_{name}.out", *arguments, out=torch.float32, reference=reference)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize(("rows", "columns", "groups"), SHAPES)
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_low_bit_weights_may_have_zero_points(
    bits: int, rows: int, columns: int, groups: int, dtype: torch.dtype
) -> None:
    codes, scales, _ = weight(bits, rows, columns, groups)
    scales, minima = scales.to(dtype), random_tensor((rows, groups)).to(dtype)
    operators = torch.ops.quantized_weight
    for count, bias in [((1,), None), ((2, 9), random_tensor((rows,)))]:
        arguments = random_tensor((*count, columns)), codes, scales, minima, bias, bits
        name = "linear_with_minimum"
        check(KERNELS, f"{OURS}{name}.out", *arguments, reference=getattr(operators, name), tolerance=(1e-4, 1e-4))
    indices = torch.arange(2 * rows).reshape(2, rows) % rows
    for own in (minima, None):
        table = codes, scales, own, indices, bits
        check(KERNELS, f"{OURS}embedding.out", *table, out=torch.float32, reference=operators.embedding)


def test_minimum_is_the_value_of_the_lowest_quantized_value() -> None:
    codes = packed(torch.tensor([[-8, -7, 7, 0]], dtype=torch.int8), 4)
    scales, minima = torch.tensor([[0.5, 2.0]]).half(), torch.tensor([[-1.25, 100.0]]).half()
    rows = torch.ops.quantized_weight.embedding(codes, scales, minima, torch.tensor([0]), 4)
    assert rows.tolist() == [[-1.25, -0.75, 130.0, 116.0]]


def test_low_bit_kernels_reject_mismatched_arguments() -> None:
    codes, scales, points = weight(4, 4, 64, 2)
    x, out = random_tensor((2, 64)), torch.empty(2, 4)
    calls = [
        ((x[:, :32].clone(), codes, scales, points, None, 4), "input has 32 features, weight needs 64"),
        ((x, codes, scales, points, None, 3), "3-bit values are not supported"),
        ((x, codes, scales[:3].clone(), points, None, 4), r"must have shape \[4, 2\]"),
        ((x, codes, scales, points[:, :1].clone(), None, 4), r"must have shape \[4, 2\]"),
        ((x, codes, torch.empty(4, 0), None, None, 4), "rows have no scale"),
        ((x, codes, scales, points, torch.zeros(3), 4), "bias must have one dimension of 4"),
        ((x, codes.view(torch.int8), scales, points, None, 4), "4-bit values cannot have dtype int8"),
    ]
    for arguments, message in calls:
        for name, *rest in (("linear",), ("dynamic_linear",), ("dynamic_linear_per_tensor", 1e-5)):
            with pytest.raises(KernelError, match=message):
                KERNELS.call(f"{OURS}{name}.out", *arguments, *rest, out, out)
    for eps in (0.0, -1.0, NAN):
        with pytest.raises(KernelError, match="the minimum scale .* is not positive"):
            name = "dynamic_linear_per_tensor.out"
            KERNELS.call(OURS + name, x, codes, scales, points, None, 4, eps, out, out)
    with pytest.raises(KernelError, match="weight_quant_min 7 is above weight_quant_max -8"):
        KERNELS.call(f"{DECOMPOSED}embedding_4bit.out", codes, scales, points, 7, -8, torch.tensor([0]), x, x)
    for index in (4, -1):
        with pytest.raises(KernelError, match="low-bit embedding"):
            KERNELS.call(f"{OURS}embedding.out", codes, scales, points, torch.tensor([index]), 4, x, x)
        with pytest.raises(KernelError, match="embedding_4bit"):
            KERNELS.call(f"{DECOMPOSED}embedding_4bit.out", codes, scales, points, -8, 7, torch.tensor([index]), x, x)

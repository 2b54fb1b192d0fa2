"""Test int8 and uint8 kernels against integer references.

Results that are rounded may differ by one quantization step.
"""

from __future__ import annotations

import pytest
import torch

import exir.dialects.out_variant  # noqa: F401  (registers the operators)
from kernels.testing.native import KernelError
from kernels.testing.parity import check, load_kernels

KERNELS = load_kernels()
OURS = "quantized_bytes::"
RANGES = {torch.int8: (-7, -128, 127), torch.uint8: (121, 0, 255)}
DTYPES = [torch.int8, torch.uint8]


def codes(*shape: int, dtype: torch.dtype = torch.int8, seed: int = 0) -> torch.Tensor:
    limits = torch.iinfo(dtype)
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(limits.min, limits.max + 1, shape, dtype=dtype, generator=generator)


def parameters(rows: int, depth: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return factors for which results cover the dtype's range, and a bias."""
    generator = torch.Generator().manual_seed(rows)
    factors = (torch.rand(rows, generator=generator) + 0.5) / (80 * depth**0.5)
    return factors, torch.randn(rows, generator=generator) * 9


def same(name: str, *arguments: object, steps: float = 0.0) -> None:
    """Assert that the kernel and the operator agree within `steps`."""
    operator = getattr(torch.ops.quantized_bytes, name).default
    check(KERNELS, f"{OURS}{name}.out", *arguments, tolerance=(0.0, steps), reference=operator)


def close(name: str, *arguments: object) -> None:
    """Assert that the kernel and the operator agree within one step, due to rounding."""
    same(name, *arguments, steps=1.0)


CONVOLUTIONS = [
    # input, weight, stride, padding, dilation, groups
    ((2, 16, 9, 11), (24, 16, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    ((1, 3, 17, 15), (8, 3, 3, 3), (2, 2), (1, 1), (1, 1), 1),
    ((1, 8, 12, 13), (9, 8, 3, 5), (1, 2), (3, 4), (2, 1), 1),
    ((2, 8, 10, 9), (12, 4, 3, 3), (1, 1), (1, 1), (1, 1), 2),
    ((1, 130, 6, 5), (7, 130, 3, 3), (1, 1), (1, 1), (1, 1), 1),  # deeper than a block
    ((2, 6, 12, 13), (6, 1, 3, 3), (1, 1), (1, 1), (1, 1), 6),
    ((1, 6, 15, 16), (6, 1, 5, 5), (2, 2), (2, 2), (1, 1), 6),
    ((1, 4, 13, 14), (8, 1, 3, 2), (3, 2), (2, 1), (2, 3), 4),
    ((1, 4, 5, 3), (4, 1, 3, 3), (1, 1), (7, 8), (1, 1), 4),
    ((1, 2, 6, 20000), (2, 1, 3, 3), (1, 1), (1, 1), (1, 1), 2),  # rows do not fit scratch
    ((2, 5, 30), (4, 5, 3), (2,), (1,), (1,), 1),
    ((2, 4, 30), (4, 1, 7), (1,), (3,), (1,), 4),
    ((1, 3, 5, 6, 7), (4, 3, 2, 3, 3), (1, 2, 1), (1, 1, 0), (1, 1, 2), 1),
    ((1, 3, 3, 3), (1, 3, 3, 3), (1, 1), (0, 0), (1, 1), 1),  # one result
    ((1, 600, 5, 4), (6, 600, 3, 3), (1, 1), (1, 1), (1, 1), 1),  # larger than the minimum scratch
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_int8_convolutions_follow_their_definition(case: tuple, dtype: torch.dtype) -> None:
    shape, weight, stride, padding, dilation, groups = case
    depth = torch.Size(weight[1:]).numel()
    factors, bias = parameters(weight[0], depth)
    arguments = codes(*shape, dtype=dtype), RANGES[dtype][0], codes(*weight, seed=1), factors
    attributes = list(stride), list(padding), list(dilation), groups
    for added in (bias, None):
        close("convolution", *arguments, added, *attributes, *RANGES[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("rows", "features", "outputs"), [(1, 64, 10), (7, 33, 5), (300, 20, 3), (5, 5000, 4), (2, 0, 3), (0, 4, 3)]
)
def test_int8_linear_layers_follow_their_definition(rows: int, features: int, outputs: int, dtype: torch.dtype) -> None:
    factors, bias = parameters(outputs, max(features, 1))
    arguments = codes(rows, features, dtype=dtype), RANGES[dtype][0], codes(outputs, features, seed=1), factors
    close("linear", *arguments, bias, *RANGES[dtype])


def test_int8_convolution_requests_a_panel_of_four_columns() -> None:
    image, weight, out = codes(1, 601, 4, 3), codes(2, 601, 3, 3), codes(1, 2, 2, 1)
    attributes = weight, torch.ones(2), None, [1, 1], [0, 0], [1, 1], 1, *RANGES[torch.int8]
    found = KERNELS.scratch_bytes(f"{OURS}convolution.out", image, 0, *attributes, out, out)
    assert found == 8 * 5416  # 601 * 3 * 3 = 5409, padded to a multiple of eight


def test_largest_int8_accumulators_are_exact() -> None:
    x = torch.full((1, 65536), -128, dtype=torch.int8)
    weight = torch.full((1, 65536), -128, dtype=torch.int8)
    factor = 100 / (65536 * 255 * 128)
    close("linear", x, 127, weight, torch.tensor([factor]), None, 0, -128, 127)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shapes", [((3, 40), (3, 40)), ((2, 3, 50), (3, 1)), ((), (5,)), ((0, 3), (3,))])
@pytest.mark.parametrize("name", ["add", "mul", "maximum", "minimum"])
def test_int8_binary_ops_follow_their_definition(name: str, shapes: tuple, dtype: torch.dtype) -> None:
    a, b = codes(*shapes[0], dtype=dtype), codes(*shapes[1], dtype=dtype, seed=1)
    first, second = (0.01, 1.0) if name == "mul" else (0.7, -1.3)
    zero_point = RANGES[dtype][0]
    close(name, a, zero_point, first, b, zero_point + 2, second, *RANGES[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("result", DTYPES)
def test_int8_luts_follow_their_definition(dtype: torch.dtype, result: torch.dtype) -> None:
    same("table", codes(3, 40, dtype=dtype), codes(256, dtype=result, seed=2))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dims", [[0], [2, 3], [-1, -2], [0, 1, 2, 3]])
def test_int8_means_follow_their_definition(dims: list[int], dtype: torch.dtype) -> None:
    for keepdim in (False, True):
        same("mean", codes(2, 3, 4, 5, dtype=dtype), dims, keepdim, 20)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("include_pad", [False, True])
@pytest.mark.parametrize("divisor", [None, 7])
def test_int8_average_pooling_follows_its_definition(
    include_pad: bool, divisor: int | None, dtype: torch.dtype
) -> None:
    x = codes(2, 3, 9, 8, dtype=dtype)
    for window in (([3, 2], [2, 2], [1, 1], False), ([2, 2], [2, 2], [0, 0], True)):
        same("avg_pool2d", x, *window, include_pad, divisor, 20)


def refused(name: str, *arguments: object, message: str) -> None:
    out = torch.empty(2, 3, dtype=torch.int8)
    with pytest.raises(KernelError, match=message):
        KERNELS.call(f"{OURS}{name}.out", *arguments, out, out)


def test_invalid_int8_calls_are_refused() -> None:
    x, weight, factors = codes(2, 8), codes(3, 8), torch.ones(3)
    limits = 0, -128, 127
    refused("linear", x, 128, weight, factors, None, *limits, message="zero_point 128 does not fit")
    refused("linear", x, 0, weight, factors, None, 0, -129, 127, message="quant_min -129")
    refused("linear", x, 0, weight, torch.ones(2), None, *limits, message="must have one dimension of 3 elements")
    refused("linear", codes(2, 7), 0, weight, factors, None, *limits, message="input has 7 features, weight needs 8")
    refused("table", codes(2, 3), codes(255), message="the table must have 256 elements, not 255")
    wide, row = codes(1, 65537), codes(1, 65537)
    refused("linear", wide, 0, row, torch.ones(1), None, *limits, message="K = 65537 exceeds 65536")
    refused("mean", codes(2, 0), [1], True, 0, message="int8 mean")

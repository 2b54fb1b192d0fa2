"""Tests that square roots are correctly rounded."""

from fractions import Fraction

import pytest
import torch

from exir.graph.square_root import square_root

_MANTISSA = {torch.float16: 11, torch.bfloat16: 8, torch.float32: 24, torch.float64: 53}


@pytest.mark.parametrize("dtype", _MANTISSA, ids=str)
def test_square_root_is_correctly_rounded(dtype: torch.dtype) -> None:
    values = (torch.rand(1000, dtype=torch.float64, generator=torch.Generator().manual_seed(1)) + 1).to(
        dtype
    )
    half_step = Fraction(1, 2 ** _MANTISSA[dtype])  # for values from 1 to 2
    for value, root in zip(values.tolist(), square_root(values).tolist(), strict=True):
        nearest = Fraction(root)
        assert (nearest - half_step) ** 2 <= Fraction(value) <= (nearest + half_step) ** 2


def test_square_root_of_special_values_matches_torch() -> None:
    values = torch.tensor([0.0, -0.0, float("inf"), -1.0, float("nan"), 1e-40])
    roots = square_root(values)
    assert torch.equal(roots.nan_to_num(7.0), torch.sqrt(values).nan_to_num(7.0))
    assert torch.signbit(roots[1])


def test_square_root_keeps_shape_layout_and_dtype() -> None:
    image = torch.rand(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
    assert square_root(image).stride() == torch.sqrt(image).stride()
    assert square_root(torch.tensor(4.0)).shape == ()
    assert square_root(torch.empty(0, 3)).shape == (0, 3)
    assert torch.equal(
        square_root(torch.nn.Parameter(torch.tensor([9.0, 4.0]))), torch.tensor([3.0, 2.0])
    )
    roots = square_root(torch.tensor([4, 9, 1 << 40]))
    assert torch.equal(roots, torch.sqrt(torch.tensor([4, 9, 1 << 40]))) and roots.dtype == torch.float32

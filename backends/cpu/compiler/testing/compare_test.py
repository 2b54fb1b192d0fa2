"""Tests that results are compared in order, and that wrong results are detected."""

import pytest
import torch
from torch import Tensor, nn

from backends.cpu.compiler.testing.compare import assert_computes, assert_keeps


def _late_before_early(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    early = x + 1
    late = torch.sin(early)
    return late, early, late


def test_results_in_a_different_order_than_computed() -> None:
    assert_computes(_late_before_early, torch.randn(3))


def test_an_argument_that_is_a_result() -> None:
    assert_computes(lambda x, y: (y, x + y, x), torch.randn(3), torch.randn(3))


class _Kept(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("rows", torch.zeros(3, 3))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        self.rows.index_copy_(0, torch.tensor([1]), x[None])
        early = x + self.rows[2]
        return torch.sin(early), early


def test_results_and_buffers_are_compared() -> None:
    assert_keeps(_Kept(), (torch.randn(3),), (torch.randn(3),))


def test_a_wrong_result_is_detected() -> None:
    class Changing(nn.Module):
        """Adds the number of calls outside of export."""

        def __init__(self) -> None:
            super().__init__()
            self.calls = 0

        def forward(self, x: Tensor) -> Tensor:
            if not torch.compiler.is_exporting():
                self.calls += 1
            return x + self.calls

    with pytest.raises(AssertionError, match="not close"):
        assert_computes(Changing(), torch.zeros(3))

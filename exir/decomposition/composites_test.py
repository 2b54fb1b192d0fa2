"""Tests of composite operators with dynamic sizes."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, export

from exir import to_edge
from exir.decomposition.decompose import decompose_locally
from exir.decomposition.decompositions import core_aten

BATCH = Dim("batch", min=1, max=8)


class _FunctionModule(nn.Module):
    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> object:
        return self.function(*inputs)


def _to_edge_program(
    module: nn.Module, inputs: tuple[Tensor, ...], shapes: tuple[Any, ...]
) -> Callable[..., object]:
    return to_edge(export(module, inputs, dynamic_shapes=shapes)).exported_program().module()


@pytest.mark.parametrize("kind", [nn.GRUCell, nn.LSTMCell, nn.RNNCell])
@pytest.mark.parametrize("bias", [True, False])
def test_recurrent_cells_take_a_dynamic_batch(kind: Callable[..., nn.Module], bias: bool) -> None:
    cell = kind(4, 5, bias=bias).eval()
    run = _to_edge_program(cell, (torch.randn(3, 4),), ({0: BATCH},))
    for rows in (1, 2, 8):
        x = torch.randn(rows, 4)
        torch.testing.assert_close(run(x), cell(x))


@pytest.mark.parametrize("shape", [{0: BATCH}, {1: Dim.AUTO(min=48, max=128)}])
@pytest.mark.parametrize(
    "options", [{}, {"normalized": True, "onesided": False}, {"center": False, "win_length": 12}]
)
def test_stft_takes_dynamic_sizes(shape: dict[int, object], options: dict[str, object]) -> None:
    def spectrum(x: Tensor) -> Tensor:
        return torch.view_as_real(torch.stft(x, 16, 4, return_complex=True, **options))  # type: ignore[arg-type]

    run = _to_edge_program(_FunctionModule(spectrum), (torch.randn(3, 64),), ((shape,),))
    for rows, length in ((2, 64), (8, 64)) if 0 in shape else ((3, 48), (3, 51)):
        x = torch.randn(rows, length)
        torch.testing.assert_close(run(x), spectrum(x), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("widths", [(1, 2), (0, 1, 2, 0), (-1, 2), (1, -2, -1, -1), (5, 5)])
def test_circular_padding_is_decomposed_locally(widths: tuple[int, ...]) -> None:
    def padded(x: Tensor) -> Tensor:
        return nn.functional.pad(x, widths, mode="circular")

    rank = len(widths) // 2 + 2
    shape = (3, 2, 5, 6)[:rank]
    x = torch.arange(math.prod(shape), dtype=torch.float32).reshape(shape)
    exported = export(_FunctionModule(padded), (x,), dynamic_shapes=(({0: BATCH},),))
    run = decompose_locally(exported, core_aten()).module()
    for y in (x, x[:1]):
        torch.testing.assert_close(run(y), padded(y), rtol=0, atol=0)


def test_circular_padding_takes_a_dynamic_size() -> None:
    def padded(x: Tensor) -> Tensor:
        return nn.functional.pad(x, (1, 1, 2, 0), mode="circular")

    shape = {2: Dim("rows", min=0, max=9)}
    exported = export(_FunctionModule(padded), (torch.randn(1, 3, 5, 4),), dynamic_shapes=((shape,),))
    run = decompose_locally(exported, core_aten()).module()
    for rows in (2, 3, 9):
        x = torch.randn(1, 3, rows, 4)
        torch.testing.assert_close(run(x), padded(x), rtol=0, atol=0)

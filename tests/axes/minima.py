"""Weights of four and eight bits in blocks of 32, with scales and minima of two bytes, on the CPU backend."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.export import Dim

import exir.dialects.quantized_weight_ops  # noqa: F401  (registers the operators used below)
from exir.model_spec import ModelSpec
from exir.quantized_weights import packed

_OPERATORS = torch.ops.quantized_weight
_ROWS, _WIDTH, _BLOCK = 50, 64, 32


class Blocks(nn.Module):
    """A matrix [rows, columns]: codes, and a scale and a minimum for each block of a row."""

    def __init__(self, rows: int, columns: int, bits: int) -> None:
        super().__init__()
        high = (1 << bits - 1) - 1
        codes = torch.randint(-high - 1, high + 1, (rows, columns)).to(torch.int8)
        scales = torch.rand(rows, columns // _BLOCK) / (8 * high)
        self.bits = bits
        self.register_buffer("codes", packed(codes, bits))
        self.register_buffer("scales", scales.half())
        self.register_buffer("minima", (-scales * high).half())

    def forward(self, x: Tensor) -> Tensor:
        return _OPERATORS.linear_with_minimum(x, self.codes, self.scales, self.minima, None, self.bits)


class Minima(nn.Module):
    """Tokens int64 [n] to scores of all tokens [n, 50], by way of a layer of four bits; the table is of eight, for both ends."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.layer = Blocks(_ROWS, _WIDTH, 8), Blocks(_WIDTH, _WIDTH, 4)

    def forward(self, tokens: Tensor) -> Tensor:
        table = self.table.codes, self.table.scales
        rows = _OPERATORS.embedding(*table, self.table.minima, tokens, 8)
        placed = rows + torch.arange(tokens.shape[0])[:, None] / 8
        return _OPERATORS.linear(torch.relu(self.layer(placed)) + placed, *table, None, None, 8)


def model() -> ModelSpec:
    """Entry point: five tokens, or any number to nine."""
    return ModelSpec(Minima(), (torch.randint(0, _ROWS, (5,)),), dynamic_shapes=({0: Dim("n", min=1, max=9)},))

"""int4 and int8 weights in blocks of 32, with float16 scales and minima."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.export import Dim

import exir.dialects.quantized_weight_ops  # noqa: F401  (registers the operators used below)
from exir.model.spec import ModelSpec
from exir.weights.quantized_weights import packed

_OPERATORS = torch.ops.quantized_weight
_ROWS, _WIDTH, _BLOCK = 50, 64, 32


class Blocks(nn.Module):
    """A block-quantized matrix [rows, columns], with a scale and a minimum per block."""

    def __init__(self, rows: int, columns: int, bits: int) -> None:
        super().__init__()
        high = (1 << bits - 1) - 1
        values = torch.randint(-high - 1, high + 1, (rows, columns)).to(torch.int8)
        scales = torch.rand(rows, columns // _BLOCK) / (8 * high)
        self.bits = bits
        self.register_buffer("values", packed(values, bits))
        self.register_buffer("scales", scales.half())
        self.register_buffer("minima", (-scales * high).half())

    def forward(self, x: Tensor) -> Tensor:
        return _OPERATORS.linear_with_minimum(x, self.values, self.scales, self.minima, None, self.bits)


class BlockMinima(nn.Module):
    """Maps tokens, int64 [n], to logits [n, 50]: a tied int8 embedding, an int4 layer."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.layer = Blocks(_ROWS, _WIDTH, 8), Blocks(_WIDTH, _WIDTH, 4)

    def forward(self, tokens: Tensor) -> Tensor:
        table = self.table.values, self.table.scales
        rows = _OPERATORS.embedding(*table, self.table.minima, tokens, 8)
        placed = rows + torch.arange(tokens.shape[0])[:, None] / 8
        return _OPERATORS.linear(torch.relu(self.layer(placed)) + placed, *table, None, None, 8)


def model() -> ModelSpec:
    """Entry point: five tokens; from one to nine are allowed."""
    return ModelSpec(BlockMinima(), (torch.randint(0, _ROWS, (5,)),), dynamic_shapes=({0: Dim("n", min=1, max=9)},))

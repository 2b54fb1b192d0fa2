"""Tests that linear layers and embeddings keep block-quantized weights."""

import pytest
import torch
from torch import Tensor, nn
from torch.export import export
from torch.nn import functional as F

from exir.program import to_edge
from exir.testing.graphs import operator_names
from exir.weights.weights_file import BlockWeight

_LINEAR, _MINIMUM = "quantized_weight::linear", "quantized_weight::linear_with_minimum"
_EMBEDDING = "quantized_weight::embedding"


def _random_blocks(rows: int, columns: int, bits: int, has_minima: bool) -> BlockWeight:
    low, high = (0, 1 << bits) if has_minima else (-1 << bits - 1, 1 << bits - 1)
    codes = torch.randint(low, high, (rows, columns))
    scales = (torch.rand(rows, columns // 32) / high).half()
    minima = -torch.rand(rows, columns // 32).half() if has_minima else None
    return BlockWeight.of_codes(codes, scales, minima, bits)


class _TiedEmbedding(nn.Module):
    def __init__(self, has_minima: bool, bias: bool) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.words = nn.Parameter(_random_blocks(50, 64, 8, False), requires_grad=False)
        self.wide = nn.Parameter(_random_blocks(64, 64, 4, has_minima), requires_grad=False)
        self.bias = nn.Parameter(torch.randn(64)) if bias else None

    def forward(self, tokens: Tensor) -> Tensor:
        rows = torch.relu(F.linear(F.embedding(tokens, self.words), self.wide, self.bias))
        return F.linear(rows, self.words)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("has_minima", [False, True])
def test_quantized_blocks_keep_their_layout(has_minima: bool, bias: bool) -> None:
    module, tokens = _TiedEmbedding(has_minima, bias), torch.tensor([[3, 1, 49], [0, 2, 2]])
    expected = module(tokens)
    edge = to_edge(export(module, (tokens,), strict=False))
    called = [
        name for name in operator_names(edge.exported_program()) if name.startswith("quantized_weight")
    ]
    assert called == [_EMBEDDING, _MINIMUM if has_minima else _LINEAR, _LINEAR]
    torch.testing.assert_close(edge.exported_program().module()(tokens), expected, rtol=1e-5, atol=1e-5)
    blocks = 50 * 64 * 8.5 / 8 + 64 * 64 * (5 if has_minima else 4.5) / 8
    assert len(edge.to_executorch().buffer) < blocks + 4096


def test_blocks_with_other_readers_are_dequantized() -> None:
    class Sum(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Parameter(_random_blocks(8, 32, 8, False), requires_grad=False)

        def forward(self, x: Tensor) -> Tensor:
            return x + self.words

    module, x = Sum(), torch.randn(8, 32)
    program = to_edge(export(module, (x,), strict=False)).exported_program()
    assert all(name not in operator_names(program) for name in (_LINEAR, _MINIMUM, _EMBEDDING))
    torch.testing.assert_close(program.module()(x), module(x))

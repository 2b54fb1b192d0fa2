"""Tests of blockwise quantized weights."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from exir.weights.weights_file import BlockWeight

_ROWS, _COLUMNS, _GROUP = 6, 64, 32


def _quantized_weight(bits: int, with_minima: bool) -> tuple[BlockWeight, Tensor]:
    generator = torch.Generator().manual_seed(bits)
    low = 0 if with_minima else -(1 << bits - 1)
    codes = torch.randint(low, low + (1 << bits), (_ROWS, _COLUMNS), generator=generator)
    scales = torch.rand(_ROWS, _COLUMNS // _GROUP, generator=generator).half()
    minima = -torch.rand(scales.shape, generator=generator).half() if with_minima else None
    wide = codes * scales.float().repeat_interleave(_GROUP, 1)
    if minima is not None:
        wide = wide + minima.float().repeat_interleave(_GROUP, 1)
    return BlockWeight.of_codes(codes, scales, minima, bits), wide


class _LinearNet(nn.Module):
    def __init__(self, weight: BlockWeight) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight, requires_grad=False)

    def forward(self, tokens: Tensor) -> Tensor:
        return F.linear(F.embedding(tokens, self.weight), self.weight)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("with_minima", [False, True])
def test_block_weight_dequantizes_by_its_formula(bits: int, with_minima: bool) -> None:
    weight, wide = _quantized_weight(bits, with_minima)
    assert weight.shape == wide.shape and weight.dtype == torch.float32
    assert torch.equal(weight.dequantize(), wide)


def test_rows_of_a_block_weight_are_block_weights() -> None:
    weight, wide = _quantized_weight(4, True)
    chosen = weight.index_select(0, torch.tensor([2, 0]))
    assert isinstance(chosen, BlockWeight) and torch.equal(chosen.dequantize(), wide[[2, 0]])
    assert torch.equal(weight.index_select(1, torch.tensor([3])), wide[:, 3:4])


def test_layers_and_functions_accept_block_weights() -> None:
    weight, wide = _quantized_weight(4, True)
    x = torch.rand(3, _COLUMNS)
    assert torch.equal(F.linear(x, weight), F.linear(x, wide))
    assert torch.equal(x @ weight.t(), x @ wide.t())
    assert torch.equal((weight + 1).sum(), (wide + 1).sum())


def test_exported_program_keeps_quantized_values() -> None:
    weight, wide = _quantized_weight(4, True)
    tokens = torch.tensor([[1, 5, 2]])
    program = torch.export.export(_LinearNet(weight), (tokens,), strict=False).run_decompositions({})
    dtypes = {tensor.dtype for tensor in program.state_dict.values()}
    assert dtypes == {torch.uint8, torch.float16}
    names = [str(node.target) for node in program.graph.nodes if node.op == "call_function"]
    assert names.count("quantized_weight.dequantize.default") == 2
    expected = F.linear(F.embedding(tokens, wide), wide)
    assert torch.equal(program.module()(tokens), expected)

"""Tests that SDPA stays one operator if requested and supported."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import Dim, export

from exir import EdgeCompileConfig, to_edge
from exir.testing.graphs import operator_names

_WHOLE = "attention::scaled_dot_product"


class _SdpaModule(nn.Module):
    def __init__(self, function: Callable[..., Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return self.function(query, key, value)


def _lower_function(
    function: Callable[..., Tensor], *inputs: Tensor, preserve_sdpa: bool = True, shapes: Any = None
) -> Any:
    program = export(_SdpaModule(function).eval(), inputs, dynamic_shapes=shapes)
    return to_edge(program, compile_config=EdgeCompileConfig(preserve_sdpa=preserve_sdpa))


def _sdpa_operands(heads: int = 4, shared: int = 4, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    sizes = ((2, heads, 5, 8), (2, shared, 7, 8), (2, shared, 7, 6))
    return [torch.randn(size, dtype=dtype) for size in sizes]


@pytest.mark.parametrize(
    "function",
    [
        F.scaled_dot_product_attention,
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        lambda q, k, v: F.scaled_dot_product_attention(
            q, k, v, torch.ones(5, 7, dtype=torch.bool), scale=0.2
        ),
    ],
)
def test_sdpa_is_one_operator(function: Callable[..., Tensor]) -> None:
    inputs = _sdpa_operands()
    program = _lower_function(function, *inputs).exported_program()
    assert _WHOLE in operator_names(program)
    torch.testing.assert_close(program.module()(*inputs), function(*inputs))


def test_sdpa_accepts_grouped_query_heads() -> None:
    def grouped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(q, k, v, enable_gqa=True)

    inputs = _sdpa_operands(shared=2)
    program = _lower_function(grouped, *inputs).exported_program()
    assert operator_names(program) == [_WHOLE]
    torch.testing.assert_close(program.module()(*inputs), grouped(*inputs))


def test_sdpa_accepts_dynamic_sequence_lengths() -> None:
    rows = Dim("rows", min=2, max=40)
    shapes = {"query": {2: rows}, "key": {2: rows}, "value": {2: rows}}
    inputs = [torch.randn(2, 4, 9, 8) for _ in range(3)]
    program = _lower_function(F.scaled_dot_product_attention, *inputs, shapes=shapes).exported_program()
    assert operator_names(program) == [_WHOLE]


def test_sdpa_is_decomposed_unless_preserved() -> None:
    program = _lower_function(
        F.scaled_dot_product_attention, *_sdpa_operands(), preserve_sdpa=False
    ).exported_program()
    assert "aten::bmm" in operator_names(program) and _WHOLE not in operator_names(program)


@pytest.mark.parametrize(
    "inputs",
    [
        _sdpa_operands(dtype=torch.float64),
        [torch.randn(4, 5, 8), torch.randn(4, 7, 8), torch.randn(4, 7, 8)],
    ],
    ids=["double", "without a batch"],
)
def test_unsupported_sdpa_call_is_decomposed(inputs: list[Tensor]) -> None:
    program = _lower_function(F.scaled_dot_product_attention, *inputs).exported_program()
    assert _WHOLE not in operator_names(program)
    query, key, value = inputs
    expected = F.scaled_dot_product_attention(query, key, value)
    torch.testing.assert_close(program.module()(query, key, value), expected)

"""Tests that SDPA reads int8 KV caches in place if each row has a scale."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import Dim

from backends.cpu.compiler.dims import product
from backends.cpu.compiler.graph import Op
from backends.cpu.compiler.testing.compare import assert_computes, assert_keeps, ops
from backends.cpu.schema.attention import KvUpdate, SdpaF32, SdpaF32Qd8kv

_GROUPS, _CACHE, _SIZE = 2, 24, 8


class Rows(nn.Module):
    """An int8 cache."""

    rows: Tensor
    scales: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("rows", torch.zeros(1, _GROUPS, _CACHE, _SIZE, dtype=torch.int8))
        self.register_buffer("scales", torch.zeros(1, _GROUPS, _CACHE, 1))

    def forward(self, x: Tensor, positions: Tensor) -> Tensor:
        scales = x.abs().amax(-1, keepdim=True) / 127
        self.scales.index_copy_(2, positions, scales)
        self.rows.index_copy_(2, positions, (x / scales).round().to(torch.int8))
        return self.rows.to(torch.float32) * self.scales


class Cached(nn.Module):
    """Attention over keys that are always int8, and values that are optionally int8."""

    values: Tensor

    def __init__(self, has_int8_values: bool = True) -> None:
        super().__init__()
        self.keys = Rows()
        self.int8_values = Rows() if has_int8_values else None
        self.register_buffer("values", torch.zeros(1, _GROUPS, _CACHE, _SIZE))

    def forward(self, q: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> Tensor:
        keys = self.keys(k, positions)
        if self.int8_values is None:
            values = self.values.index_copy_(2, positions, v)
        else:
            values = self.int8_values(v, positions)
        seen = torch.arange(_CACHE) <= positions[:, None]
        return F.scaled_dot_product_attention(q, keys, values, seen, enable_gqa=True)


def call(first: int, count: int) -> tuple[Tensor, ...]:
    rows = (torch.randn(1, heads, count, _SIZE) for heads in (4, _GROUPS, _GROUPS))
    return (*rows, torch.arange(first, first + count))


def attention_of(module: nn.Module) -> Op:
    (attention,) = (op for op in ops(module, *call(3, 1)).ops if isinstance(op.spec, SdpaF32))
    return attention


def test_attention_reads_int8_rows_and_scales_in_place() -> None:
    found = ops(Cached(), *call(3, 1)).ops
    (attention,) = (op for op in found if isinstance(op.spec, SdpaF32Qd8kv))
    assert [each.dtype for each in attention.inputs[1:5]] == [torch.int8] * 2 + [torch.float32] * 2
    updated = {op.output.storage for op in found if isinstance(op.spec, KvUpdate)}
    assert {each.storage for each in attention.inputs[1:5]} == updated
    computed = [op.output for op in found if not isinstance(op.spec, KvUpdate)]
    assert all(product(each.dims) < _GROUPS * _CACHE * _SIZE for each in computed)


def test_consecutive_calls_update_int8_caches_as_in_eager_pytorch() -> None:
    assert_keeps(Cached(), call(0, 1), call(1, 1), call(5, 1))


def test_several_rows_of_an_int8_cache() -> None:
    n = Dim("n", min=2, max=_CACHE)
    shapes = ({2: n}, {2: n}, {2: n}, {0: n})
    assert_keeps(Cached(), call(0, 5), call(5, 2), call(0, _CACHE), dynamic_shapes=shapes)


def test_keys_and_values_of_different_dtypes_are_dequantized() -> None:
    assert type(attention_of(Cached(has_int8_values=False)).spec) is SdpaF32
    assert_keeps(Cached(has_int8_values=False), call(0, 1), call(1, 1))


@pytest.mark.parametrize("scales", [(1, 1, 1, 1), (1, _GROUPS, 1, _SIZE), (1, 1, _CACHE, 1)])
def test_other_scales_are_applied_before_attention(scales: tuple[int, ...]) -> None:
    def function(q: Tensor, rows: Tensor, scales: Tensor) -> Tensor:
        x = rows.to(torch.float32) * scales
        return F.scaled_dot_product_attention(q, x, x, enable_gqa=True)

    rows = torch.randint(-128, 128, (1, _GROUPS, _CACHE, _SIZE), dtype=torch.int8)
    assert_computes(function, torch.randn(1, 4, 3, _SIZE), rows, torch.rand(scales) / 64)


def test_int8_keys_that_are_not_stored_per_head() -> None:
    def function(q: Tensor, rows: Tensor, scales: Tensor) -> Tensor:
        x = rows.transpose(1, 2).to(torch.float32) * scales.transpose(1, 2)
        return F.scaled_dot_product_attention(q, x, x, enable_gqa=True)

    rows = torch.randint(-128, 128, (2, 7, _GROUPS, _SIZE), dtype=torch.int8)
    assert_computes(function, torch.randn(2, 4, 3, _SIZE), rows, torch.rand(2, 7, _GROUPS, 1) / 64)

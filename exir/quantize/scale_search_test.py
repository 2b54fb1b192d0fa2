"""Tests of the search for scales of 4-bit weights."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torchao.quantization import IntxWeightOnlyConfig, quantize_
from torchao.quantization.granularity import PerGroup

from exir.quantize.scale_search import search_scales


def _quantize(weight: Tensor, group: int) -> Any:
    """Return the weight as torchao quantizes it."""
    layer: Any = nn.Linear(weight.shape[1], weight.shape[0], bias=False, dtype=weight.dtype)
    layer.weight.data.copy_(weight)
    int4 = getattr(torch, "int4")  # noqa: B009 (the stubs of torch lack it)
    quantize_(layer, IntxWeightOnlyConfig(weight_dtype=int4, granularity=PerGroup(group)))
    return layer.weight


def _errors(quantized: Any, weight: Tensor, group: int) -> Tensor:
    """Return the squared error of each group."""
    values = quantized.qdata.reshape(-1, group) * quantized.scale.float().reshape(-1, 1)
    return (values - weight.float().reshape(-1, group)).square().sum(1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("group", [16, 32, 128])
def test_no_group_gets_worse_and_the_error_falls(group: int, dtype: torch.dtype) -> None:
    weight = torch.randn(48, 256, generator=torch.Generator().manual_seed(0)).to(dtype)
    quantized = _quantize(weight, group)
    before = _errors(quantized, weight, group)
    search_scales(quantized, weight)
    after = _errors(quantized, weight, group)
    assert (after <= before * 1.0001).all()
    assert after.sum() < 0.9 * before.sum()
    assert (quantized.scale > 0).all()
    assert quantized.qdata.min() >= -8 and quantized.qdata.max() <= 7


def test_values_on_the_grid_are_exact() -> None:
    elements = torch.randint(-8, 8, (6, 64), generator=torch.Generator().manual_seed(1))
    elements[:, ::32] = -8
    weight = elements * 0.03125
    quantized = _quantize(weight, 32)
    assert not torch.equal(quantized.dequantize(), weight)
    search_scales(quantized, weight)
    assert torch.equal(quantized.dequantize(), weight)


def test_large_weights_are_searched_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    weight = torch.randn(7, 96, generator=torch.Generator().manual_seed(2))
    whole = _quantize(weight, 32)
    search_scales(whole, weight)
    monkeypatch.setattr("exir.quantize.scale_search._CHUNK", 64)
    parts = _quantize(weight, 32)
    search_scales(parts, weight)
    assert torch.equal(parts.scale, whole.scale)
    assert torch.equal(parts.qdata, whole.qdata)


@pytest.mark.parametrize("value", [0.0, float("nan")])
def test_group_without_a_better_scale_is_unchanged(value: float) -> None:
    weight = torch.full((1, 32), value)
    quantized = _quantize(weight, 32)
    scale, elements = quantized.scale.clone(), quantized.qdata.clone()
    search_scales(quantized, weight)
    assert torch.equal(quantized.scale.nan_to_num(0), scale.nan_to_num(0))
    assert torch.equal(quantized.qdata, elements)

"""Tests that only dynamic quantization to int8 is fused with a linear layer.

A variant differs from dynamic quantization in one argument, so that fusing it would change results.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.ao.quantization.fx._decomposed  # registers the operators used below
from torch import Tensor, nn
from torch.export import export

from exir.passes.fuse_dynamic_layers import FuseDynamicLayers
from exir.program import to_edge
from exir.testing import quantized
from exir.testing.graphs import operator_names

_OPS = torch.ops.quantized_decomposed
_INT8 = (-128, 127)
_Range = tuple[Tensor, Tensor]


class _Layer(nn.Module):
    """A linear layer whose input is quantized and dequantized by `convert`."""

    def __init__(self, convert: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.convert = convert
        self.layer = quantized.Layer(nn.Linear(8, 4), per_channel=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(self.convert(x))


def _range_of_tensor(x: Tensor, limits: tuple[int, int] = _INT8, dtype: Any = torch.int8) -> _Range:
    return _OPS.choose_qparams.tensor(x, *limits, 1e-6, dtype)


def _convert_tensor(
    x: Tensor,
    quantized_range: _Range,
    limits: tuple[int, int] = _INT8,
    dequantized_range: _Range | None = None,
    dequantized_limits: tuple[int, int] = _INT8,
) -> Tensor:
    values = _OPS.quantize_per_tensor.tensor(x, *quantized_range, *limits, torch.int8)
    found = dequantized_range or quantized_range
    return _OPS.dequantize_per_tensor.tensor(values, *found, *dequantized_limits, torch.int8)


def _range_of_rows(x: Tensor) -> _Range:
    return _OPS.choose_qparams_per_token_asymmetric(x, torch.int8)


def _convert_rows(
    x: Tensor,
    quantized_range: _Range,
    limits: tuple[int, int] = _INT8,
    dequantized_range: _Range | None = None,
    dequantized_limits: tuple[int, int] = _INT8,
) -> Tensor:
    values = _OPS.quantize_per_token(x, *quantized_range, *limits, torch.int8)
    found = dequantized_range or quantized_range
    return _OPS.dequantize_per_token(values, *found, *dequantized_limits, torch.int8, torch.float32)


def _calls_of(convert: Callable[[Tensor], Tensor]) -> list[str]:
    """Return the calls of fused dynamic layers, after a check of the results."""
    module, x = _Layer(convert).eval(), torch.randn(3, 8)
    program = FuseDynamicLayers().run(to_edge(export(module, (x,))).exported_program())
    torch.testing.assert_close(program.module()(x), module(x), rtol=1e-4, atol=1e-4)
    return [name for name in operator_names(program) if "dynamic_linear" in name]


_SCHEMES: dict[str, tuple[Any, Any]] = {
    "tensor": (_range_of_tensor, _convert_tensor),
    "rows": (_range_of_rows, _convert_rows),
}


@pytest.mark.parametrize(
    ("scheme", "call"), [("tensor", "dynamic_linear_per_tensor"), ("rows", "dynamic_linear")]
)
def test_dynamically_quantized_input_is_fused(scheme: str, call: str) -> None:
    range_of, convert = _SCHEMES[scheme]
    assert _calls_of(lambda x: convert(x, range_of(x))) == [f"quantized_weight::{call}"]


def test_minimum_of_the_scale_is_fused() -> None:
    def convert(x: Tensor) -> Tensor:
        return _convert_tensor(x, _OPS.choose_qparams.tensor(x, *_INT8, 0.5, torch.int8))

    assert _calls_of(convert) == ["quantized_weight::dynamic_linear_per_tensor"]


@pytest.mark.parametrize("scheme", _SCHEMES)
def test_views_and_copies_of_the_parameters_are_fused(scheme: str) -> None:
    range_of, convert = _SCHEMES[scheme]

    def copied(x: Tensor) -> Tensor:
        scale, zero_point = range_of(x)
        return convert(x, (scale.clone().view(scale.shape), zero_point.clone()))

    assert len(_calls_of(copied)) == 1


_Variant = Callable[[Tensor, Any, Any], Tensor]
_VARIANTS: dict[str, _Variant] = {
    "quantized limits": lambda x, of, convert: convert(x, of(x), limits=(-127, 127)),
    "dequantized limits": lambda x, of, convert: convert(x, of(x), dequantized_limits=(-127, 127)),
    "both limits": lambda x, of, convert: convert(x, of(x), (-127, 127), None, (-127, 127)),
    "range of another tensor": lambda x, of, convert: convert(x, of(x * 2)),
    "scale of another range": lambda x, of, convert: convert(x, (of(x * 2)[0], of(x)[1])),
    "zero point of another range": lambda x, of, convert: convert(x, (of(x)[0], of(x + 1)[1])),
    "quantized scale of another range": lambda x, of, convert: convert(
        x, (of(x * 2)[0], of(x)[1]), dequantized_range=of(x)
    ),
    "quantized zero point of another range": lambda x, of, convert: convert(
        x, (of(x)[0], of(x + 1)[1]), dequantized_range=of(x)
    ),
    "dequantized scale of another range": lambda x, of, convert: convert(
        x, of(x), dequantized_range=(of(x * 2)[0], of(x)[1])
    ),
    "dequantized zero point of another range": lambda x, of, convert: convert(
        x, of(x), dequantized_range=(of(x)[0], of(x + 1)[1])
    ),
    "scale of a constant": lambda x, of, convert: convert(
        x, (torch.full_like(of(x)[0], 0.05), of(x)[1])
    ),
    "zero point of a computation": lambda x, of, convert: convert(x, (of(x)[0], of(x)[1] + 1)),
}


@pytest.mark.parametrize("scheme", _SCHEMES)
@pytest.mark.parametrize("variant", _VARIANTS)
def test_other_quantization_of_the_input_is_not_fused(variant: str, scheme: str) -> None:
    assert _calls_of(lambda x: _VARIANTS[variant](x, *_SCHEMES[scheme])) == []


_SCALE, _ZERO_POINT = 0, 1


@pytest.mark.parametrize("scheme", _SCHEMES)
@pytest.mark.parametrize(
    ("scale", "zero_point"),
    [(_ZERO_POINT, _SCALE), (_SCALE, _SCALE), (_ZERO_POINT, _ZERO_POINT)],
    ids=["swapped", "scale as zero point", "zero point as scale"],
)
def test_scale_and_zero_point_in_other_places_are_not_fused(
    scale: int, zero_point: int, scheme: str
) -> None:
    range_of, convert = _SCHEMES[scheme]

    def misplaced(x: Tensor) -> Tensor:
        positive = x.abs()  # has the zero point -128, so that no scale is 0
        found = range_of(positive)
        return convert(positive, (found[scale], found[zero_point]))

    assert _calls_of(misplaced) == []


_SYMMETRIC_RANGES: dict[str, Callable[[Tensor], _Range]] = {
    "tensor": lambda x: _OPS.choose_qparams_symmetric.tensor(x, *_INT8, 1e-6, torch.int8),
    "rows": lambda x: _OPS.choose_qparams_per_token(x, torch.int8),
}


@pytest.mark.parametrize("scheme", _SCHEMES)
def test_symmetric_range_is_not_fused(scheme: str) -> None:
    _, convert = _SCHEMES[scheme]
    assert _calls_of(lambda x: convert(x, _SYMMETRIC_RANGES[scheme](x))) == []


@pytest.mark.parametrize("scheme", _SCHEMES)
def test_constant_range_is_not_fused(scheme: str) -> None:
    range_of, convert = _SCHEMES[scheme]
    found = range_of(torch.linspace(-3, 3, 24).reshape(3, 8))
    assert _calls_of(lambda x: convert(x, found)) == []


@pytest.mark.parametrize(
    ("limits", "dtype"),
    [((-127, 127), torch.int8), ((-128, 127), torch.int32), ((-128, 126), torch.int8)],
)
def test_range_with_other_limits_or_dtype_is_not_fused(limits: tuple[int, int], dtype: Any) -> None:
    assert _calls_of(lambda x: _convert_tensor(x, _range_of_tensor(x, limits, dtype))) == []


def test_dequantization_of_other_values_is_not_fused() -> None:
    def convert(x: Tensor) -> Tensor:
        found = _range_of_tensor(x)
        values = _OPS.quantize_per_tensor.tensor(x, *found, *_INT8, torch.int8)
        return _OPS.dequantize_per_tensor.tensor(values + 1, *found, *_INT8, torch.int8)

    assert _calls_of(convert) == []

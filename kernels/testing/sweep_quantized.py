"""Arguments of quantizing and dequantizing operators, and of low-bit weights."""

from __future__ import annotations

from collections.abc import Callable

import torch

from kernels.testing.native import DTYPE_CODES
from kernels.testing.sweep_case import Case, Maker, indices

_RANGES = {
    torch.uint8: (0, 255),
    torch.int8: (-128, 127),
    torch.int16: (-(2**15), 2**15 - 1),
    torch.int32: (-(2**31), 2**31 - 1),
}


def _quantize(case: Case) -> list[object]:
    dtype = case.dtypes["out"]
    return [case.tensor("input"), 0.03, 1, *_RANGES[dtype], DTYPE_CODES[dtype]]


def _dequantize(case: Case) -> list[object]:
    dtype = case.dtypes["input"]
    return [case.tensor("input"), 0.03, 1, *_RANGES[dtype], DTYPE_CODES[dtype], DTYPE_CODES[case.dtypes["out"]]]


def _dequantize_channels(case: Case) -> list[object]:
    dtype, channels = case.dtypes["input"], case.shape[:1]
    vectors = [case.tensor("scales", channels).abs(), case.tensor("zero_points", channels)]
    limits = [0, *_RANGES[dtype], DTYPE_CODES[dtype], DTYPE_CODES[case.dtypes["out"]]]
    return [case.tensor("input"), *vectors, *limits]


def _choose(case: Case) -> list[object]:
    return [case.tensor("input"), -128, 127, 1e-5, DTYPE_CODES[torch.int8]]


def _scalars(case: Case, *rest: object) -> list[object]:
    """Return arguments with a one-element scale and zero point."""
    low, high = _RANGES[case.dtypes["input" if rest else "out"]]
    dtype = DTYPE_CODES[case.dtypes["input" if rest else "out"]]
    scale = case.tensor("scale", (1,)).abs() * 0 + 0.25
    return [case.tensor("input"), scale, torch.ones(1, dtype=case.dtypes["zero_point"]), low, high, dtype, *rest]


def _spread(sizes: Callable[[Case], tuple[int, ...]], quantizes: bool, *rest: int, axis: bool = False) -> Maker:
    """Return a maker with power-of-two scales, so that all precisions round alike."""

    def make(case: Case) -> list[object]:
        codes = case.dtypes["out" if quantizes else "input"]
        scales = torch.full(sizes(case), 0.25, dtype=case.dtypes["scales"])
        points = case.tensor("zero_points", sizes(case)) % 5
        limits = [*([0] if axis else []), *_RANGES[codes], DTYPE_CODES[codes], *rest]
        output = [] if quantizes else [DTYPE_CODES[case.dtypes["out"]]]
        shape = (4, 6) if rest else case.shape
        return [case.tensor("input", shape), scales, points, *limits, *output]

    return make


def _tokens(case: Case) -> tuple[int, ...]:
    return (*case.shape[:-1], 1)


def _embedding_of(bits: int, *rest: object) -> Maker:
    def make(case: Case) -> list[object]:
        weight = case.tensor("weight", (7, 8 * bits // 8))
        scales, points = case.tensor("weight_scales", (7, 2)), case.tensor("weight_zero_points", (7, 2))
        limits = (
            (0, 255) if case.dtypes["weight"] == torch.uint8 and bits == 8 else (-1 << bits - 1, (1 << bits - 1) - 1)
        )
        made = [weight, scales, points, *limits, indices(case, "indices", case.shape, 7)]
        return [*made, *([DTYPE_CODES[case.dtypes["out"]]] if rest else [])]

    return make


def _mixed(columns: int, *rest: object) -> Maker:
    """Return a maker for a linear layer or a GEMM with 8-bit weights."""

    def make(case: Case) -> list[object]:
        weight = case.tensor("weight", (4, 6) if columns == 6 else (6, 4))
        rows = weight.shape[:1]
        scales, points = case.tensor("weight_scales", rows), case.tensor("weight_zero_points", rows)
        return [case.tensor("input", (3, 6)), weight, scales, points, *rest]

    return make


def _low_bit_linear(shift: str, *rest: object) -> Maker:
    def make(case: Case) -> list[object]:
        parameters = [case.tensor(name, (5, 2)) for name in ("weight_scales", shift)]
        return [case.tensor("input"), case.tensor("weight", (5, 6)), *parameters, case.tensor("bias", (5,)), 8, *rest]

    return make


def _low_bit_table(case: Case) -> list[object]:
    parameters = [case.tensor(name, (7, 2)) for name in ("weight_scales", "weight_minima")]
    return [case.tensor("weight", (7, 8)), *parameters, indices(case, "indices", case.shape, 7), 8]


def _quantized_add(case: Case) -> list[object]:
    made: list[object] = []
    for name in ("a", "b"):
        made += [case.tensor(name), 0.03, 1, *_RANGES[case.dtypes[name]]]
    return [*made, 0.05, 2, *_RANGES[case.dtypes["out"]]]


MAKERS: dict[str, Maker] = {
    "quantized_decomposed::add.out": _quantized_add,
    "quantized_decomposed::choose_qparams.Tensor_out": _choose,
    "quantized_decomposed::choose_qparams_per_token_asymmetric.out": lambda case: [
        case.tensor("input"),
        DTYPE_CODES[torch.int8],
    ],
    "quantized_decomposed::choose_qparams_symmetric.Tensor_out": _choose,
    "quantized_decomposed::dequantize_per_channel.out": _dequantize_channels,
    "quantized_decomposed::dequantize_per_channel_group.out": _spread(lambda case: (4, 2), False, 3),
    "quantized_decomposed::dequantize_per_tensor.Tensor_out": lambda case: _scalars(
        case, DTYPE_CODES[case.dtypes["out"]]
    ),
    "quantized_decomposed::dequantize_per_tensor.out": _dequantize,
    "quantized_decomposed::dequantize_per_token.out": _spread(_tokens, False),
    "quantized_decomposed::embedding_2bit.dtype_out": _embedding_of(2, "dtype"),
    "quantized_decomposed::embedding_2bit.out": _embedding_of(2),
    "quantized_decomposed::embedding_4bit.dtype_out": _embedding_of(4, "dtype"),
    "quantized_decomposed::embedding_4bit.out": _embedding_of(4),
    "quantized_decomposed::embedding_byte.dtype_out": _embedding_of(8, "dtype"),
    "quantized_decomposed::embedding_byte.out": _embedding_of(8),
    "quantized_decomposed::mixed_linear.out": _mixed(6, None),
    "quantized_decomposed::mixed_mm.out": _mixed(4),
    "quantized_decomposed::quantize_per_channel.out": _spread(lambda case: case.shape[:1], True, axis=True),
    "quantized_decomposed::quantize_per_channel_group.out": _spread(lambda case: (4, 2), True, 3),
    "quantized_decomposed::quantize_per_tensor.Tensor_out": _scalars,
    "quantized_decomposed::quantize_per_tensor.out": _quantize,
    "quantized_decomposed::quantize_per_token.out": _spread(_tokens, True),
    "quantized_weight::dynamic_linear.out": _low_bit_linear("weight_zero_points"),
    "quantized_weight::dynamic_linear_per_tensor.out": _low_bit_linear("weight_zero_points", 1e-5),
    "quantized_weight::embedding.out": _low_bit_table,
    "quantized_weight::linear.out": _low_bit_linear("weight_zero_points"),
    "quantized_weight::linear_with_minimum.out": _low_bit_linear("weight_minima"),
}

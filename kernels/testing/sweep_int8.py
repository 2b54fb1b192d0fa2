"""Arguments of int8 and uint8 operators."""

from __future__ import annotations

import torch

from kernels.testing.sweep_case import Case, Maker


def _zero_point(case: Case, name: str) -> int:
    return 3 if case.dtypes[name] == torch.int8 else 131


def _range(case: Case) -> list[object]:
    """Return zero point, lowest and highest quantized value of the result."""
    low, high = (-120, 101) if case.dtypes["out"] == torch.int8 else (2, 230)
    return [_zero_point(case, "out"), low, high]


def _pair(case: Case) -> list[object]:
    a = [case.tensor("a"), _zero_point(case, "a"), 0.75]
    return [*a, case.tensor("b"), _zero_point(case, "b"), -1.25, *_range(case)]


def _weighted(case: Case, weight: tuple[int, ...], *rest: object) -> list[object]:
    rows = weight[:1]
    parameters = [case.tensor("factors", rows).abs() / 64, case.tensor("bias", rows)]
    made = [case.tensor("input"), _zero_point(case, "input"), case.tensor("weight", weight)]
    return [*made, *parameters, *rest, *_range(case)]


def _linear(case: Case) -> list[object]:
    return _weighted(case, (5, case.shape[-1]))


def _convolution(case: Case) -> list[object]:
    spatial = case.rank - 2
    attributes = [1] * spatial, [1] * spatial, [1] * spatial, 1
    return _weighted(case, (5, case.shape[1], *[2] * spatial), *attributes)


def _mean(case: Case) -> list[object]:
    return [case.tensor("input"), [-1] if case.rank else [], False, _zero_point(case, "input")]


def _avg_pool2d(case: Case) -> list[object]:
    return [case.tensor("input"), [2, 2], [1, 2], [1, 1], False, True, None, _zero_point(case, "input")]


def _table(case: Case) -> list[object]:
    return [case.tensor("input"), case.tensor("table", (256,))]


MAKERS: dict[str, Maker] = {
    "quantized_bytes::add.out": _pair,
    "quantized_bytes::avg_pool2d.out": _avg_pool2d,
    "quantized_bytes::convolution.out": _convolution,
    "quantized_bytes::linear.out": _linear,
    "quantized_bytes::maximum.out": _pair,
    "quantized_bytes::mean.out": _mean,
    "quantized_bytes::minimum.out": _pair,
    "quantized_bytes::mul.out": _pair,
    "quantized_bytes::table.out": _table,
}

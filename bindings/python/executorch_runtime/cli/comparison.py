"""Compare outputs with recorded ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Difference:
    """The comparison of an output with a recorded output."""

    name: str
    problem: str  # "" if the output is within the tolerance
    largest: float = 0.0
    sqnr: float = math.inf  # in dB

    def __str__(self) -> str:
        are_comparable = self.sqnr > -math.inf
        figures = f"; largest error {self.largest:.3g}, {self.sqnr:.1f} dB" if are_comparable else ""
        return f"{self.name}: {self.problem or 'as recorded'}{figures}"


def compare(name: str, actual: Any, expected: Any, atol: float, rtol: float) -> Difference:
    """Check |actual - expected| <= atol + rtol * |expected| for each element.

    NaN equals NaN.
    """
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.shape != expected.shape:
        return Difference(name, f"shape {actual.shape} is not the recorded {expected.shape}", math.inf, -math.inf)
    if actual.dtype.kind in "US":
        return Difference(name, "" if (actual == expected).all() else f"'{actual}' is not the recorded '{expected}'")
    if actual.dtype != expected.dtype:
        return Difference(name, f"dtype {actual.dtype} is not the recorded {expected.dtype}", math.inf, -math.inf)
    actual, expected = _numbers(actual), _numbers(expected)
    is_close = np.isclose(actual, expected, rtol, atol, equal_nan=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.abs(np.where(actual == expected, 0, actual - expected))
        energy, noise = np.nansum(np.abs(expected) ** 2), np.nansum(error**2)
        sqnr = 10 * math.log10(energy / noise) if noise > 0 and energy > 0 else math.inf
    wrong = int(is_close.size - is_close.sum())
    problem = f"{wrong} of {is_close.size} elements differ, first at {_first(is_close)}" if wrong else ""
    return Difference(name, problem, float(np.nanmax(error, initial=0)), sqnr)


def widened(bits: Any) -> Any:
    """Convert bfloat16 bits, as 16-bit integers, to float32."""
    return (np.asarray(bits).astype(np.uint16).astype(np.uint32) << 16).view(np.float32)


def _numbers(array: Any) -> Any:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _first(is_close: Any) -> list[int]:
    return [int(index) for index in np.unravel_index(int(np.argmin(is_close)), is_close.shape)]

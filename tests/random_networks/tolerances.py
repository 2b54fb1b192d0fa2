"""Tolerances for differences from eager PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from exir.cli.reporting.calls import Call, QuantizedOutput
from tests.random_networks.network import Network

# Relative to the largest element of eager PyTorch; or thirty times eager PyTorch's own rounding error if that is
# larger. Quantized networks also use the rounding error of the float network.
_TOLERANCE, _TIMES_EAGERS = 2e-5, 30
# With low-bit weights or operands, a rounding difference of one step can become several steps. The
# measured effect of such differences is also accepted.
_LOW_BIT_TOLERANCE = 0.03


def tolerances_of(network: Network, calls: Sequence[Call], quantized: bool) -> list[float]:
    """Return the tolerance of each output; integers and booleans are exact."""
    compared = [call for call in calls if call.outputs]
    share = _LOW_BIT_TOLERANCE if quantized else _TOLERANCE
    lost = _lost_by_eager(network, compared)
    return [
        max(share * largest, _TIMES_EAGERS * lost[index], rounding, torch.finfo(torch.float32).tiny)
        for index in range(len(network.outputs))
        for largest in [max(_largest(value_of(call.outputs[index])) for call in compared)]
        for rounding in [max(_rounding_of(call.outputs[index]) for call in compared)]
    ]


def _lost_by_eager(network: Network, calls: Sequence[Call]) -> list[float]:
    """Return the difference between float32 and float64 for each output."""
    module, exact, lost = network.module(), network.module().double(), [0.0] * len(network.outputs)
    with torch.no_grad():
        for call in calls:
            try:
                with _default_dtype(torch.float64):
                    better = tree_leaves(exact(*(_exact(tensor) for tensor in call.inputs)))
            except (RuntimeError, ValueError):
                break  # it creates float32 itself
            for index, (a, b) in enumerate(zip(tree_leaves(module(*call.inputs)), better, strict=True)):
                if isinstance(a, Tensor) and a.is_floating_point():
                    lost[index] = max(lost[index], max_error(a, b.float()))
    return lost


@contextmanager
def _default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """Create tensors of `dtype` where a network does not specify one."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def _exact(value: Any) -> Any:
    return value.double() if isinstance(value, Tensor) and value.is_floating_point() else value


def value_of(output: Any) -> Any:
    """Return eager PyTorch's value of an output."""
    return output.value if isinstance(output, QuantizedOutput) else output


def _rounding_of(output: Any) -> float:
    return output.rounding if isinstance(output, QuantizedOutput) else 0.0


def _largest(value: Any) -> float:
    """Return the largest finite element; 0 for integers, which are exact."""
    if not isinstance(value, Tensor) or not value.is_floating_point():
        return 0.0
    finite = value[torch.isfinite(value)]
    return float(finite.abs().max()) if finite.numel() else 1.0


def max_error(found: Tensor, expected: Any) -> float:
    """Return the largest difference.

    It is infinite if shapes, dtypes or non-finite elements differ.
    """
    expected = torch.as_tensor(expected)
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return float("inf")
    same = (found == expected) | (found.isnan() & expected.isnan())
    difference = torch.where(same, 0, (found.double() - expected.double()).abs()).nan_to_num(float("inf"))
    return float(difference.max()) if found.numel() else 0.0

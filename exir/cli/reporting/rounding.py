"""The effect of rounding within a quantized program on its outputs.

Two correct implementations can accumulate in different orders. A value near the middle of two
quantization steps can then be rounded either way. Runs with some values moved by one step show the
effect on the outputs.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule, Interpreter
from torch.utils import _pytree as pytree

from exir.model.module_copy import copy_modules
from exir.quantize.families import quantizes

# The fraction of values that are moved, and the minimum expected number per tensor.
_ONE_IN = 32
_LEAST = 4
# A comparison in the model can change its result in one run and not in another.
_RUNS = 3


class RoundingRuns:
    """Runs of a quantized program with different values one step off.

    `modules` are copies of the program, whose states persist between calls.
    """

    def __init__(self, module: GraphModule) -> None:
        self.modules = [copy_modules(module) for _ in range(_RUNS)]
        self._runs = [RoundingRun(copied, seed) for seed, copied in enumerate(self.modules)]

    def differences(self, args: Sequence[Any], outputs: Sequence[Any]) -> list[float]:
        """Return the largest difference between `outputs` and the runs, for each output.

        outputs: the outputs of the program for `args`.

        The difference is 0 for outputs that are not floating point, because an index can change to
        any other index.
        """
        found = [run.differences(pytree.tree_map(_copied, args), outputs) for run in self._runs]
        return [max(each) for each in zip(*found, strict=True)]


def _copied(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


class RoundingRun(Interpreter):
    """Runs a quantized program in eager mode, with some quantized values one step off.

    The choice of values depends on `seed` and on the previous calls.
    """

    def __init__(self, module: GraphModule, seed: int) -> None:
        super().__init__(module)
        self._generator = torch.Generator().manual_seed(seed)

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        result = super().call_function(target, args, kwargs)
        is_moved = quantizes(target) and isinstance(result, Tensor) and result.numel() > 0
        return self._shift_codes(result) if is_moved else result

    def _shift_codes(self, codes: Tensor) -> Tensor:
        chance = max(1 / _ONE_IN, min(0.5, _LEAST / codes.numel()))
        draw = torch.rand(codes.shape, generator=self._generator)
        offset = (draw < chance / 2).to(torch.int64) - (draw > 1 - chance / 2).to(torch.int64)
        low, high = int(codes.min()), int(codes.max())
        return (codes.to(torch.int64) + offset).clamp(low, high).to(codes.dtype)

    def differences(self, args: Sequence[Any], outputs: Sequence[Any]) -> list[float]:
        try:
            perturbed = pytree.tree_leaves(self.run(*args))
        except Exception:  # a value one step off can violate an assertion of the model
            return [0.0] * len(outputs)
        return [_max_difference(a, b) for a, b in zip(outputs, perturbed, strict=True)]


def _max_difference(value: Any, perturbed: Any) -> float:
    if not isinstance(value, Tensor) or not value.is_floating_point() or value.shape != perturbed.shape:
        return 0.0
    distances = (value.double() - perturbed.double()).abs()
    return float(distances[distances.isfinite()].max()) if distances.isfinite().any() else 0.0

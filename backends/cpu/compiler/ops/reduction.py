"""Reference semantics of `reduce`."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from backends.cpu.compiler.ops.reference import evaluate
from backends.cpu.schema.reduction import Reduce, Reduction

_FUNCTIONS: dict[Reduction, Callable[..., Tensor]] = {
    Reduction.SUM: torch.sum,
    Reduction.MEAN: torch.mean,
    Reduction.MAX: torch.amax,
    Reduction.MIN: torch.amin,
    Reduction.PRODUCT: torch.prod,
    Reduction.ARGMAX: torch.argmax,
    Reduction.ARGMIN: torch.argmin,
}


@evaluate.register
def _reduce(spec: Reduce, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    outputs[0].copy_(_FUNCTIONS[spec.reduction](inputs[0], 1))

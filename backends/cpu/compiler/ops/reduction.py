"""Reference semantics of `reduce`."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from backends.cpu.compiler.ops.reference import Sizes, check_shapes, evaluate, expect
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


@check_shapes.register
def _check_reduce(spec: Reduce, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 2, f"{len(sizes)} tensors")
    x, y = sizes
    expect(spec, len(x) == 3 and y == (x[0], x[2]), f"the input is {x}, the output {y}")


@evaluate.register
def _reduce(spec: Reduce, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    outputs[0].copy_(_FUNCTIONS[spec.reduction](inputs[0], 1))

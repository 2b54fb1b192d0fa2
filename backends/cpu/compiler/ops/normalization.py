"""Reference semantics of `softmax` and `norm`."""

from collections.abc import Sequence

import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.ops.reference import Sizes, check_shapes, evaluate, expect
from backends.cpu.schema.normalization import Norm, Softmax


@check_shapes.register
def _check_softmax(spec: Softmax, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 2 and sizes[0] == sizes[1], "the input and the output have different sizes")


@evaluate.register
def _softmax(spec: Softmax, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    function = F.log_softmax if spec.logarithm else F.softmax
    outputs[0].copy_(function(inputs[0], -1))


@check_shapes.register
def _check_norm(spec: Norm, sizes: Sizes) -> None:
    expect(spec, len(sizes) in (2, 3, 4), f"{len(sizes)} tensors, expected 2 to 4")
    x, *rows, y = sizes
    expect(spec, x == y, f"input is {x}, but output is {y}")
    expect(spec, all(row == x[-1:] for row in rows), f"scale and shift {rows} do not match {x}")


@evaluate.register
def _norm(spec: Norm, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, scale, shift, *_ = (*inputs, None, None)
    assert x is not None
    if spec.centered:
        outputs[0].copy_(F.layer_norm(x, x.shape[-1:], scale, shift, spec.epsilon))
    else:
        y = F.rms_norm(x, x.shape[-1:], scale, spec.epsilon)
        outputs[0].copy_(y if shift is None else y + shift)

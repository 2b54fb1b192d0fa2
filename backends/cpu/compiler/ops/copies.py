"""Reference semantics of `copy` and `permute`."""

from collections.abc import Sequence

import torch
from torch import Tensor

from backends.cpu.compiler.ops.reference import Sizes, check_shapes, evaluate, expect
from backends.cpu.schema.copies import COPY_INPUTS, Copy, Permute


@check_shapes.register
def _check_copy(spec: Copy, sizes: Sizes) -> None:
    *inputs, y = sizes
    expect(spec, 1 <= len(inputs) <= COPY_INPUTS, f"{len(inputs)} inputs, expected 1 to {COPY_INPUTS}")
    expect(spec, all(len(each) == len(y) for each in inputs), f"ranks of {inputs} and {y} differ")
    expect(
        spec,
        len(spec.strides) == len(inputs) * len(y),
        f"{len(spec.strides)} strides for {len(inputs)} inputs of rank {len(y)}",
    )


@evaluate.register
def _copy(spec: Copy, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    (y,) = outputs
    if spec.fill is not None:
        y.fill_(spec.fill)
    strides = iter(spec.strides)
    starts = iter(zip(dims[::2], dims[1::2], strict=True))
    for x in inputs:
        target = y
        for dim in range(y.dim()):
            start, first = next(starts)
            indices = _indices(start, next(strides), x.shape[dim], y.shape[dim] - first)
            x = x.index_select(dim, indices)
            target = target.narrow(dim, first, len(indices))
        target.copy_(x)


def _indices(start: int, stride: int, size: int, limit: int) -> Tensor:
    """Return the first `limit` indices start + k * stride in [0, size)."""
    if stride == 0:
        return torch.full((limit,), start)
    return torch.arange(start, size if stride > 0 else -1, stride)[:limit]


@check_shapes.register
def _check_permute(spec: Permute, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 2, f"{len(sizes)} tensors, expected 2")
    x, y = sizes
    expect(
        spec,
        y == tuple(x[dim] for dim in spec.permutation),
        f"output {y} is not input {x} permuted by {spec.permutation}",
    )


@evaluate.register
def _permute(spec: Permute, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    outputs[0].copy_(inputs[0].permute(spec.permutation))

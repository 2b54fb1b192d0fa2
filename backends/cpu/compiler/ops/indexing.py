"""Reference semantics of `arange`, `cumsum`, `topk` and `masked_scatter`."""

from collections.abc import Sequence

import torch
from torch import Tensor

from backends.cpu.compiler.dims import product
from backends.cpu.compiler.ops.reference import Sizes, check_shapes, evaluate, expect
from backends.cpu.schema.indexing import Arange, Cumsum, MaskedScatter, Topk


@evaluate.register
def _arange(spec: Arange, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    (y,) = outputs
    y.copy_(torch.arange(y.numel()) * spec.step + dims[0])


@evaluate.register
def _cumsum(spec: Cumsum, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    outputs[0].copy_(inputs[0].cumsum(1))


@evaluate.register
def _topk(spec: Topk, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    values, indices = torch.sort(inputs[0], dim=-1, descending=not spec.smallest, stable=True)
    found = indices if spec.indices else values
    outputs[0].copy_(found[:, : outputs[0].shape[1]])


@check_shapes.register
def _check_masked_scatter(spec: MaskedScatter, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 4, f"{len(sizes)} tensors, expected 4")
    x, mask, _, y = sizes
    expect(spec, x == y, f"input is {x}, but output is {y}")
    expect(spec, product(x) == product(mask), f"mask {mask} and input {x} have different numbers of elements")


@evaluate.register
def _masked_scatter(
    spec: MaskedScatter, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]
) -> None:
    x, mask, source = inputs
    outputs[0].copy_(x.masked_scatter(mask.view(x.shape), source))

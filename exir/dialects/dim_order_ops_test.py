"""Tests that the dim-order operators create the layout that they name."""

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import exir.dialects.dim_order_ops  # noqa: F401  (registers the operators)

OPS = torch.ops.dim_order_ops
CHANNELS_LAST = [0, 2, 3, 1]


def test_copy_has_the_requested_layout_and_dtype() -> None:
    x = torch.arange(24.0).reshape(1, 2, 3, 4)
    y = OPS._to_dim_order_copy.default(x, dtype=torch.float64, dim_order=CHANNELS_LAST)
    assert y.is_contiguous(memory_format=torch.channels_last)
    assert y.dtype == torch.float64
    assert torch.equal(y, x.double())


def test_clone_without_a_dim_order_keeps_the_layout() -> None:
    x = torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last)
    assert OPS._clone_dim_order.default(x).stride() == x.stride()
    contiguous = OPS._clone_dim_order.default(x, dim_order=[0, 1, 2, 3])
    assert contiguous.is_contiguous()


def test_dim_order_out_variants_write_their_out_tensor() -> None:
    x, out = torch.rand(2, 3), torch.empty(2, 3, dtype=torch.float64)
    assert OPS._to_dim_order_copy.out(x, dim_order=[0, 1], out=out) is out
    assert torch.equal(out, x.double())


def test_dim_order_operators_accept_fake_tensors() -> None:
    with FakeTensorMode():
        empty = OPS._empty_dim_order.default([1, 2, 3, 4], dim_order=CHANNELS_LAST)
        copied = OPS._to_dim_order_copy.default(empty, dim_order=[0, 1, 2, 3])
    assert empty.dim_order() == tuple(CHANNELS_LAST)
    assert copied.is_contiguous()


def test_every_dim_order_is_a_layout() -> None:
    y = OPS._to_dim_order_copy.default(torch.rand(2, 3, 4), dim_order=[2, 0, 1])
    assert y.stride() == (3, 1, 6)

"""The `dim_order_ops` operators: copies that name a memory layout by dim order.

A dim order lists the dimensions from the slowest to the fastest in memory: `[0, 1, 2, 3]` is
contiguous NCHW, `[0, 2, 3, 1]` is channels-last. A copy without a dim order keeps its input's
layout.
"""

import torch
from torch import Tensor
from torch.library import Library

_COPY_ARGUMENTS = (
    "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"
)
_SCHEMAS = (
    f"_to_dim_order_copy(Tensor self, {_COPY_ARGUMENTS}, bool non_blocking=False,"
    " int[]? dim_order=None) -> Tensor",
    "_to_dim_order_copy.out(Tensor self, *, bool non_blocking=False, int[]? dim_order=None,"
    " Tensor(a!) out) -> Tensor(a!)",
    f"_empty_dim_order(SymInt[] size, {_COPY_ARGUMENTS}, int[]? dim_order=None) -> Tensor",
    "_empty_dim_order.out(SymInt[] size, *, int[]? dim_order=None, Tensor(a!) out) -> Tensor(a!)",
    "_clone_dim_order(Tensor self, *, bool non_blocking=False, int[]? dim_order=None) -> Tensor",
    "_clone_dim_order.out(Tensor self, *, bool non_blocking=False, int[]? dim_order=None,"
    " Tensor(a!) out) -> Tensor(a!)",
)


def _to_dim_order_copy(
    self: Tensor,
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
    non_blocking: bool = False,
    dim_order: list[int] | None = None,
) -> Tensor:
    dtype = dtype or self.dtype
    if dim_order is None:
        return self.to(dtype, copy=True)
    return torch.empty_permuted(self.shape, dim_order, dtype=dtype, device=self.device).copy_(self)


def _empty_dim_order(
    size: list[int],
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
    dim_order: list[int] | None = None,
) -> Tensor:
    order = range(len(size)) if dim_order is None else dim_order
    return torch.empty_permuted(size, list(order), dtype=dtype, device=device)


def _clone_dim_order(
    self: Tensor, *, non_blocking: bool = False, dim_order: list[int] | None = None
) -> Tensor:
    return _to_dim_order_copy(self, dim_order=dim_order)


def _copy_out(
    self: Tensor, *, non_blocking: bool = False, dim_order: list[int] | None = None, out: Tensor
) -> Tensor:
    return out.copy_(self, non_blocking)


def _empty_out(size: list[int], *, dim_order: list[int] | None = None, out: Tensor) -> Tensor:
    return out


def _register_dim_order_ops() -> Library | None:
    """Define the operators, unless ExecuTorch's package has already defined them."""
    if hasattr(torch.ops.dim_order_ops, "_to_dim_order_copy"):
        return None
    library = Library("dim_order_ops", "FRAGMENT")
    for schema in _SCHEMAS:
        library.define(schema)
    for name, function in (
        ("_to_dim_order_copy", _to_dim_order_copy),
        ("_to_dim_order_copy.out", _copy_out),
        ("_empty_dim_order", _empty_dim_order),
        ("_empty_dim_order.out", _empty_out),
        ("_clone_dim_order", _clone_dim_order),
        ("_clone_dim_order.out", _copy_out),
    ):
        library.impl(name, function, "CompositeExplicitAutograd")
    return library


# Torch unregisters the operators when the library object is deleted.
_LIBRARY = _register_dim_order_ops()

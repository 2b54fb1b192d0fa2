"""The `dim_order_ops` operators: copies that name a memory layout by dim order.

A dim order lists the dimensions from the slowest to the fastest in memory: `[0, 1, 2, 3]`
is contiguous NCHW, `[0, 2, 3, 1]` channels last.
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
    f"_empty_dim_order(int[] size, {_COPY_ARGUMENTS}, int[]? dim_order=None) -> Tensor",
    "_empty_dim_order.out(int[] size, *, int[]? dim_order=None, Tensor(a!) out) -> Tensor(a!)",
    "_clone_dim_order(Tensor self, *, bool non_blocking=False, int[]? dim_order=None) -> Tensor",
    "_clone_dim_order.out(Tensor self, *, bool non_blocking=False, int[]? dim_order=None,"
    " Tensor(a!) out) -> Tensor(a!)",
)


def dim_order_of(rank: int, memory_format: torch.memory_format) -> list[int]:
    """The dim order that `memory_format` gives a tensor of `rank` dimensions.

    Raises ValueError when the format does not exist for the rank.
    """
    if memory_format is torch.contiguous_format:
        return list(range(rank))
    wanted = {torch.channels_last: 4, torch.channels_last_3d: 5}.get(memory_format)
    if rank != wanted:
        raise ValueError(f"{memory_format} does not exist for a tensor of {rank} dimensions")
    return [0, *range(2, rank), 1]


def memory_format_of(dim_order: list[int] | None) -> torch.memory_format:
    """The memory format of a dim order; None means that the input's layout is preserved."""
    if dim_order is None:
        return torch.preserve_format
    rank = len(dim_order)
    if list(dim_order) == list(range(rank)):
        return torch.contiguous_format
    if rank in (4, 5) and list(dim_order) == [0, *range(2, rank), 1]:
        return torch.channels_last if rank == 4 else torch.channels_last_3d
    raise ValueError(f"dim order {list(dim_order)} is no memory format that PyTorch has")


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
    return torch.ops.aten._to_copy.default(
        self,
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        non_blocking=non_blocking,
        memory_format=memory_format_of(dim_order),
    )


def _empty_dim_order(
    size: list[int],
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
    dim_order: list[int] | None = None,
) -> Tensor:
    memory_format = memory_format_of(dim_order) if dim_order else torch.contiguous_format
    return torch.ops.aten.empty.memory_format(
        size,
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        memory_format=memory_format,
    )


def _clone_dim_order(
    self: Tensor, *, non_blocking: bool = False, dim_order: list[int] | None = None
) -> Tensor:
    return torch.ops.aten.clone.default(self, memory_format=memory_format_of(dim_order))


def _copy_out(
    self: Tensor, *, non_blocking: bool = False, dim_order: list[int] | None = None, out: Tensor
) -> Tensor:
    return out.copy_(self, non_blocking)


def _empty_out(size: list[int], *, dim_order: list[int] | None = None, out: Tensor) -> Tensor:
    return out


def _register() -> Library | None:
    """Define the operators, unless ExecuTorch's own package has defined the same in this process."""
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


# Torch drops the operators with the object that registered them, so it lives as long as the module.
_LIBRARY = _register()

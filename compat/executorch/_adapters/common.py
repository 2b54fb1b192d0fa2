"""Helpers for schemas, sizes and memory formats."""

import logging
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes
from typing_extensions import deprecated

from exir.graph.size_bounds import constraint_bound, hint_bound
from exir.tensor import dim_order_of_strides


class ExperimentalWarning(DeprecationWarning):
    """A use of an interface that can change without notice."""


class experimental(deprecated):  # noqa: N801 (a decorator's name)
    """A decorator for experimental classes and functions.

    Uses raise an `ExperimentalWarning`.
    """

    def __init__(
        self, message: str, /, *, category: type[Warning] | None = ExperimentalWarning, stacklevel: int = 1
    ) -> None:
        super().__init__(message, category=category, stacklevel=stacklevel)


def get_schema_for_operators(ops: Iterable[str]) -> dict[str, str]:
    """Return the schemas of operators such as `torch.ops.aten.add.Tensor`.

    Operators that do not exist are omitted.
    """
    found = {}
    for name in ops:
        overload: Any = torch.ops
        for part in name.removeprefix("torch.ops.").split("."):
            overload = getattr(overload, part, None)
        if overload is not None:
            found[name] = str(overload._schema)
    return found


def extract_out_arguments(
    schema: torch._C.FunctionSchema, keyword_args: dict[str, Any]
) -> tuple[str, Any] | list[tuple[str, Any]]:
    """Return the out arguments among `keyword_args`, with their names.

    A single argument is returned without a list.
    """
    found = [(argument.name, keyword_args[argument.name]) for argument in schema.arguments if argument.is_out]
    return found[0] if len(found) == 1 else found


def format_schema_name(schema: torch._C.FunctionSchema) -> str:
    """Return the operator name of a schema, such as `aten::add.Tensor`."""
    return f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name


@contextmanager
def override_logger(newlevel: int = logging.DEBUG, fmtstr: str = "%(message)s", filename: str = "") -> Iterator[None]:
    """Set the root logger's level in a context."""
    root = logging.getLogger()
    before = root.level
    root.setLevel(newlevel)
    try:
        yield
    finally:
        root.setLevel(before)


@contextmanager
def setting_python_recursive_limit(limit: int = 10000) -> Iterator[None]:
    """Set Python's recursion limit in a context."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextmanager
def no_dispatch() -> Iterator[None]:
    """Disable active dispatch modes in a context."""
    with _disable_current_modes():
        yield


def eval_expr(symint: int | torch.SymInt) -> int | None:
    """Return the size for the example inputs."""
    return hint_bound(symint)


def eval_upper_bound(maybe_symint: int | torch.SymInt) -> int:
    """Return the upper bound of a size. If unbounded, return the example inputs' size."""
    if not isinstance(maybe_symint, torch.SymInt):
        return maybe_symint
    bound = constraint_bound(maybe_symint.node.shape_env.var_to_range)(maybe_symint)
    return bound if bound is not None else hint_bound(maybe_symint) or sys.maxsize


def eval_shape(shape: Sequence[int | torch.SymInt]) -> tuple[int | None, ...]:
    """Return the sizes for the example inputs."""
    return tuple(eval_expr(size) for size in shape)


def eval_shape_upper_bound(shape: Sequence[int | torch.SymInt]) -> list[int]:
    """Return the upper bounds of sizes."""
    return [eval_upper_bound(size) for size in shape]


def collect_free_symbols(shape: Sequence[int | torch.SymInt]) -> set[Any]:
    """Return the symbols in sizes."""
    return {symbol for size in shape if isinstance(size, torch.SymInt) for symbol in size.node.expr.free_symbols}


def get_memory_format(dim_order: Sequence[int] | None) -> torch.memory_format:
    """Return the memory format of a dim order. Raise an error if there is none."""
    if dim_order is None:
        return torch.preserve_format
    order = list(dim_order)
    if order == list(range(len(order))):
        return torch.contiguous_format
    if order == get_dim_order(torch.channels_last, len(order)):
        return torch.channels_last
    raise AssertionError(f"dim order {order} is not a memory format")


def get_dim_order(memory_format: torch.memory_format | None, ndim: int) -> list[int] | None:
    """Return the dim order of a memory format; None for the preserving format."""
    if memory_format in (None, torch.preserve_format):
        return None
    if memory_format is torch.contiguous_format:
        return list(range(ndim))
    if memory_format is torch.channels_last and ndim >= 3:
        return [0, *range(2, ndim), 1]
    raise AssertionError(f"{memory_format} does not support {ndim}-dimensional tensors")


def is_channel_last_dim_order(tensor: torch.Tensor) -> bool:
    """Return true if the tensor is channels-last."""
    return tensor.dim() == 4 and list(_dim_order(tensor)) == [0, 2, 3, 1]


def is_contiguous_dim_order(tensor: torch.Tensor) -> bool:
    """Return true if the tensor is contiguous."""
    return list(_dim_order(tensor)) == list(range(tensor.dim()))


def _dim_order(tensor: torch.Tensor) -> tuple[int, ...]:
    return dim_order_of_strides(tuple(tensor.shape), tuple(tensor.stride()))

"""Compare a kernel with PyTorch's operator on the same arguments."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, cast

import torch

from kernels.testing.native import Kernels

TOLERANCES = {
    torch.float16: (2e-3, 2e-3),
    torch.bfloat16: (1.6e-2, 1.6e-2),
    torch.float32: (1e-5, 1e-5),
    torch.float64: (1e-12, 1e-12),
    torch.complex64: (1e-5, 1e-5),
    torch.complex128: (1e-12, 1e-12),
}

FLOATING = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
INTEGRAL = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
NUMBERS = (torch.bool, *INTEGRAL, *FLOATING)

SPECIAL = (0.0, -0.0, 1.0, -1.5, 2.5, float("inf"), float("-inf"), float("nan"), 1e-30, 1e30, 7.0)


def load_kernels() -> Kernels:
    """Load the library at the path in the environment variable KERNELS_LIBRARY."""
    return Kernels(os.environ["KERNELS_LIBRARY"])


def random_tensor(shape: Sequence[int], dtype: torch.dtype = torch.float32, seed: int = 0) -> torch.Tensor:
    """Return small positive and negative values that depend only on the arguments."""
    generator = torch.Generator().manual_seed(seed)
    if dtype == torch.bool:
        return torch.randint(0, 2, tuple(shape), generator=generator).bool()
    if dtype.is_floating_point:
        return torch.randn(tuple(shape), generator=generator).to(dtype)
    if dtype.is_complex:
        return torch.randn(tuple(shape), generator=generator, dtype=dtype)
    low = -50 if dtype.is_signed else 0
    return torch.randint(low, 50, tuple(shape), generator=generator).to(dtype)


def blank(like: torch.Tensor, order: Sequence[int] | None = None) -> torch.Tensor:
    """Return an output tensor with the dtype of `like`, filled with garbage.

    The dim order is `order`, by default that of `like`. Each dimension whose size is not 1 has one
    element too many, so that the kernel must resize it.
    """
    order = list(like.dim_order()) if order is None else list(order)
    shape = [size if size == 1 else size + 1 for size in like.shape]
    strides, stride = [0] * like.dim(), 1
    for dim in reversed(order):
        strides[dim] = stride
        stride *= shape[dim]
    tensor = torch.empty_strided(shape, strides, dtype=like.dtype)
    if tensor.untyped_storage().nbytes():
        cast(Any, tensor.untyped_storage()).fill_(0x7B)
    return tensor


def channels_last(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(memory_format=torch.channels_last)


def check(
    kernels: Kernels,
    name: str,
    *arguments: object,
    out: torch.dtype | Sequence[torch.dtype] | None = None,
    order: Sequence[int] | None = None,
    tolerance: tuple[float, float] | None = None,
    reference: Callable[..., torch.Tensor | tuple[torch.Tensor, ...]] | None = None,
) -> None:
    """Assert that the kernel's results equal those of `reference`.

    The default reference is the operator. `out` is the dtype of the result, or a sequence of dtypes for several
    results. The default is the dtype of the first tensor. `tolerance` is (rtol, atol).
    """
    dtypes = _out_dtypes(out, arguments)
    expected = _reference(reference or _operator(name, dtypes), arguments)
    results = [blank(tensor, order) for tensor in expected]
    returns = results if len(results) == 1 else [results]
    kernels.call(name, *arguments, *results, *returns)
    for result, tensor in zip(results, expected, strict=True):
        rtol, atol = tolerance or TOLERANCES.get(tensor.dtype, (0.0, 0.0))
        torch.testing.assert_close(result, tensor, rtol=rtol, atol=atol, equal_nan=True, check_stride=False)


def _out_dtypes(out: torch.dtype | Sequence[torch.dtype] | None, arguments: Sequence[object]) -> list[torch.dtype]:
    if isinstance(out, torch.dtype):
        return [out]
    if out is not None:
        return list(out)
    return [next(argument.dtype for argument in arguments if isinstance(argument, torch.Tensor))]


def _reference(function: Callable[..., object], arguments: Sequence[object]) -> list[torch.Tensor]:
    result = function(*arguments)
    return list(result) if isinstance(result, (tuple, list)) else [cast(torch.Tensor, result)]


def _operator(name: str, dtypes: Sequence[torch.dtype]) -> Callable[..., object]:
    """Wrap the operator's out overload in a function that returns new tensors."""
    namespace, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    operator = getattr(getattr(getattr(torch.ops, namespace), base), overload)
    declared = [argument for argument in operator._schema.arguments if not argument.is_out]
    outs = [argument.name for argument in operator._schema.arguments if argument.is_out]

    def call(*arguments: object) -> object:
        positional = [value for value, argument in zip(arguments, declared) if not argument.kwarg_only]
        keywords = {argument.name: value for value, argument in zip(arguments, declared) if argument.kwarg_only}
        keywords |= {out: torch.empty(0, dtype=dtype) for out, dtype in zip(outs, dtypes, strict=True)}
        return operator(*positional, **keywords)

    return call

"""Values of operators whose layout is known without running them."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch._prims_common import suggest_memory_format

from exir.graph.variants import run_copying

_ATEN = torch.ops.aten


def known_value(op: OpOverload, args: Any, kwargs: Mapping[str, Any]) -> Any:
    """Compute the value of `copy_form(op)`, without running `op` if it is known."""
    known = _KNOWN.get(op)
    return run_copying(op, args, kwargs) if known is None else known(*args, **kwargs)


def _batch_norm(x: Tensor, *others: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The result has the layout of `x`.

    Statistics are saved only for training. torch runs ten operators to compute this value.
    """
    return torch.empty_like(x), x.new_empty(0), x.new_empty(0)


def _group_norm(x: Tensor, *others: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The result has the memory format of `x`.

    torch's value for one channels-last image has other strides, for which convolutions change the dim
    order.
    """
    _, mean, deviation = run_copying(_ATEN.native_group_norm.default, (x, *others), {})
    return torch.empty_like(x, memory_format=suggest_memory_format(x)), mean, deviation


def _fake_geqrf(x: Tensor) -> tuple[Tensor, Tensor]:
    """The result is column-major, as in LAPACK; torch has no fake implementation."""
    return x.new_empty(x.mT.shape).mT, x.new_empty([*x.shape[:-2], min(x.shape[-2:])])


_KNOWN: Mapping[OpOverload, Callable[..., Any]] = {
    _ATEN._native_batch_norm_legit_no_training.default: _batch_norm,
    _ATEN.geqrf.default: _fake_geqrf,
    _ATEN.native_group_norm.default: _group_norm,
}

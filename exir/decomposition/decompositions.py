"""The table of decompositions to core ATen."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import torch
import torch._refs
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Node

from exir.decomposition.affine import affine_decompositions
from exir.decomposition.arithmetic import ARITHMETIC
from exir.decomposition.attention import PRESERVE_SDPA
from exir.decomposition.complex_numbers import COMPLEX_NUMBERS
from exir.decomposition.composites import COMPOSITES
from exir.decomposition.counting import COUNTING
from exir.decomposition.drawing import DRAWING
from exir.decomposition.gradients import GRADIENTS
from exir.decomposition.grouping import GROUPING, experts_decompositions
from exir.decomposition.linear_algebra import LINEAR_ALGEBRA
from exir.decomposition.ordering import ORDERING
from exir.decomposition.polynomials import POLYNOMIALS
from exir.decomposition.resizing import UINT8_RESIZING
from exir.decomposition.scattering import SCATTERING
from exir.decomposition.splitting import SPLITTING

_ATEN = torch.ops.aten
# Their values are computed as constants (`exir.decomposition.compile_time`).
_EVALUATED = frozenset({_ATEN.hann_window.default, _ATEN.hann_window.periodic})
NodeFilter = Callable[[Node], bool]
_CORE_COMPOSITES = frozenset({_ATEN.upsample_bilinear2d.vec, _ATEN.upsample_nearest2d.vec})


@dataclass(frozen=True)
class Decompositions:
    """The decompositions to core ATen.

    preserve: operators that are not decomposed at the nodes for which their function returns true.
    """

    table: Mapping[OpOverload, Callable[..., Any]]
    preserve: Mapping[OpOverload, NodeFilter] = field(default_factory=dict)

    def apply_to(self, op: OpOverload, node: Node | None = None) -> bool:
        """Return true if `op` is decomposed, by the table or as a composite operator.

        node: the node of the program that calls `op`, if any.
        """
        is_kept = node is not None and op in self.preserve and self.preserve[op](node)
        if op.namespace == "prim" or is_kept:
            return False
        return op in self.table or (op._can_decompose() and not _is_core_composite(op))

    def preserving(self, more: Mapping[OpOverload, NodeFilter]) -> "Decompositions":
        """Return a copy that also preserves the operators of `more`."""
        preserved = dict(self.preserve)
        for op, accepts in more.items():
            preserved[op] = either(preserved.get(op), accepts)
        return replace(self, preserve=preserved)

    def for_retracing(self) -> dict[OpOverload, Callable[..., Any]]:
        """Return the table for `run_decompositions`.

        This project's decompositions are excluded, because they are applied to the result of
        `run_decompositions`. The table lists composite operators, because `run_decompositions`
        preserves the composites that it does not list.
        """
        excluded = self.preserve.keys() | _OWN.keys() | _package_decompositions().keys()
        excluded |= UINT8_RESIZING.keys()
        excluded |= PRESERVE_SDPA.keys() & self.table.keys()
        table = {**torch._decomp.core_aten_decompositions(), **self.table}
        return {op: run for op, run in table.items() if op not in excluded and op not in _EVALUATED}

    def __call__(self, op: OpOverload, args: Any, kwargs: Mapping[str, Any]) -> Any:
        """Run the decomposition of `op`, or return NotImplemented if there is none."""
        if not self.apply_to(op):
            return NotImplemented
        decomposition = self.table.get(op, op.decompose)
        return decomposition(*args, **kwargs)


def core_aten(
    preserve: Mapping[OpOverload, NodeFilter] | None = None,
    attention: bool = False,
) -> Decompositions:
    """Return the decompositions to core ATen.

    attention: keep supported SDPA calls as one operator.
    """
    table = {**_core_aten_table(), **_package_decompositions(), **(PRESERVE_SDPA if attention else {})}
    return Decompositions(table, dict(preserve or {}))


def either(first: NodeFilter | None, second: NodeFilter) -> NodeFilter:
    """Return a filter that accepts a node if one of the filters does."""
    return second if first is None else lambda node: first(node) or second(node)


def _package_decompositions() -> Mapping[OpOverload, Callable[..., Any]]:
    """Return decompositions of the operators that packages have registered."""
    return {**affine_decompositions(), **experts_decompositions()}


@cache
def _core_aten_table() -> Mapping[Any, Callable[..., Any]]:
    # Composites are excluded: listing them is slow, and they depend on registrations.
    core = dict(torch._decomp._core_aten_decompositions_post_autograd())
    for op in _EVALUATED:
        core.pop(op, None)
    more: Mapping[Any, Callable[..., Any]] = torch._decomp.get_decompositions([_ATEN.linalg_vector_norm])
    return {**core, **more, **_OWN}


def _is_core_composite(op: OpOverload) -> bool:
    """Return true if a composite operator belongs to core ATen."""
    return op in _CORE_COMPOSITES or op._opname.startswith("sym_")


def _linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Lower a linear layer to one matrix multiplication.

    `x` [..., K], `weight` [N, K], `bias` [N] → [..., N]; `weight` [K], `bias` [] → [...].
    """
    if weight.dim() == 1:
        sums = torch.matmul(x, weight)
        return sums if bias is None else sums + bias
    count = -1 if weight.shape[1] != 0 else math.prod(x.shape[:-1])
    rows = x if x.dim() == 2 else x.reshape(count, weight.shape[1])
    columns = weight.permute(1, 0)
    product = torch.mm(rows, columns) if bias is None else torch.addmm(bias, rows, columns)
    return product if x.dim() == 2 else product.reshape([*x.shape[:-1], weight.shape[0]])


def _batch_norm(
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor | None,
    variance: Tensor | None,
    training: bool,
    momentum: float,
    epsilon: float,
    cudnn_enabled: bool,
) -> Any:
    """Keep an inference batch norm as one operator; decompose training as torch does."""
    if training or mean is None or variance is None:
        return NotImplemented
    statistics = (mean, variance, momentum, epsilon)
    return _ATEN._native_batch_norm_legit_no_training.default(x, weight, bias, *statistics)[0]


def _roll(x: Tensor, shifts: Sequence[Any], dims: Sequence[int] = ()) -> Tensor:
    """Roll dimensions that can be empty; torch's decomposition divides by sizes."""
    size = x.shape[dims[0]] if len(dims) == 1 and x.dim() > 0 else 0
    if isinstance(size, int):
        return torch._refs.roll(x, tuple(shifts), tuple(dims))
    return x.index_select(dims[0], torch.remainder(torch.arange(size) - shifts[0], size))


_OWN: Mapping[OpOverload, Callable[..., Any]] = {
    _ATEN.__lshift__.Scalar: _ATEN.bitwise_left_shift.Tensor_Scalar,
    _ATEN.__lshift__.Tensor: _ATEN.bitwise_left_shift.Tensor,
    _ATEN.__rshift__.Scalar: _ATEN.bitwise_right_shift.Tensor_Scalar,
    _ATEN.__rshift__.Tensor: _ATEN.bitwise_right_shift.Tensor,
    _ATEN.linear.default: _linear,
    _ATEN.batch_norm.default: _batch_norm,
    _ATEN.roll.default: _roll,
    **ARITHMETIC,
    **COMPLEX_NUMBERS,
    **COMPOSITES,
    **COUNTING,
    **DRAWING,
    **GRADIENTS,
    **GROUPING,
    **LINEAR_ALGEBRA,
    **ORDERING,
    **SPLITTING,
    **POLYNOMIALS,
    **SCATTERING,
}

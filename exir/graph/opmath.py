"""Numbers that PyTorch does not round to the dtype in which an operator computes."""

import torch
from torch._ops import OpOverload

_ATEN = torch.ops.aten
# What multiplies and divides halves does so in float32, and reads a second operand
# without dimensions in it.
_FACTORS = frozenset({_ATEN.div.Tensor, _ATEN.div.Tensor_mode, _ATEN.mul.Tensor})
_HALVES = frozenset({torch.float16, torch.bfloat16})
_FACTOR = 1


def is_factor(op: OpOverload, index: int, rank: int, common: torch.dtype | None) -> bool:
    """Whether operand `index`, of `rank` dimensions, is read in float32 by `op` on halves.

    common: the dtype of the result.
    """
    return op in _FACTORS and index == _FACTOR and rank == 0 and common in _HALVES

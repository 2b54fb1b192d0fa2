"""Numbers that PyTorch does not round to the dtype in which an operator computes."""

import torch
from torch._ops import OpOverload

from exir.operators.facts_of import facts_of

_HALVES = frozenset({torch.float16, torch.bfloat16})


def is_factor(op: OpOverload, operand: str, rank: int, common: torch.dtype | None) -> bool:
    """Whether the operand, of `rank` dimensions, is read in float32 by `op` on halves.

    common: the dtype of the result.
    """
    return operand == facts_of(op).factor and rank == 0 and common in _HALVES

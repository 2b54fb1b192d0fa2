"""Operands that PyTorch does not round to the dtype of the computation."""

import torch
from torch._ops import OpOverload

from exir.operators.facts_of import facts_of

_HALVES = frozenset({torch.float16, torch.bfloat16})


def is_factor(op: OpOverload, operand: str, rank: int, common: torch.dtype | None) -> bool:
    """Whether `op` reads an operand of a float16 or bfloat16 computation in float32.

    rank: the number of dimensions of the operand.
    common: the dtype of the result.
    """
    return operand == facts_of(op).factor and rank == 0 and common in _HALVES

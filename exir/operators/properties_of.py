"""Properties of PyTorch's operators, by their out variants in the operator table."""

from __future__ import annotations

from functools import cache

import torch
from torch._ops import OpOverload

from exir.dialects.out_variant import out_variant_of
from exir.operators.operators import builtin_operators
from exir.operators.properties import OperatorProperties

_NONE = OperatorProperties()
_CORE_TAGS = frozenset({torch.Tag.core, torch.Tag.view_copy})


@cache
def properties_of(op: OpOverload) -> OperatorProperties:
    """Return the properties of the functional `op`.

    The defaults apply if the table does not list the operator.
    """
    variant = out_variant_of(op)
    row = builtin_operators().get(op.name() if variant is None else variant.op.name())
    return _NONE if row is None else row.properties


@cache
def is_in_edge_dialect(op: OpOverload) -> bool:
    """Return true if the edge dialect allows `op`.

    Allowed are core ATen, operators that the table lists as additions, and custom operators.
    """
    return op.namespace != "aten" or bool(_CORE_TAGS & set(op.tags)) or properties_of(op).beside_core


_FLOAT16_DTYPES = frozenset({torch.float16, torch.bfloat16})


def is_factor(op: OpOverload, operand: str, rank: int, common: torch.dtype | None) -> bool:
    """Return true if `op` computes in a 16-bit dtype but reads `operand` in float32.

    rank: the number of dimensions of the operand.
    common: the dtype of the result.
    """
    return operand == properties_of(op).factor and rank == 0 and common in _FLOAT16_DTYPES

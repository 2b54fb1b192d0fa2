"""Facts of PyTorch's operators, by the out variant that the operator table lists."""

from __future__ import annotations

from functools import cache

import torch
from torch._ops import OpOverload

from exir.operators.facts import Facts
from exir.operators.operators import own_operators
from exir.out_variant import out_variant_of

_NONE = Facts()
_CORE_TAGS = frozenset({torch.Tag.core, torch.Tag.view_copy})


@cache
def facts_of(op: OpOverload) -> Facts:
    """What the table says of the functional `op`; of an operator that is not in it, nothing."""
    variant = out_variant_of(op)
    row = own_operators().get(op.name() if variant is None else variant.op.name())
    return _NONE if row is None else row.facts


@cache
def is_in_edge_dialect(op: OpOverload) -> bool:
    """Whether a program of the edge dialect may call `op`: core ATen, listed beside it, or a custom operator."""
    return op.namespace != "aten" or bool(_CORE_TAGS & set(op.tags)) or facts_of(op).beside_core

"""Lowering rules for operators."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.fx import Node

from backends.cpu.compiler.dims import Dim
from backends.cpu.compiler.lower.builder import Builder
from backends.cpu.compiler.lower.program import Program
from backends.cpu.schema.declarations import OpSpec

# Integer dtypes of counts and indices.
WHOLE = (torch.int64, torch.int32)
# Dtypes that arithmetic supports.
NUMBERS = (torch.float32, torch.bool, *WHOLE)
# Dtypes that copies support.
ANY = (*NUMBERS, torch.float16, torch.bfloat16, torch.int16, torch.int8, torch.uint8)


# User-visible reason that a node cannot be lowered, or None if it can be.
Refusal: TypeAlias = str | None
Refuses: TypeAlias = Callable[[Program, Node], Refusal]


def never(program: Program, node: Node) -> Refusal:
    """Accept every node."""
    return None


@dataclass(frozen=True)
class Example:
    """An example call that a rule lowers to `op`, possibly among other ops.

    Tests compare its results with PyTorch, and run it with damaged payloads.

    inputs: creates the arguments of `function`.
    """

    op: type[OpSpec]
    function: Callable[..., Any]
    inputs: Callable[[], tuple[Tensor, ...]]


@dataclass(frozen=True)
class Rule:
    """The lowering of an operator of the edge dialect.

    lower: emits the ops of a node, and sets the layout of its result.
    refuses: returns the reason that a node cannot be lowered, or None. It is called after dtypes,
        ranks and bounds of all tensors have been checked.
    computes: False if the result is a view of the input.
    dtypes: allowed dtypes of operands and results.
    first: allowed dtypes of the first operand; None for `dtypes`.
    numbers: whether operands may be dynamic integers.
    whole: whether the partitioner must preserve the operator, because PyTorch would otherwise
        decompose it.
    """

    lower: Callable[[Builder, Node], None]
    refuses: Refuses = never
    computes: bool = True
    dtypes: tuple[torch.dtype, ...] = (torch.float32,)
    first: tuple[torch.dtype, ...] | None = None
    numbers: bool = False
    whole: bool = False
    examples: tuple[Example, ...] = ()


def refuses_sizes(program: Program, sizes: Sequence[Dim], others: Sequence[Dim], broadcast: bool = False) -> Refusal:
    """Reject sizes whose maxima differ from those of `others`.

    Dimensions are right-aligned. Different expressions can be equal, for example because of
    `torch._check`. The runtime verifies dynamic sizes in calls.

    broadcast: whether sizes may be 1.
    """
    aligned = others[len(others) - len(sizes) :]
    for size, other in zip(sizes, aligned, strict=True):
        if size == other or (broadcast and size == 1):
            continue
        if other == 1 or program.bounds.maximum(size) != program.bounds.maximum(other):
            return f"the sizes {size} and {other} are not known to be equal at compile time"
    return None

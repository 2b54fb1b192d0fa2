"""Lowering rules, and the program as they see it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import torch
from torch import Tensor
from torch.export import ExportedProgram
from torch.fx import Node

from backends.cpu.compiler.dims import Bounds, Dim, dim_of, dims_of
from backends.cpu.compiler.ops.cast import HALVES
from backends.cpu.compiler.quantized import QuantizedConstants
from backends.cpu.schema.declarations import OpSpec
from exir.graph.constants import ConstantTable
from exir.graph.fake_mode import fake_mode_of

if TYPE_CHECKING:
    from backends.cpu.compiler.lower.builder import Builder

# Integer dtypes of counts and indices.
WHOLE = (torch.int64, torch.int32)
# Dtypes that arithmetic supports.
NUMBERS = (torch.float32, torch.bool, *WHOLE)
# Dtypes that copies support.
ANY = (*NUMBERS, torch.float16, torch.bfloat16, torch.int16, torch.int8, torch.uint8)


class Program:
    """A program to lower, with its constants and the bounds of its sizes."""

    def __init__(self, program: ExportedProgram) -> None:
        self.graph = program.graph
        self.bounds = Bounds(program.range_constraints)
        self.quantized = QuantizedConstants()
        self._constants = ConstantTable(program, fake_mode_of(program.graph))

    def constant(self, value: object) -> Tensor | None:
        """Return the elements of a constant, dequantized, or None for other values.

        16-bit elements are returned as float32.
        """
        found = self.weight(value)
        return found.float() if found is not None and found.dtype in HALVES else found

    def weight(self, value: object) -> Tensor | None:
        """Return the elements of a constant in the dtype of the program, dequantized, or None for other values."""
        if isinstance(value, Node) and value.op == "call_function":
            return self.quantized.dequantized(value, self._constants.tensor)
        return self._constants.tensor(value)


# Reason, shown to users, why a node cannot be lowered. None if it can.
Refusal: TypeAlias = str | None
Refuses: TypeAlias = Callable[[Program, Node], Refusal]


def never(program: Program, node: Node) -> Refusal:
    """Accept every node."""
    return None


@dataclass(frozen=True)
class Example:
    """An example call that a rule lowers to `op`, possibly among other ops.

    Tests compare its results with PyTorch, and run it with damaged payloads.

    inputs: makes the arguments of `function`.
    """

    op: type[OpSpec]
    function: Callable[..., Any]
    inputs: Callable[[], tuple[Tensor, ...]]


@dataclass(frozen=True)
class Rule:
    """The lowering of an operator of the edge dialect.

    lower: emits the ops of a node, and sets the layout of its result.
    refuses: returns why a node cannot be lowered, or None. Dtypes, ranks and bounds of all tensors have been checked
        before.
    computes: False if the result is a view of the input.
    dtypes: allowed dtypes of operands and results.
    first: allowed dtypes of the first operand; None for `dtypes`.
    numbers: whether operands may be dynamic integers.
    whole: whether the partitioner must preserve the operator, because PyTorch would otherwise decompose it.
    """

    lower: Callable[["Builder", Node], None]
    refuses: Refuses = never
    computes: bool = True
    dtypes: tuple[torch.dtype, ...] = (torch.float32,)
    first: tuple[torch.dtype, ...] | None = None
    numbers: bool = False
    whole: bool = False
    examples: tuple[Example, ...] = ()


def argument(node: Node, index: int, name: str, default: Any = None) -> Any:
    """Return an argument of a call, positional or by keyword."""
    if len(node.args) > index:
        return node.args[index]
    return node.kwargs.get(name, default)


def given_tensor_of(node: Any) -> Tensor:
    """Return the (fake) tensor that `node` computes."""
    value = node.meta["val"]
    assert isinstance(value, torch.Tensor)
    return value


def tensor_of(node: Any) -> Tensor:
    """Return the (fake) tensor that ops compute for `node`.

    It is float32 if the program has float16 or bfloat16.
    """
    value = given_tensor_of(node)
    return value.float() if value.dtype in HALVES else value


def dims_at(node: Any) -> tuple[Dim, ...]:
    """Return the sizes of the tensor that `node` computes."""
    return dims_of(tensor_of(node))


def refuses_sizes(program: Program, sizes: Sequence[Dim], others: Sequence[Dim], broadcast: bool = False) -> Refusal:
    """Refuse sizes whose maxima differ from those of `others`. Dimensions are right-aligned.

    PyTorch may know that different expressions are equal, for example through `torch._check`. The runtime verifies
    sizes at their maxima.

    broadcast: whether sizes may be 1.
    """
    aligned = others[len(others) - len(sizes) :]
    for size, other in zip(sizes, aligned, strict=True):
        if size == other or (broadcast and size == 1):
            continue
        if other == 1 or program.bounds.maximum(size) != program.bounds.maximum(other):
            return f"the sizes {size} and {other} are not known to be equal at compile time"
    return None


def dim_at(value: Any) -> Dim:
    """Return an integer argument, static or dynamic, as a dim."""
    return dim_of(value.meta["val"]) if isinstance(value, Node) else value

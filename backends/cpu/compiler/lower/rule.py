"""What a lowering rule is, and what it may ask about the program."""

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
from exir.graph.constants import ConstantTable
from exir.graph.fake_mode import fake_mode_of

if TYPE_CHECKING:
    from backends.cpu.compiler.lower.builder import Builder

MAX_RANK = 8

# Dtypes that count and say where something is.
WHOLE = (torch.int64, torch.int32)
# Dtypes that are computed with.
NUMBERS = (torch.float32, torch.bool, *WHOLE)
# Dtypes that are moved as they are.
ANY = (*NUMBERS, torch.float16, torch.bfloat16, torch.int16, torch.int8, torch.uint8)


class Program:
    """A program to be lowered: its constants, and how large its sizes can be."""

    def __init__(self, program: ExportedProgram) -> None:
        self.graph = program.graph
        self.bounds = Bounds(program.range_constraints)
        self.quantized = QuantizedConstants()
        self._constants = ConstantTable(program, fake_mode_of(program.graph))

    def constant(self, value: object) -> Tensor | None:
        """The elements of a constant, or what a quantized one stands for; None for anything else. Halves are floats."""
        found = self.weight(value)
        return found.float() if found is not None and found.dtype in HALVES else found

    def weight(self, value: object) -> Tensor | None:
        """The same, in the dtype that the program has."""
        if isinstance(value, Node) and value.op == "call_function":
            return self.quantized.dequantized(value, self._constants.tensor)
        return self._constants.tensor(value)


# Why a node cannot be lowered, for people to read; None when it can.
Refusal: TypeAlias = str | None
Refuses: TypeAlias = Callable[[Program, Node], Refusal]


def never(program: Program, node: Node) -> Refusal:
    """Every node can be lowered."""
    return None


@dataclass(frozen=True)
class Rule:
    """How one operator of the edge dialect becomes ops.

    refuses: the reason why a node cannot be lowered, or None. Dtypes, ranks and bounds of all
        tensors have been looked at before.
    lower: adds the node's ops and says where its result lies.
    computes: whether it does more than look at its input in another shape.
    dtypes: that its operands and result may have.
    first: dtypes that its first operand may have, where its results may have more.
    numbers: whether operands may be integers that are computed during the call.
    """

    lower: Callable[["Builder", Node], None]
    refuses: Refuses = never
    computes: bool = True
    dtypes: tuple[torch.dtype, ...] = (torch.float32,)
    first: tuple[torch.dtype, ...] | None = None
    numbers: bool = False


def argument(node: Node, index: int, name: str, default: Any = None) -> Any:
    """An argument of a call, wherever it stands."""
    if len(node.args) > index:
        return node.args[index]
    return node.kwargs.get(name, default)


def given_tensor_of(node: Any) -> Tensor:
    """The (fake) tensor that `node` gives."""
    value = node.meta["val"]
    assert isinstance(value, torch.Tensor)
    return value


def tensor_of(node: Any) -> Tensor:
    """The (fake) tensor that ops compute for `node`: where the program has halves, they have floats."""
    value = given_tensor_of(node)
    return value.float() if value.dtype in HALVES else value


def dims_at(node: Any) -> tuple[Dim, ...]:
    """The sizes of the tensor that `node` gives."""
    return dims_of(tensor_of(node))


def refuses_sizes(program: Program, sizes: Sequence[Dim], others: Sequence[Dim], broadcast: bool = False) -> Refusal:
    """The reason where ops would find that sizes are not those of `others`, aligned on the right, at their largest.

    PyTorch may know that different expressions are equal, for example by `torch._check`. Ops do not.
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
    """An argument that is an integer, known or computed, as a size."""
    return dim_of(value.meta["val"]) if isinstance(value, Node) else value

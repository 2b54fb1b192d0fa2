"""Access to the program and its nodes for lowering rules."""

from typing import Any

import torch
from torch import Tensor
from torch.export import ExportedProgram
from torch.fx import Node

from backends.cpu.compiler.dims import Bounds, Dim, dim_of, dims_of
from backends.cpu.compiler.ops.quantization import FLOAT16_DTYPES
from backends.cpu.compiler.quantized import QuantizedConstants
from exir.graph.constants import ConstantTable
from exir.graph.fake_mode import fake_mode_of


class Program:
    """A program to lower, with its constants and the bounds of its sizes."""

    def __init__(self, program: ExportedProgram) -> None:
        self.graph = program.graph
        self.bounds = Bounds(program.range_constraints)
        self.quantized = QuantizedConstants()
        self._constants = ConstantTable(program, fake_mode_of(program.graph))

    def constant(self, value: object) -> Tensor | None:
        """Return the dequantized elements of a constant, or None for other values.

        16-bit elements are returned as float32.
        """
        found = self.weight(value)
        return found.float() if found is not None and found.dtype in FLOAT16_DTYPES else found

    def weight(self, value: object) -> Tensor | None:
        """Return the dequantized elements of a constant in its own dtype, or None."""
        if isinstance(value, Node) and value.op == "call_function":
            return self.quantized.dequantized(value, self._constants.tensor)
        return self._constants.tensor(value)


def argument(node: Node, index: int, name: str, default: Any = None) -> Any:
    """Return an argument of a call, whether it is positional or a keyword argument."""
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
    return value.float() if value.dtype in FLOAT16_DTYPES else value


def dims_at(node: Any) -> tuple[Dim, ...]:
    """Return the sizes of the tensor that `node` computes."""
    return dims_of(tensor_of(node))


def dim_at(value: Any) -> Dim:
    """Return an integer argument, static or dynamic, as a dim."""
    return dim_of(value.meta["val"]) if isinstance(value, Node) else value

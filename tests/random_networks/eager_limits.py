"""Detects programs and calls for which torch.export or torchao is wrong."""

from __future__ import annotations

import copy
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

import sympy
import torch
from torch import Tensor
from torch.export import ExportedProgram
from torch.fx import Interpreter, Node

from exir.cli.quantization import Quantization


def cloned(inputs: Sequence[Any]) -> list[Any]:
    """Return a copy of the inputs of a call."""
    return [each.clone() if isinstance(each, Tensor) else each for each in inputs]


def symbol_values(program: ExportedProgram, inputs: Sequence[Any]) -> dict[sympy.Symbol, sympy.Integer]:
    """Return the value in `inputs` of each symbol that is a size or an integer."""
    declared = [node.meta.get("val") for node in program.graph.find_nodes(op="placeholder")][-len(inputs) :]
    pairs = [
        pair
        for value, given in zip(declared, inputs, strict=True)
        for pair in (zip(value.shape, given.shape, strict=True) if isinstance(value, Tensor) else [(value, given)])
    ]
    return {size.node.expr: sympy.Integer(given) for size, given in pairs if isinstance(size, torch.SymInt)}


def check_declared_sizes(program: ExportedProgram, inputs: Sequence[Any]) -> None:
    """Raise `ValueError` if a tensor's size differs from torch.export's declaration.

    torch.export declares the example's size where it evaluates a comparison and loses the guard.
    """
    _SizeCheck(copy.deepcopy(program.module(check_guards=False)), symbol_values(program, inputs)).run(*cloned(inputs))


class _SizeCheck(Interpreter):
    def __init__(self, module: torch.fx.GraphModule, values: Mapping[sympy.Symbol, sympy.Integer]) -> None:
        super().__init__(module)
        self._values = dict(values)

    def run_node(self, n: Node) -> Any:
        value, declared = super().run_node(n), n.meta.get("val")
        if isinstance(value, Tensor) and isinstance(declared, Tensor):
            sizes = [self._size(size) for size in declared.shape]
            if any(known not in (None, size) for known, size in zip(sizes, value.shape, strict=True)):
                raise ValueError(f"'{n.name}' has sizes {list(value.shape)}, but torch.export declares {sizes}")
        return value

    def _size(self, size: int | torch.SymInt) -> int | None:
        """Return a declared size, or None if it depends on data."""
        if not isinstance(size, torch.SymInt):
            return size
        known = size.node.expr.xreplace(self._values)
        return int(known) if known.is_number else None


def is_finite(program: ExportedProgram, calls: Sequence[tuple[Any, ...]]) -> bool:
    """Return true if all float values of the program are finite for these inputs."""
    check = _FinitenessCheck(program.module(check_guards=False))
    with torch.no_grad():
        for inputs in calls:
            check.run(*cloned(inputs))
    return check.is_finite


class _FinitenessCheck(Interpreter):
    is_finite = True

    def run_node(self, n: Node) -> Any:
        value = super().run_node(n)
        if isinstance(value, Tensor) and value.is_floating_point():
            self.is_finite = self.is_finite and bool(value.isfinite().all())
        return value


def quantizable_calls(quantization: Quantization, calls: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the calls for which torchao computes the quantized program.

    Its dynamic quantization of an empty tensor raises a `TypeError`.
    """
    program = quantization.programs["forward"]
    return [inputs for inputs in calls if _computes(program, inputs)]


def _computes(program: ExportedProgram, inputs: tuple[Any, ...]) -> bool:
    module = copy.deepcopy(program.module(check_guards=False))
    try:
        with torch.no_grad():
            module(*cloned(inputs))
    except TypeError as error:
        if "torchao" not in traceback.extract_tb(error.__traceback__)[-1].filename:
            raise
        return False
    return True

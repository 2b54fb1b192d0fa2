"""Table of lowering rules: the `RULES` of all modules of this package."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dim_table import can_compute
from backends.cpu.compiler.dims import dims_of
from backends.cpu.compiler.lower.program import Program
from backends.cpu.compiler.lower.rule import Refusal, Rule
from backends.cpu.compiler.lower.windows import refuses_window
from backends.cpu.compiler.ops.quantization import FLOAT16_DTYPES
from backends.cpu.schema.kernel_sizes import MAX_RANK
from backends.cpu.schema.registry import modules_of
from exir.dialects.edge import to_torch_overload


def _all_rules() -> Iterator[tuple[Callable[..., Any], Rule]]:
    for module in modules_of("backends.cpu.compiler.lower"):
        if module.__name__ != __name__:
            yield from getattr(module, "RULES", {}).items()


RULES: dict[Callable[..., Any], Rule] = dict(_all_rules())

WHOLE = tuple(operator for operator, rule in RULES.items() if isinstance(operator, OpOverload) and rule.whole)
"""Operators that PyTorch would decompose, but that are lowered as a whole."""


def rule_of(node: Node) -> Rule | None:
    """Return the rule for the operator of `node`, or None."""
    return RULES.get(to_torch_overload(node.target) or node.target)


def refusal(program: Program, node: Node) -> Refusal:
    """Return the reason that `node` cannot be lowered, or None if it can be."""
    rule = rule_of(node)
    if rule is None:
        return f"{to_torch_overload(node.target) or node.target} is not supported"
    for each in (node, *node.all_input_nodes):
        is_first = each is not node and bool(node.args) and each is node.args[0]
        reason = _refuses_value(program, each, (is_first and rule.first) or rule.dtypes)
        if reason is not None:
            return reason
    if not rule.numbers and not all(map(_is_of_tensors, node.all_input_nodes)):
        return "a dynamic integer argument is not supported"
    if not _symbols(node) <= set().union(*map(_symbols, node.all_input_nodes)):
        return f"no input determines the size of '{node.name}'"
    return refuses_window(node) or rule.refuses(program, node)


def _is_of_tensors(node: Node) -> bool:
    value = node.meta["val"]
    return all(isinstance(each, torch.Tensor) for each in (value if isinstance(value, (list, tuple)) else [value]))


def _symbols(node: Node) -> set[Any]:
    """Return the symbols in the sizes or integers that `node` computes."""
    value = node.meta["val"]
    each_size = [
        size
        for each in (value if isinstance(value, (list, tuple)) else [value])
        for size in (each.shape if isinstance(each, torch.Tensor) else [each])
    ]
    return set().union(*(size.node.expr.free_symbols for size in each_size if isinstance(size, torch.SymInt)))


def _refuses_value(program: Program, node: Node, dtypes: tuple[torch.dtype, ...]) -> Refusal:
    value = node.meta.get("val")
    reasons = (
        _refuses(program, node.name, each, dtypes) for each in (value if isinstance(value, (list, tuple)) else [value])
    )
    return next((reason for reason in reasons if reason is not None), None)


def _refuses(program: Program, name: str, value: object, dtypes: tuple[torch.dtype, ...]) -> Refusal:
    if isinstance(value, (int, torch.SymInt)):
        return None
    if not isinstance(value, torch.Tensor):
        return f"'{name}' is not a tensor"
    if (torch.float32 if value.dtype in FLOAT16_DTYPES else value.dtype) not in dtypes:
        return f"'{name}' is {value.dtype}; only {str(dtypes[0]).removeprefix('torch.')} is supported"
    if value.dim() > MAX_RANK:
        return f"'{name}' has {value.dim()} dimensions; at most {MAX_RANK} are supported"
    if any(program.bounds.maximum(size) is None for size in dims_of(value)):
        return f"'{name}' has a dimension without an upper bound"
    if not all(map(can_compute, dims_of(value))):
        return f"'{name}' has a dimension whose size expression contains fractions"
    return None

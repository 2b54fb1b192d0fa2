"""What became of each operator of a program that was quantized."""

from dataclasses import dataclass

from torch.fx import Node

from exir.quantize.families import operator_name
from exir.source import source_of


@dataclass(frozen=True)
class Decision:
    """An operator that computes floats, and what was decided.

    module: qualified name of the module that calls it; empty for the model itself.
    source: `file:line` of the model, or empty.
    operator: its name, as `aten::linear`.
    reason: why it stays float; empty for one that is quantized.
    """

    module: str
    source: str
    operator: str
    reason: str = ""


def decision(node: Node, reason: str = "") -> Decision:
    """What was decided of `node`."""
    return Decision(module_of(node), str(source_of(node) or ""), operator_name(node), reason)


def module_of(node: Node) -> str:
    """Qualified name of the innermost module that `node` was recorded in."""
    stack = node.meta.get("nn_module_stack") or {}
    paths = [path for path, _ in stack.values()]
    return str(paths[-1]) if paths else ""

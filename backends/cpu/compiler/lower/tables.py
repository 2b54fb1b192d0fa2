"""Rows of tables."""

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.kinds.embedding import Embedding
from backends.cpu.compiler.lower.builder import Builder
from backends.cpu.compiler.lower.rule import Rule

_aten = torch.ops.aten
_TABLE, _INDICES = range(2)


def _lower_embedding(builder: Builder, node: Node) -> None:
    inputs = [builder.read(node.args[_TABLE]), builder.read(node.args[_INDICES])]
    builder.step(Embedding(), inputs, builder.write(node), node)


RULES: dict[OpOverload, Rule] = {
    _aten.embedding.default: Rule(_lower_embedding, indices=_INDICES),
}

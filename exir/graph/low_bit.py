"""Low-bit weights in a program: their constants and calls that use them."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import Node

import exir.dialects.quantized_decomposed_ops  # noqa: F401  (registers the operators used below)
from exir.dialects.edge import edge_op
from exir.graph.constants import ConstantTable
from exir.graph.edit import insert_before
from exir.graph.fake_mode import fake_mode_of
from exir.graph.quantized_weight import QuantizedWeight, origin, read_weight
from exir.weights.quantized_weights import packed

_VIEW = edge_op(torch.ops.aten.view_copy.default)
_DECOMPOSED = torch.ops.quantized_decomposed
_EMBEDDINGS = {
    2: _DECOMPOSED.embedding_2bit,
    4: _DECOMPOSED.embedding_4bit,
    8: _DECOMPOSED.embedding_byte,
}


@dataclass(frozen=True)
class StoredWeight:
    """A weight, and the nodes of its constants."""

    weight: QuantizedWeight
    codes: Node
    scales: Node
    zero_points: Node | None

    @property
    def parameters(self) -> tuple[Node, Node, Node | None]:
        """Quantized values, scales and zero points, in the order of operator arguments."""
        return self.codes, self.scales, self.zero_points


class LowBitWeights:
    """The low-bit weights of one program."""

    def __init__(self, program: ExportedProgram) -> None:
        self._fake_mode = fake_mode_of(program.graph)
        self._stored: dict[tuple[Any, ...], StoredWeight] = {}
        self.constants = ConstantTable(program, self._fake_mode)

    def weight(self, node: Node) -> QuantizedWeight | None:
        """Return the constant matrix that `node` dequantizes, or None."""
        return read_weight(node, self.constants)

    def stored(self, node: Node, weight: QuantizedWeight) -> StoredWeight:
        """Store `weight`, which `node` dequantizes, as constants, once for all its users."""
        key = (*(origin(argument) for argument in node.args[:3]), weight.scales.shape[1])
        if key not in self._stored:
            self._stored[key] = self._store_constants(weight)
        return self._stored[key]

    def insert(self, before: Node, op: OpOverload, *args: Any, **options: Any) -> Node:
        """Insert a call of `op` before `before`."""
        return insert_before(before, op, args, options, self._fake_mode)

    def embedding(self, before: Node, stored: StoredWeight, indices: Node) -> Node:
        """Insert an embedding lookup in a weight before `before`."""
        weight = stored.weight
        packet = _EMBEDDINGS[weight.bits]
        arguments = (*stored.parameters, *weight.limits, indices)
        if weight.dtype == weight.scales.dtype:
            return self.insert(before, packet.default, *arguments)
        if weight.bits == 8:
            return self.insert(before, packet.dtype, *arguments, dtype=weight.dtype)
        return self.insert(before, packet.dtype, *arguments, weight.dtype)

    def view_like(self, before: Node, real: Node, like: Node) -> Node:
        """Insert a view of `real` with the shape of `like` before `before`."""
        if like.target is not _VIEW:
            return real
        return self.insert(before, torch.ops.aten.view_copy.default, real, like.args[1])

    def _store_constants(self, weight: QuantizedWeight) -> StoredWeight:
        def add(suffix: str, tensor: Tensor) -> Node:
            return self.constants.add(f"{weight.name}_{suffix}", tensor.contiguous())

        points = weight.zero_points
        return StoredWeight(
            weight,
            add("codes", packed(weight.codes, weight.bits)),
            add("scales", weight.scales),
            None if points is None else add("zero_points", points),
        )

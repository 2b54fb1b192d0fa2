"""Linear layers and embeddings take quantized weights as they are."""

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import ExportedProgram
from torch.fx import Node

import exir.dialects.quantized_decomposed_ops
import exir.dialects.quantized_weight_ops  # noqa: F401  (registers the operators used below)
from exir.dialects.edge import EdgeOpOverload, edge_op
from exir.graph.block_weight import is_blocks, read_blocks
from exir.graph.constants import ConstantTable
from exir.graph.edit import insert_before, replace_and_erase
from exir.graph.fake_mode import fake_mode_of
from exir.graph.linear_layers import LinearLayer, linear_layers, of_all_rows
from exir.graph.quantized_weight import QuantizedWeight, is_dequantized, origin, read_weight
from exir.pass_manager import ProgramPass
from exir.quantized_weights import packed

_ATEN = torch.ops.aten
_OURS = torch.ops.quantized_weight
_DECOMPOSED = torch.ops.quantized_decomposed

_EMBEDDING = edge_op(_ATEN.embedding.default)
_VIEW = edge_op(_ATEN.view_copy.default)

_EMBEDDINGS = {
    2: _DECOMPOSED.embedding_2bit,
    4: _DECOMPOSED.embedding_4bit,
    8: _DECOMPOSED.embedding_byte,
}


@dataclass(frozen=True)
class FuseFewBits(ProgramPass):
    """Fuses the dequantization of a constant weight with the linear layer or embedding that it is for.

    Before: the edge dialect. After: a linear layer of such a weight is `quantized_weight::linear`, or
    `linear_with_minimum`, and one whose input is quantized by rows as well, by their own ranges, `dynamic_linear`; an
    embedding is one of `quantized_decomposed`, or where the weight is held in blocks, `quantized_weight::embedding`. Their weights lie in 2, 4 or 8 bits an element. A layer whose input is quantized in
    another way is left: backends compute it in whole numbers.
    """

    name: ClassVar[str] = "fuse_few_bits"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        fake_mode = fake_mode_of(program.graph)
        fusion = _Fusion(ConstantTable(program, fake_mode), fake_mode)
        found = [node for node in program.graph.nodes if is_dequantized(node) or is_blocks(node)]
        for node in found:
            (fusion.visit_blocks if is_blocks(node) else fusion.visit)(node)
        if found:
            program.graph.eliminate_dead_code()
        return program


@dataclass
class _Stored:
    """The nodes of a weight's constants."""

    codes: Node
    scales: Node
    zero_points: Node | None


@dataclass
class _Fusion:
    constants: ConstantTable
    fake_mode: FakeTensorMode
    stored: dict[tuple[Any, ...], _Stored] = field(default_factory=dict)

    def visit(self, node: Node) -> None:
        """Fuse `node` with those of its users that take it as a weight."""
        layers = linear_layers(node)
        embeddings = [user for user in node.users if user.target is _EMBEDDING and user.args[0] is node]
        if not layers and not embeddings:
            return
        weight = read_weight(node, self.constants)
        if weight is None:
            return
        store = self._store(node, weight)
        for layer in layers:
            self._fuse_layer(layer, weight, store)
        for embedding in embeddings:
            self._fuse_embedding(embedding, weight, store)

    def visit_blocks(self, node: Node) -> None:
        """Fuse `node`, which makes floats of a weight in blocks, with those of its users that take it as a weight."""
        weight = read_blocks(node, self.constants)
        if weight is None:
            return
        for layer in map(of_all_rows, linear_layers(node)):
            op = _OURS.linear if weight.minima is None else _OURS.linear_with_minimum
            arguments = (layer.x, weight.codes, weight.scales, weight.minima, layer.bias, weight.bits)
            replace_and_erase(layer.node, self._insert(layer.node, op.default, *arguments))
        for user in [user for user in node.users if user.target is _EMBEDDING and user.args[0] is node]:
            table = (weight.codes, weight.scales, weight.minima)
            new = self._insert(user, _OURS.embedding.default, *table, user.args[1], weight.bits)
            replace_and_erase(user, new)

    def _fuse_layer(
        self, layer: LinearLayer, weight: QuantizedWeight, store: Callable[[], _Stored]
    ) -> None:
        layer = of_all_rows(layer)
        x, op = layer.x, _OURS.linear.default
        if is_dequantized(origin(x)):
            real = _quantized_by_rows(origin(x))
            if real is None:
                return
            x, op = self._shaped_as(real, x, layer.node), _OURS.dynamic_linear.default
        if x.meta["val"].dtype != weight.dtype:
            return
        stored = store()
        arguments = (x, stored.codes, stored.scales, stored.zero_points, layer.bias, weight.bits)
        replace_and_erase(layer.node, self._insert(layer.node, op, *arguments))

    def _shaped_as(self, real: Node, like: Node, before: Node) -> Node:
        """`real` in the shape of `like`, which has its elements."""
        if like.target is not _VIEW:
            return real
        return self._insert(before, _ATEN.view_copy.default, real, like.args[1])

    def _fuse_embedding(self, node: Node, weight: QuantizedWeight, store: Callable[[], _Stored]) -> None:
        stored = store()
        packet = _EMBEDDINGS[weight.bits]
        arguments = (stored.codes, stored.scales, stored.zero_points, *weight.limits, node.args[1])
        if weight.dtype == weight.scales.dtype:
            new = self._insert(node, packet.default, *arguments)
        elif weight.bits == 8:
            new = self._insert(node, packet.dtype, *arguments, dtype=weight.dtype)
        else:
            new = self._insert(node, packet.dtype, *arguments, weight.dtype)
        replace_and_erase(node, new)

    def _insert(self, before: Node, op: OpOverload, *args: Any, **options: Any) -> Node:
        return insert_before(before, op, args, options, self.fake_mode)

    def _store(self, node: Node, weight: QuantizedWeight) -> Callable[[], _Stored]:
        """Adds the constants of a weight to the program, once for all that dequantize it, when they are wanted."""
        key = (*(origin(argument) for argument in node.args[:3]), weight.scales.shape[1])

        def store() -> _Stored:
            if key not in self.stored:
                self.stored[key] = self._constants_of(weight)
            return self.stored[key]

        return store

    def _constants_of(self, weight: QuantizedWeight) -> _Stored:
        def add(suffix: str, tensor: Tensor) -> Node:
            return self.constants.add(f"{weight.name}_{suffix}", tensor.contiguous())

        points = weight.zero_points
        return _Stored(
            add("codes", packed(weight.codes, weight.bits)),
            add("scales", weight.scales),
            None if points is None else add("zero_points", points),
        )


def _quantized_by_rows(dequantized: Node) -> Node | None:
    """The floats that were quantized to int8 by the ranges of their rows, and dequantized again."""
    quantized = dequantized.args[0]
    if not _calls(dequantized, _DECOMPOSED.dequantize_per_token.default):
        return None
    if not _calls(quantized, _DECOMPOSED.quantize_per_token.default):
        return None
    real = quantized.args[0]
    chosen = [_chosen_for(real, each) for node in (dequantized, quantized) for each in node.args[1:3]]
    limits = [node.args[3:5] for node in (dequantized, quantized)]
    by_rows = chosen == [0, 1, 0, 1] and limits == [(-128, 127)] * 2
    return real if by_rows else None


def _chosen_for(real: Node, parameter: object) -> int | None:
    """Which of the parameters that are chosen for rows of `real` it is: 0 the scale, 1 the zero point."""
    item = origin(parameter)
    if not isinstance(item, Node) or item.target is not operator.getitem:
        return None
    choice = item.args[0]
    is_choice = _calls(choice, _DECOMPOSED.choose_qparams_per_token_asymmetric.default)
    return item.args[1] if is_choice and choice.args[0] is real else None


def _calls(node: object, op: OpOverload) -> bool:
    return isinstance(node, Node) and isinstance(node.target, EdgeOpOverload) and node.target._op is op

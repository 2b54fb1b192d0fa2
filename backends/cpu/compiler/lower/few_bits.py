"""Linear layers and embeddings whose weights are codes of few bits."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Node

import exir.dialects.quantized_decomposed_ops
import exir.dialects.quantized_weight_ops  # noqa: F401  (registers the operators used below)
from backends.cpu.compiler.graph import Value, constant
from backends.cpu.compiler.kinds.embedding_q import EmbeddingQ
from backends.cpu.compiler.kinds.product_q import ProductQ
from backends.cpu.compiler.lower.builder import Builder
from backends.cpu.compiler.lower.rule import Program, Refusal, Rule, argument
from backends.cpu.compiler.packing import padded, panels, words
from exir.quantized_weights import unpacked

_ours = torch.ops.quantized_weight
_decomposed = torch.ops.quantized_decomposed
_DTYPES = (torch.float32, torch.uint8, torch.int8)
_BIAS, _INDICES = 4, 5


@dataclass(frozen=True)
class _Weight:
    """The arguments of an operator that say what its weight is: codes, scales, zero points."""

    codes: Any
    scales: Any
    zero_points: Any
    bits: int

    @property
    def word_bits(self) -> int:
        """Of a code in the words that steps read."""
        return max(self.bits, 4)


def _of_linear(node: Node) -> _Weight:
    _, codes, scales, zero_points, _, bits = node.args
    return _Weight(codes, scales, zero_points, bits)


def _of_mixed(node: Node) -> _Weight:
    _, codes, scales, zero_points, *_ = node.args
    return _Weight(codes, scales, zero_points, 8)


def _of_embedding(bits: int) -> Callable[[Node], _Weight]:
    def read(node: Node) -> _Weight:
        codes, scales, zero_points, *_ = node.args
        return _Weight(codes, scales, zero_points, bits)

    return read


def _refuses_weight(read: Callable[[Node], _Weight]) -> Callable[[Program, Node], Refusal]:
    def refuses(program: Program, node: Node) -> Refusal:
        weight = read(node)
        codes, scales = program.constant(weight.codes), program.constant(weight.scales)
        if codes is None or scales is None or _is_computed(program, weight.zero_points):
            return "the weight is computed, not constant"
        if codes.dtype == torch.uint8 and weight.bits == 8:
            return "codes of 8 bits are taken of int8"
        per_word = 32 // weight.word_bits
        group = codes.shape[1] * 8 // weight.bits // (scales.shape[1] if scales.dim() == 2 else 1)
        return f"groups of {group} codes are no words of {per_word}" if group % per_word or not group else None

    return refuses


def _is_computed(program: Program, value: object) -> bool:
    return value is not None and program.constant(value) is None


def _refuses_linear(program: Program, node: Node) -> Refusal:
    if _is_computed(program, node.args[_BIAS]):
        return "the bias is computed, not constant"
    return _refuses_weight(_of_linear)(program, node)


def _constants(builder: Builder, weight: _Weight) -> tuple[int, list[Value], list[Value]]:
    """Rows of the weight; its words and scales; its zero points, if it has any."""

    def packed(parameters: Tensor) -> Value:
        return constant(panels(parameters.reshape(len(parameters), -1)))

    codes = unpacked(_constant(builder, weight.codes), weight.bits)
    points = builder.program.constant(weight.zero_points)
    table = [constant(words(codes, weight.word_bits)), packed(_constant(builder, weight.scales))]
    return len(codes), table, [] if points is None else [packed(points)]


def _constant(builder: Builder, node: object) -> Tensor:
    found = builder.program.constant(node)
    assert found is not None
    return found


def _emit_product(builder: Builder, node: Node, weight: _Weight, bias: Tensor | None) -> None:
    rows, table, points = _constants(builder, weight)
    row = padded(torch.zeros(rows) if bias is None else bias, 0)
    inputs = [builder.read(node.args[0]), *table, constant(row), *points]
    builder.step(ProductQ(weight.word_bits, bool(points)), inputs, builder.write(node), node)


def _lower_linear(builder: Builder, node: Node) -> None:
    _emit_product(builder, node, _of_linear(node), builder.program.constant(node.args[_BIAS]))


def _lower_mixed(builder: Builder, node: Node) -> None:
    _emit_product(builder, node, _of_mixed(node), None)


def _lower_embedding(read: Callable[[Node], _Weight]) -> Callable[[Builder, Node], None]:
    def lower(builder: Builder, node: Node) -> None:
        weight = read(node)
        rows, table, points = _constants(builder, weight)
        inputs = [*table, builder.read(argument(node, _INDICES, "indices")), *points]
        operation = EmbeddingQ(rows, weight.word_bits, bool(points))
        builder.step(operation, inputs, builder.write(node), node)

    return lower


def _embedding(bits: int) -> Rule:
    read = _of_embedding(bits)
    return Rule(_lower_embedding(read), _refuses_weight(read), dtypes=(*_DTYPES, torch.int64, torch.int32))


RULES: dict[OpOverload, Rule] = {
    _ours.linear.default: Rule(_lower_linear, _refuses_linear, dtypes=_DTYPES),
    _decomposed.mixed_linear.default: Rule(_lower_mixed, _refuses_weight(_of_mixed), dtypes=_DTYPES),
    _decomposed.embedding_2bit.default: _embedding(2),
    _decomposed.embedding_4bit.default: _embedding(4),
    _decomposed.embedding_byte.default: _embedding(8),
}

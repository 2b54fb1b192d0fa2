"""Linear layers and embeddings with weights of 2, 4 or 8 bits."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Node

import exir.dialects.quantized_decomposed_ops
import exir.dialects.quantized_weight_ops  # noqa: F401  (registers the operators used below)
from backends.cpu.compiler.graph import Value, constant
from backends.cpu.compiler.lower.builder import Builder
from backends.cpu.compiler.lower.program import Program
from backends.cpu.compiler.lower.rule import Refusal, Rule
from backends.cpu.compiler.packing import padded, panels, words
from backends.cpu.schema.declarations import OpSpec
from backends.cpu.schema.embedding import EmbeddingQw
from backends.cpu.schema.gemm import GemmF32Qbw, GemmQd8Qbw
from backends.cpu.schema.kernel_sizes import QD8_MAX_GROUP
from backends.cpu.schema.records import LowBitFormat, WeightOffset
from exir.weights.quantized_weights import unpacked

_ours = torch.ops.quantized_weight
_decomposed = torch.ops.quantized_decomposed
_DTYPES = (torch.float32, torch.uint8, torch.int8)
_BIAS = 4


@dataclass(frozen=True)
class _Weight:
    """The arguments of an operator that define its weight.

    These arguments are the quantized values and the group parameters.

    offsets: zero points or minima, as `kind` declares, or None.
    """

    values: Any
    scales: Any
    offsets: Any
    bits: int
    kind: WeightOffset = WeightOffset.ZERO_POINTS

    @property
    def word_bits(self) -> int:
        """Number of bits of a value in packed words."""
        return max(self.bits, 4)


def _of_linear(node: Node) -> _Weight:
    _, values, scales, zero_points, _, bits = node.args
    return _Weight(values, scales, zero_points, bits)


def _of_minima_linear(node: Node) -> _Weight:
    return replace(_of_linear(node), kind=WeightOffset.MINIMA)


def _of_mixed(node: Node) -> _Weight:
    _, values, scales, zero_points, *_ = node.args
    return _Weight(values, scales, zero_points, 8)


def _of_embedding(bits: int) -> Callable[[Node], _Weight]:
    def read(node: Node) -> _Weight:
        values, scales, zero_points, *_ = node.args
        return _Weight(values, scales, zero_points, bits)

    return read


def _of_minimum_embedding(node: Node) -> _Weight:
    values, scales, minima, _, bits = node.args
    return _Weight(values, scales, minima, bits, WeightOffset.MINIMA)


def _refuses_weight(read: Callable[[Node], _Weight]) -> Callable[[Program, Node], Refusal]:
    def refuses(program: Program, node: Node) -> Refusal:
        weight = read(node)
        values, scales = program.constant(weight.values), program.constant(weight.scales)
        if values is None or scales is None or _is_computed(program, weight.offsets):
            return "the weight is not constant"
        if values.dtype == torch.uint8 and weight.bits == 8:
            return "8-bit weights must be int8"
        per_word = 32 // weight.word_bits
        group = values.shape[1] * 8 // weight.bits // (scales.shape[1] if scales.dim() == 2 else 1)
        return f"the group size {group} is not a multiple of {per_word}" if group % per_word or not group else None

    return refuses


def _is_computed(program: Program, value: object) -> bool:
    return value is not None and program.constant(value) is None


def _refuses_linear(program: Program, node: Node) -> Refusal:
    if _is_computed(program, node.args[_BIAS]):
        return "the bias is not constant"
    return _refuses_weight(_of_linear)(program, node)


@dataclass(frozen=True)
class _Table:
    """A weight before packing.

    values: int8 [N, K].
    scales, offsets: [N, groups].
    """

    values: Tensor
    scales: Tensor
    offsets: Tensor | None
    format: LowBitFormat

    @property
    def inputs(self) -> list[Value]:
        return [constant(words(self.values, self.format.bits)), constant(panels(self.scales))]

    @property
    def offset_inputs(self) -> list[Value]:
        return [] if self.offsets is None else [constant(panels(self.offsets))]

    @property
    def sums(self) -> Value:
        """The sums that `gemm_qd8_qbw` reads.

        With 8 bits, they are the sums of the quantized values of each group. With 4 bits, they are
        the sums of the weights of each column.
        """
        length = self.values.shape[1] // self.scales.shape[1]
        groups = self.values.unflatten(1, (-1, length)).sum(2, dtype=torch.int32)
        if self.format.bits == 8:
            return constant(panels(groups))
        sums = groups.double() if self.offsets is None else groups - self.offsets.double() * length
        return constant(padded((sums * self.scales.double()).sum(1).float(), 0))

    def in_groups_of(self, most: int) -> "_Table":
        """Return the same weight with groups of at most `most` values."""
        length = self.values.shape[1] // self.scales.shape[1]
        fits = [parts for parts in range(1, length + 1) if length % parts == 0 and length // parts <= most]
        parts = next(each for each in fits if length // each % (32 // self.format.bits) == 0)
        offsets = None if self.offsets is None else self.offsets.repeat_interleave(parts, 1)
        return replace(self, scales=self.scales.repeat_interleave(parts, 1), offsets=offsets)


def _table(builder: Builder, weight: _Weight) -> _Table:
    values = unpacked(_constant(builder, weight.values), weight.bits)
    scales, offsets = builder.program.weight(weight.scales), builder.program.weight(weight.offsets)
    assert scales is not None
    rows = len(values)
    return _Table(
        values if weight.kind is not WeightOffset.MINIMA else _relative_to_minimum(values, weight),
        scales.reshape(rows, -1),
        None if offsets is None else offsets.reshape(rows, -1),
        LowBitFormat(weight.word_bits, WeightOffset.NONE if offsets is None else weight.kind),
    )


def _relative_to_minimum(values: Tensor, weight: _Weight) -> Tensor:
    """Shift values so that the `bits`-bit minimum becomes the `word_bits`-bit one."""
    return values + ((1 << weight.bits - 1) - (1 << weight.word_bits - 1))


def _constant(builder: Builder, node: object) -> Tensor:
    found = builder.program.constant(node)
    assert found is not None
    return found


def _emit_product(builder: Builder, node: Node, table: _Table, bias: Tensor | None) -> None:
    _emit(builder, node, GemmF32Qbw(table.format), table, bias, [])


def _emit(builder: Builder, node: Node, spec: OpSpec, table: _Table, bias: Tensor | None, more: list[Value]) -> None:
    row = padded(torch.zeros(len(table.values)) if bias is None else bias, 0)
    inputs = [builder.read(node.args[0]), *table.inputs, constant(row), *table.offset_inputs, *more]
    builder.op(spec, inputs, builder.write(node), node)


def _lower_linear(read: Callable[[Node], _Weight]) -> Callable[[Builder, Node], None]:
    def lower(builder: Builder, node: Node) -> None:
        _emit_product(builder, node, _table(builder, read(node)), builder.program.constant(node.args[_BIAS]))

    return lower


def _lower_mixed(builder: Builder, node: Node) -> None:
    _emit_product(builder, node, _table(builder, _of_mixed(node)), None)


def _lower_dynamic(builder: Builder, node: Node) -> None:
    table = _table(builder, _of_linear(node)).in_groups_of(QD8_MAX_GROUP)
    spec = GemmQd8Qbw(table.format)
    _emit(builder, node, spec, table, builder.program.constant(node.args[_BIAS]), [table.sums])


def _lower_embedding(read: Callable[[Node], _Weight], indices: int) -> Callable[[Builder, Node], None]:
    def lower(builder: Builder, node: Node) -> None:
        table = _table(builder, read(node))
        inputs = [*table.inputs, builder.read(node.args[indices]), *table.offset_inputs]
        spec = EmbeddingQw(len(table.values), table.format)
        builder.op(spec, inputs, builder.write(node), node)

    return lower


def _embedding(read: Callable[[Node], _Weight], indices: int) -> Rule:
    return Rule(_lower_embedding(read, indices), _refuses_weight(read), dtypes=(*_DTYPES, torch.int64, torch.int32))


RULES: dict[OpOverload, Rule] = {
    _ours.dynamic_linear.default: Rule(_lower_dynamic, _refuses_linear, dtypes=_DTYPES),
    _ours.embedding.default: _embedding(_of_minimum_embedding, 3),
    _ours.linear.default: Rule(_lower_linear(_of_linear), _refuses_linear, dtypes=_DTYPES),
    _ours.linear_with_minimum.default: Rule(_lower_linear(_of_minima_linear), _refuses_linear, dtypes=_DTYPES),
    _decomposed.mixed_linear.default: Rule(_lower_mixed, _refuses_weight(_of_mixed), dtypes=_DTYPES),
    _decomposed.embedding_2bit.default: _embedding(_of_embedding(2), 5),
    _decomposed.embedding_2bit.dtype: _embedding(_of_embedding(2), 5),
    _decomposed.embedding_4bit.default: _embedding(_of_embedding(4), 5),
    _decomposed.embedding_4bit.dtype: _embedding(_of_embedding(4), 5),
    _decomposed.embedding_byte.default: _embedding(_of_embedding(8), 5),
    _decomposed.embedding_byte.dtype: _embedding(_of_embedding(8), 5),
}

"""Find the out variants of functional operators in PyTorch's operator registry."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch._ops import OpOverload

import exir.dialects.attention_ops
import exir.dialects.grouped_ops
import exir.dialects.quantized_bytes_ops
import exir.dialects.quantized_decomposed_ops
import exir.dialects.quantized_weight_ops
import exir.dialects.torchvision_ops  # noqa: F401  (registers out overloads)
from exir.dialects.custom_ops import define_out_overload

# Arguments that describe the result's type and placement. The output of an out variant determines
# these.
_TENSOR_OPTIONS = ("dtype", "layout", "device", "pin_memory")


@dataclass(frozen=True)
class OutVariant:
    """An out overload, and the names of its outputs, in order."""

    op: OpOverload
    outputs: tuple[str, ...]
    dropped: frozenset[str]
    """Arguments of the functional overload that the out overload does not have."""


@cache
def out_variant_of(op: OpOverload) -> OutVariant | None:
    """Return the out variant of the functional operator `op`, or None.

    Both have the same arguments by name and type, except tensor options. The out variant has one
    output argument for each tensor or list of tensors that `op` returns.
    """
    found = [variant for other in _sibling_overloads(op) if (variant := _match_out_overload(op, other))]
    if not found and define_out_overload(op):
        found = [
            variant for other in _sibling_overloads(op) if (variant := _match_out_overload(op, other))
        ]
    return min(found, key=lambda variant: len(variant.dropped), default=None)


def _sibling_overloads(op: OpOverload) -> Iterator[OpOverload]:
    packet = op.overloadpacket
    # The packet's own list lacks overloads that were registered after its creation.
    schemas = torch._C._jit_get_schemas_for_operator(packet._qualified_op_name)
    for name in sorted(schema.overload_name for schema in schemas):
        yield getattr(packet, name or "default")


def _match_out_overload(op: OpOverload, other: OpOverload) -> OutVariant | None:
    outputs = tuple(arg.name for arg in other._schema.arguments if arg.is_out)
    if not outputs or len(outputs) != len(op._schema.returns):
        return None
    required = {arg.name: str(arg.type) for arg in op._schema.arguments}
    provided = {arg.name: str(arg.type) for arg in other._schema.arguments if not arg.is_out}
    dropped = frozenset(required) - frozenset(provided)
    comparable = {name: kind for name, kind in required.items() if name not in dropped}
    if comparable != provided or not dropped <= set(_TENSOR_OPTIONS):
        return None
    return OutVariant(other, outputs, dropped)


@cache
def functional_of(op: OpOverload) -> OpOverload:
    """Return the functional operator of an out variant, and other operators unchanged."""
    if not any(arg.is_out for arg in op._schema.arguments):
        return op
    variants = ((other, out_variant_of(other)) for other in _sibling_overloads(op))
    return next((other for other, variant in variants if variant and variant.op == op), op)


@cache
def written_arguments(op: OpOverload) -> tuple[str, ...]:
    """Return the names of the arguments that `op` writes, including out arguments."""
    arguments = op._schema.arguments
    return tuple(arg.name for arg in arguments if arg.alias_info and arg.alias_info.is_write)


@cache
def _argument_names(op: OpOverload) -> tuple[str, ...]:
    return tuple(arg.name for arg in op._schema.arguments)


def is_in_place(op: OpOverload) -> bool:
    """Return whether `op` writes to any of its arguments, including out arguments."""
    return bool(written_arguments(op))


def returns_tensors(op: OpOverload) -> bool:
    """Return whether every result of `op` is a tensor or a list of tensors."""
    kinds = (torch.TensorType, torch.ListType)
    return all(isinstance(result.type, kinds) for result in op._schema.returns)


def bind_arguments(op: OpOverload, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given arguments of `op` by name, in schema order, without defaults."""
    names = _argument_names(op)
    bound = {**dict(zip(names, args)), **kwargs}
    return {name: bound[name] for name in names if name in bound}

"""Macros for sizes, element counts and bounds of inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterator

from rules.codegen.identifiers import constant_prefix, method_prefix
from rules.codegen.model import Model
from rules.interface.description import Method, Range, Slot

_COMMENT = """
/* Sizes, element counts and bounds of inputs and outputs. */
"""


def constants(model: Model, method: Method) -> str:
    """Return the macros of the tensors, and of the integers with a range."""
    prefix = method_prefix(model, method)
    lines = [
        f"#define {constant_prefix(prefix, role, slot)}_{name} {value}\n"
        for role, slots in (("input", method.arguments), ("output", method.outputs))
        for slot in slots
        for name, value in _slot_constants(slot)
    ]
    return _COMMENT + "".join(lines) if lines else ""


def _slot_constants(slot: Slot) -> Iterator[tuple[str, str]]:
    """Yield name and value of each constant of a slot."""
    if slot.kind != "tensor":
        if slot.range is not None:
            yield from _bounds("", slot.range, "INT64_C({})", None)
        return
    yield "RANK", str(len(slot.shape))
    yield "MAX_COUNT" if slot.is_dynamic else "COUNT", f"{slot.count}u"
    for dimension, size in enumerate(slot.sizes if slot.is_dynamic else slot.shape):
        if isinstance(size, Range):
            yield from _bounds(f"_SIZE_{dimension}", size, "{}", slot.shape[dimension])
        else:
            yield f"SIZE_{dimension}", str(size)


def _bounds(suffix: str, limits: Range, literal: str, bound: int | None) -> Iterator[tuple[str, str]]:
    """Yield the minimum and the maximum, which is `bound` if the range has none."""
    yield f"MIN{suffix}", literal.format(limits.min)
    maximum = limits.max if limits.is_bounded else bound
    if maximum is not None:
        yield f"MAX{suffix}", literal.format(maximum)

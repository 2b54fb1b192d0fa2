"""The memory plan of a method: offsets and lifetimes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from exir import schema
from exir.operators.dtypes import dtype_name

_ALIGNMENT = 16
_SIZES = {"int8": 1, "uint8": 1, "bool": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2}
_SIZES |= {
    "int32": 4,
    "uint32": 4,
    "float32": 4,
    "int64": 8,
    "uint64": 8,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
}


@dataclass(frozen=True)
class Block:
    """A tensor in planned memory. It is live from instruction `first` to `last`."""

    value: int
    offset: int
    nbytes: int
    first: int
    last: int
    text: str  # "float32[1, 3]"


@dataclass(frozen=True)
class Buffer:
    """A planned buffer with its blocks."""

    memory_id: int
    nbytes: int
    blocks: tuple[Block, ...]
    peak: int  # maximum live bytes at one instruction; blocks are rounded up to 16
    peak_at: int  # the first such instruction


def nbytes_of(tensor: schema.Tensor) -> int:
    """Return the size of a tensor; for a dynamic one, the upper bound."""
    return prod(tensor.sizes) * _SIZES.get(dtype_name(tensor.scalar_type), 1)


def memory_of(plan: schema.ExecutionPlan, uses: Sequence[Sequence[int]]) -> tuple[Buffer, ...]:
    """Return the planned buffers. `uses[i]` are the values that instruction i uses."""
    blocks: dict[int, list[Block]] = {index: [] for index in range(1, len(plan.non_const_buffer_sizes))}
    spans = _lifetimes(plan, uses)
    for number, value in enumerate(plan.values):
        tensor = value.val
        if isinstance(tensor, schema.Tensor) and (place := tensor.allocation_info) is not None:
            first, last = spans.get(number, (0, 0))
            text = f"{dtype_name(tensor.scalar_type)}[{', '.join(map(str, tensor.sizes))}]"
            block = Block(number, place.memory_offset, nbytes_of(tensor), first, last, text)
            blocks.setdefault(place.memory_id, []).append(block)
    return tuple(_buffer(plan, index, found) for index, found in sorted(blocks.items()))


def _buffer(plan: schema.ExecutionPlan, memory_id: int, blocks: list[Block]) -> Buffer:
    sizes = plan.non_const_buffer_sizes
    nbytes = sizes[memory_id] if memory_id < len(sizes) else 0
    peak_at, peak = _peak(blocks)
    return Buffer(memory_id, nbytes, tuple(blocks), peak, peak_at)


def _lifetimes(plan: schema.ExecutionPlan, uses: Sequence[Sequence[int]]) -> dict[int, tuple[int, int]]:
    """Return the first and the last instruction of each value.

    The elements of a list are used with the list. Inputs are live from the start, outputs until the end.
    State that the program initializes is always live.
    """
    end = max(len(uses) - 1, 0)
    spans: dict[int, tuple[int, int]] = {}
    for index, args in enumerate(uses):
        for value in _with_items(plan, args):
            spans[value] = (spans.get(value, (index, index))[0], index)
    for value in _with_items(plan, plan.inputs):
        spans[value] = (0, spans.get(value, (0, 0))[1])
    for value in _with_items(plan, plan.outputs):
        spans[value] = (spans.get(value, (0, 0))[0], end)
    for value in range(len(plan.values)):
        if _is_state(plan.values[value].val):
            spans[value] = (0, end)
    return spans


def _is_state(value: schema.KernelTypes) -> bool:
    """Return true for a mutable buffer: planned, with an initial state or a name."""
    if not isinstance(value, schema.Tensor) or value.allocation_info is None:
        return False
    extra = value.extra_tensor_info
    return value.data_buffer_idx > 0 or (extra is not None and bool(extra.fully_qualified_name))


def _with_items(plan: schema.ExecutionPlan, args: Sequence[int]) -> list[int]:
    found: list[int] = []
    for index in args:
        value = plan.values[index].val if index >= 0 else None
        if isinstance(value, (schema.TensorList, schema.OptionalTensorList)):
            found += (item for item in value.items if item >= 0)
        elif index >= 0:
            found.append(index)
    return found


def _peak(blocks: Sequence[Block]) -> tuple[int, int]:
    """Return the instruction with the most live bytes, and their number.

    Bytes that several live values share count once.
    """
    best = (0, 0)
    for step in sorted({block.first for block in blocks}):
        taken = _union([block for block in blocks if block.first <= step <= block.last])
        best = (step, taken) if taken > best[1] else best
    return best


def alive_at(buffer: Buffer, step: int) -> list[Block]:
    """Return the live blocks at an instruction, largest first, without empty ones."""
    alive = (b for b in buffer.blocks if b.nbytes and b.first <= step <= b.last)
    return sorted(alive, key=lambda b: (-b.nbytes, b.offset))


def _union(blocks: Sequence[Block]) -> int:
    taken = end = 0
    for block in sorted(blocks, key=lambda candidate: candidate.offset):
        stop = block.offset + -(-block.nbytes // _ALIGNMENT) * _ALIGNMENT
        taken += max(0, stop - max(block.offset, end))
        end = max(end, stop)
    return taken

"""Reports as text for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from executorch_report.delegates import steps_of
from executorch_report.facts import Delegate, MethodFacts, ProgramFacts
from executorch_report.memory import Buffer, alive_at
from exir.inspection.ranges import shape_text
from exir.inspection.report import ValueReport

_LISTED = 12  # maximum number of weights, named data entries, and tensors at the peak


def program_text(facts: ProgramFacts) -> str:
    """Return the report of a program."""
    parts = [f"{facts.file}: {facts.nbytes:,} bytes, {count_text(len(facts.methods), 'method')}", _segments(facts)]
    parts += [_named(facts)] if facts.named else []
    parts += [f"external weights: {', '.join(facts.external)}"] if facts.external else []
    return "\n\n".join([*parts, *(_method(method) for method in facts.methods)]) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table with aligned columns. Columns of integers are right-aligned."""
    rows = [list(row) for row in rows]
    texts = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    numeric = [bool(rows) and all(isinstance(row[index], int) for row in rows) for index in range(len(head))]
    widths = [max(len(row[index]) for row in [list(head), *texts]) for index in range(len(head))]
    return "\n".join("  " + _line(row, widths, numeric) for row in [list(head), *texts])


def _line(row: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    cells = (cell.rjust(width) if right else cell.ljust(width) for cell, width, right in zip(row, widths, numeric))
    return "  ".join(cells).rstrip()


def count_text(number: int, what: str) -> str:
    """Return the number with a singular or plural noun: "1 method", "2 methods"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _segments(facts: ProgramFacts) -> str:
    """List the parts of the file. Many parts of named data are summarized.

    A language model can have more than a thousand of them; _named lists the largest.
    """
    is_long = len(facts.named) > _LISTED
    shown = [segment for segment in facts.segments if not (is_long and segment.is_named_data)]
    rows = [(shown_segment.what, shown_segment.offset, shown_segment.nbytes) for shown_segment in shown]
    hidden = [segment.nbytes for segment in facts.segments if is_long and segment.is_named_data]
    more = f"\n  and {len(hidden):,} parts of named data, {sum(hidden):,} bytes" if hidden else ""
    return "file\n" + table(("part", "at", "bytes"), rows) + more


def _named(facts: ProgramFacts) -> str:
    total = sum(nbytes for _, nbytes in facts.named)
    ordered = sorted(facts.named, key=lambda row: -row[1]) if len(facts.named) > _LISTED else facts.named
    head = f"named data: {len(facts.named):,}, {total:,} bytes\n"
    return head + table(("key", "bytes"), ordered[:_LISTED]) + _more(len(facts.named))


def _more(count: int) -> str:
    """Return a line with the number of rows that are not shown."""
    return f"\n  and {count - _LISTED:,} more" if count > _LISTED else ""


def _method(method: MethodFacts) -> str:
    parts = [f"method {method.name}: {count_text(len(method.instructions), 'instruction')}"]
    parts += [_ends("inputs", method.inputs), _ends("outputs", method.outputs)]
    parts += [_operators(method)] if method.operators else []
    parts += [_delegate(method, delegate) for delegate in method.delegates]
    parts += [_buffer(method, buffer) for buffer in method.planned]
    parts += [_weights(method)] if method.weights else []
    return "\n\n".join(parts)


def value_text(value: ValueReport) -> str:
    """Format a value: "float32[1, 3]".

    A dynamic size is "2..8", or "<=8" without a lower bound.
    """
    if value.kind != "Tensor":
        return " ".join([value.kind, *map(str, value.steps)])
    order = "" if value.dim_order == tuple(range(len(value.shape))) else f" in order {list(value.dim_order)}"
    return f"{value.dtype}[{shape_text(value.shape, value.steps)}]{order}"


def _ends(what: str, values: Sequence[ValueReport]) -> str:
    lines = [
        f"  {index}  {value_text(value)}{'' if _is_placed(value) else '  (caller-provided memory)'}"
        for index, value in enumerate(values)
    ]
    return "\n".join([f"{what} of {len(values)}" if not values else what, *lines])


def _is_placed(value: ValueReport) -> bool:
    return value.kind != "Tensor" or value.is_planned


def _operators(method: MethodFacts) -> str:
    rows = [(name, " ".join(dtypes), count) for (name, dtypes), count in method.operators.items()]
    ordered = sorted(rows, key=lambda row: (-row[2], row[0], row[1]))
    return "operators outside delegates\n" + table(("operator", "dtypes", "calls"), ordered)


def _delegate(method: MethodFacts, delegate: Delegate) -> str:
    calls = sum(instruction.delegate == delegate.index for instruction in method.instructions)
    head = f"delegate {delegate.index}: {delegate.backend}, {delegate.nbytes:,} bytes, {count_text(calls, 'call')}"
    kinds = Counter(step.name for step in steps_of(delegate))
    return head + ("\n" + table(("step", "times"), kinds.most_common()) if kinds else "")


def _buffer(method: MethodFacts, buffer: Buffer) -> str:
    shared = ", shared with other methods" if buffer.memory_id == method.shared_memory_id else ""
    head = f"planned memory {buffer.memory_id}: {buffer.nbytes:,} bytes{shared}"
    if not buffer.blocks:
        return head
    name = method.instructions[buffer.peak_at].name if method.instructions else "the beginning"
    alive = alive_at(buffer, buffer.peak_at)
    rows = [(block.text, block.nbytes, block.offset, f"{block.first} to {block.last}") for block in alive[:_LISTED]]
    peak = f"; peak at instruction {buffer.peak_at} ({name}): {buffer.peak:,}"
    return head + peak + "\n" + table(("alive there", "bytes", "at", "instructions"), rows) + _more(len(alive))


def _weights(method: MethodFacts) -> str:
    ordered = sorted(method.weights, key=lambda constant: -constant.nbytes)
    rows = [
        (constant.name or f"values[{constant.value}]", f"{constant.dtype}{list(constant.shape)}", constant.nbytes)
        for constant in ordered[:_LISTED]
    ]
    total = sum(weight.nbytes for weight in method.weights)
    head = f"constants and states: {len(ordered):,}, {total:,} bytes\n"
    return head + table(("name", "tensor", "bytes"), rows) + _more(len(ordered))

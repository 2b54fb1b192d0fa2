"""Write traces for Chrome and Perfetto (https://ui.perfetto.dev).

Each instruction, and each step of a delegate, is a span.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from executorch_report.facts import Instruction, MethodFacts
from executorch_runtime.method import Event

_RUN, _LOADING = 1, 2  # rows of the trace; each starts at time 0

Sizes = Callable[[int], Sequence[int] | None]


def trace_document(
    events: Sequence[Event], facts: MethodFacts, sources: Sequence[Sequence[Mapping[str, str]]], sizes_of: Sizes
) -> dict[str, Any]:
    """Return the trace document. Times of events are in nanoseconds.

    `sources` are the source lines of each instruction; empty if unknown.
    """
    runs = [event for event in events if not event.kind.endswith("load")]
    start = min((event.begin for event in runs), default=0)
    spans = [_span(event, start, _details(event, facts, sources, sizes_of)) for event in runs]
    loads = [_span(event, event.begin, {}, _LOADING) for event in events if event.kind.endswith("load")]
    return {"displayTimeUnit": "ns", "traceEvents": [_label(_RUN, "run"), _label(_LOADING, "loading"), *loads, *spans]}


def write_trace(path: Path, document: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(document) + "\n", encoding="utf-8")


def _label(row: int, name: str) -> dict[str, Any]:
    return {"name": "thread_name", "ph": "M", "pid": 1, "tid": row, "args": {"name": name}}


def _span(event: Event, start: int, details: Mapping[str, Any], row: int = _RUN) -> dict[str, Any]:
    return {
        "name": event.name or event.kind,
        "cat": event.kind,
        "ph": "X",
        "ts": (event.begin - start) / 1e3,
        "dur": (event.end - event.begin) / 1e3,
        "pid": 1,
        "tid": row,
        "args": details,
    }


def _details(
    event: Event, facts: MethodFacts, sources: Sequence[Sequence[Mapping[str, str]]], sizes_of: Sizes
) -> dict[str, Any]:
    if event.kind == "step":
        return {"step": event.index}
    instruction = facts.instructions[event.index]
    details: dict[str, Any] = {"instruction": event.index, "tensors": tensors_of(instruction, sizes_of)}
    if event.index < len(sources):
        nodes = sources[event.index]
        details |= {key: _distinct(nodes, key) for key in ("source", "module") if _distinct(nodes, key)}
    return details


def tensors_of(instruction: Instruction, sizes_of: Sizes) -> list[str]:
    """Return the tensors of a call with the sizes of the run: "float32[1, 3]"."""
    values = list(dict.fromkeys(instruction.args))
    sizes = [found for value in values if value >= 0 and (found := sizes_of(value)) is not None]
    dtypes = (text.partition("[")[0] for text in instruction.tensors)
    return [f"{dtype}[{', '.join(map(str, size))}]" for dtype, size in zip(dtypes, sizes)]


def _distinct(nodes: Sequence[Mapping[str, str]], key: str) -> list[str]:
    return list(dict.fromkeys(node[key] for node in nodes if node[key]))

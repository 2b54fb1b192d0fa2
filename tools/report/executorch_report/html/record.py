"""The data of a page: the program, and files that the build and the runtime wrote."""

from __future__ import annotations

import bisect
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from executorch_report.facts import MethodFacts, ProgramFacts, read_program

Nodes = Sequence[Mapping[str, str]]
_Span = Mapping[str, Any]


class RecordError(Exception):
    """An additional file, such as a trace or a manifest, is not valid."""


@dataclass(frozen=True)
class Record:
    """A program with related data. Data is empty if its file is not given.

    `sources` are the source nodes of each instruction, by method. `times` maps each traced
    instruction to its time in nanoseconds. `step_times` maps each instruction and step name to times
    in nanoseconds, one for each delegate step.
    """

    facts: ProgramFacts
    manifest: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, Sequence[Nodes]] = field(default_factory=dict)
    times: Mapping[int, float] = field(default_factory=dict)
    step_times: Mapping[int, Mapping[str, Sequence[float]]] = field(default_factory=dict)

    def nodes(self, method: MethodFacts, index: int) -> Nodes:
        """Return the source nodes of an instruction."""
        found = self.sources.get(method.name, ())
        return found[index] if index < len(found) else ()

    def of_method(self, method: MethodFacts) -> Mapping[str, Any]:
        """Return the manifest's entry of a method; empty without a manifest."""
        found = [entry for entry in self.manifest.get("methods", ()) if entry["name"] == method.name]
        return found[0] if found else {}

    @property
    def title(self) -> str:
        return str(self.manifest.get("target") or self.facts.file)


def read_record(program: Path, manifest: Path | None, sources: Path | None, trace: Path | None) -> Record:
    """Read the files. Raise `InvalidProgramError`, RecordError or OSError."""
    spans: Sequence[_Span] = _member(trace, "traceEvents") if trace else ()
    return Record(
        read_program(program),
        _json(manifest) if manifest else {},
        _member(sources, "methods") if sources else {},
        _times(spans),
        _step_times(spans),
    )


def _json(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RecordError(f"{path}: not valid JSON: {error}; build the file again") from error
    if not isinstance(found, dict):
        raise RecordError(f"{path}: not a JSON object; build the file again")
    return found


def _member(path: Path, name: str) -> Any:
    content = _json(path)
    if name not in content:
        raise RecordError(f"{path}: missing '{name}'; build the file again")
    return content[name]


def _times(spans: Sequence[_Span]) -> Mapping[int, float]:
    """Return the nanoseconds of each instruction, summed over the iterations of loops."""
    times: dict[int, float] = defaultdict(float)
    for span in _with(spans, "instruction"):
        times[span["args"]["instruction"]] += span["dur"] * 1e3
    return dict(times)


def _step_times(spans: Sequence[_Span]) -> Mapping[int, Mapping[str, Sequence[float]]]:
    """Return the times of delegate steps, by the instruction that encloses them."""
    calls = sorted(_with(spans, "instruction"), key=lambda span: span["ts"])
    times: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for step in _with(spans, "step"):
        before = bisect.bisect_right(calls, step["ts"], key=lambda span: span["ts"])
        if before:
            times[calls[before - 1]["args"]["instruction"]][step["name"]].append(step["dur"] * 1e3)
    return times


def _with(spans: Sequence[_Span], what: str) -> list[_Span]:
    return [span for span in spans if what in span.get("args", {})]

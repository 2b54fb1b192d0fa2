"""All that a page is made of: what the file says, and what lies beside it."""

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
    """A file beside the program that is not as it should be."""


@dataclass(frozen=True)
class Record:
    """A program with what lies beside it, empty where that is not there: the manifest, the model's lines behind each instruction of
    each method, and of each instruction that was traced nanoseconds, and those of its delegate's steps by name, one number a step."""

    facts: ProgramFacts
    manifest: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, Sequence[Nodes]] = field(default_factory=dict)
    times: Mapping[int, float] = field(default_factory=dict)
    step_times: Mapping[int, Mapping[str, Sequence[float]]] = field(default_factory=dict)

    def nodes(self, method: MethodFacts, index: int) -> Nodes:
        """The nodes behind an instruction."""
        found = self.sources.get(method.name, ())
        return found[index] if index < len(found) else ()

    def of_method(self, method: MethodFacts) -> Mapping[str, Any]:
        """The manifest's part of a method."""
        found = [each for each in self.manifest.get("methods", ()) if each["name"] == method.name]
        return found[0] if found else {}

    @property
    def title(self) -> str:
        return str(self.manifest.get("target") or self.facts.file)


def read_record(program: Path, manifest: Path | None, sources: Path | None, trace: Path | None) -> Record:
    """Raises `InvalidProgramError`, RecordError or OSError."""
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
        raise RecordError(f"{path} is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise RecordError(f"{path} is no object of JSON")
    return found


def _member(path: Path, name: str) -> Any:
    content = _json(path)
    if name not in content:
        raise RecordError(f"{path} has no '{name}'")
    return content[name]


def _times(spans: Sequence[_Span]) -> Mapping[int, float]:
    """Nanoseconds of each instruction; what a loop repeats is summed."""
    times: dict[int, float] = defaultdict(float)
    for span in _with(spans, "instruction"):
        times[span["args"]["instruction"]] += span["dur"] * 1e3
    return dict(times)


def _step_times(spans: Sequence[_Span]) -> Mapping[int, Mapping[str, Sequence[float]]]:
    """Of the instructions in whose time steps lie."""
    calls = sorted(_with(spans, "instruction"), key=lambda span: span["ts"])
    times: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for step in _with(spans, "step"):
        before = bisect.bisect_right(calls, step["ts"], key=lambda span: span["ts"])
        if before:
            times[calls[before - 1]["args"]["instruction"]][step["name"]].append(step["dur"] * 1e3)
    return times


def _with(spans: Sequence[_Span], what: str) -> list[_Span]:
    return [span for span in spans if what in span.get("args", {})]

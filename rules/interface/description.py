"""The interface of a compiled program, which generators of every language read.

docs/reference/interface.md documents the JSON. It is part of the program's manifest.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rules.interface.identifiers import distinct, word

FORMAT = 3
_UNBOUNDED = 2**63 - 1

# Bytes per element of each dtype.
ELEMENT_BYTES: Mapping[str, int] = {
    "uint8": 1,
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "float16": 2,
    "float32": 4,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
    "bool": 1,
    "bfloat16": 2,
    "uint16": 2,
    "uint32": 4,
    "uint64": 8,
}


class InterfaceError(Exception):
    """The manifest cannot be read. The message states the place and the reason."""


@dataclass(frozen=True)
class Range:
    """The integers min, min + step and so on, at most max.

    expression: the integer as an expression of symbols that are equal within one call, such as
        "2*s0 + 1", or "" if it is not known.
    """

    min: int
    max: int
    step: int = 1
    expression: str = ""

    @property
    def is_bounded(self) -> bool:
        return self.max < _UNBOUNDED

    def __str__(self) -> str:
        """Format a range: "2 to 8", "8 to 64 in steps of 8", or "at least 2" if unbounded."""
        text = f"{self.min} to {self.max}" if self.is_bounded else f"at least {self.min}"
        return text if self.step == 1 else f"{text} in steps of {self.step}"


@dataclass(frozen=True)
class Slot:
    """One input or output of a method.

    name: part of an identifier, unique among the inputs or outputs of the method.
    kind: "tensor", "int", "double", "bool", "string" or "null" (None).
    dtype, shape, dim_order: of a tensor. The shape has the upper bounds of dynamic sizes.
    sizes: of a dynamic tensor: an integer for a fixed size, otherwise its range.
    range: of an integer input that differs between calls.
    value: of an input that is the same in every call. A float that is not finite is text.
    has_range: whether the program may declare ranges for the slot.
    """

    index: int
    name: str
    kind: str
    dtype: str = ""
    shape: tuple[int, ...] = ()
    dim_order: tuple[int, ...] = ()
    is_dynamic: bool = False
    sizes: tuple[int | Range, ...] = ()
    range: Range | None = None
    value: int | float | bool | str | None = None
    has_range: bool = False

    @property
    def element_bytes(self) -> int:
        return ELEMENT_BYTES[self.dtype]

    @property
    def count(self) -> int:
        """The number of elements; for a dynamic tensor, its upper bound."""
        return math.prod(self.shape)

    @property
    def is_argument(self) -> bool:
        """Whether a call passes the input: it is a tensor or an integer with a range."""
        return self.kind == "tensor" or self.range is not None

    @property
    def size_texts(self) -> tuple[str, ...]:
        """The size of each dimension: "4", or "2 to 8"."""
        return tuple(map(str, self.sizes if self.is_dynamic else self.shape))


@dataclass(frozen=True)
class State:
    """A mutable buffer, which keeps its value between calls."""

    name: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Memory:
    """Memory requirements of a method.

    planned_bytes: size of each planned buffer.
    shared: index of the planned buffer that methods share, or None.
    counts: arguments of ET_METHOD_BYTES by name.
    persistent, scratch: C expressions of bytes. A method needs all persistent objects, and the
        largest scratch memory.
    headers: C headers that these expressions need.
    """

    planned_bytes: tuple[int, ...]
    shared: int | None
    counts: Mapping[str, int]
    persistent: tuple[str, ...]
    scratch: tuple[str, ...]
    headers: tuple[str, ...]


@dataclass(frozen=True)
class Delegate:
    """A part of a method that a backend runs.

    parts: C symbols of the parts of the backend's runtime that the payload needs.
    options: the backend's options, as text.
    """

    backend: str
    parts: tuple[str, ...]
    options: Mapping[str, str]


@dataclass(frozen=True)
class Method:
    """One method of a program.

    identifier: the name as a part of an identifier.
    doc: docstring of the function, or "".
    branches: whether the method has instructions that move values or jump.
    conditions: conditions that each call checks, such as "x.shape[0] % 4 == 0".
    """

    name: str
    identifier: str
    doc: str
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    state: tuple[State, ...]
    memory: Memory
    delegates: tuple[Delegate, ...]
    branches: bool
    conditions: tuple[str, ...] = ()

    @property
    def io_slots(self) -> tuple[Slot, ...]:
        return self.inputs + self.outputs

    @property
    def requirement(self) -> str:
        """The conditions as a sentence, or ""."""
        return f"Each call requires {'; '.join(self.conditions)}." if self.conditions else ""

    @property
    def arguments(self) -> tuple[Slot, ...]:
        """The inputs that a call passes."""
        return tuple(slot for slot in self.inputs if slot.is_argument)


@dataclass(frozen=True)
class Weights:
    """The external weights file of a program."""

    nbytes: int
    sha256: str


@dataclass(frozen=True)
class Interface:
    """The interface of one program.

    doc: docstring of the module's class, or "".
    weights_from_file: whether the weights are from a file; otherwise, the module initialized them.
    weights: the external weights file, or None if the program contains the weights.
    """

    target: str
    doc: str
    program_bytes: int
    weights_from_file: bool
    methods: tuple[Method, ...]
    backends: tuple[str, ...]
    weights: Weights | None
    program_sha256: str = ""

    @property
    def state_bytes(self) -> int:
        """Bytes of the planned buffer that methods share. All methods plan the same size."""
        memories = (method.memory for method in self.methods)
        return max((memory.planned_bytes[memory.shared] for memory in memories if memory.shared is not None), default=0)

    @property
    def parts(self) -> dict[str, frozenset[str]]:
        """By backend: the symbols of the parts that the program needs."""
        found: dict[str, frozenset[str]] = {}
        for delegate in (delegate for method in self.methods for delegate in method.delegates):
            found[delegate.backend] = found.get(delegate.backend, frozenset()).union(delegate.parts)
        return found


def read_interface(path: Path) -> Interface:
    """Read the interface of a program from its manifest.

    Raises InterfaceError if the manifest has another format version, or more than one weights file.
    """
    content = json.loads(path.read_text(encoding="utf-8"))
    if content.get("format") != FORMAT:
        raise InterfaceError(f"{path}: manifest format {content.get('format')}; expected {FORMAT}")
    return Interface(
        target=content["target"],
        doc=content.get("doc", ""),
        program_bytes=content["program"]["bytes"],
        weights_from_file=content["weights"] == "file",
        methods=tuple(_read_method(entry, path) for entry in content["methods"]),
        backends=tuple(content["backends"]),
        weights=_read_weights(content["external"], path),
        program_sha256=content["program"].get("sha256", ""),
    )


def _read_weights(entries: list[dict[str, Any]], path: Path) -> Weights | None:
    if len(entries) > 1:
        raise InterfaceError(f"{path}: the program has {len(entries)} weights files; at most one can be linked")
    return Weights(entries[0]["bytes"], entries[0]["sha256"]) if entries else None


def _read_method(entry: dict[str, Any], path: Path) -> Method:
    return Method(
        name=entry["name"],
        identifier=word(entry["name"]) or "method",
        doc=entry.get("doc", ""),
        inputs=_read_slots(entry["inputs"], "input"),
        outputs=_read_slots(entry["outputs"], "output"),
        state=tuple(State(state["name"], state["dtype"], tuple(state["shape"])) for state in entry.get("state", ())),
        memory=_read_memory(entry["memory"]),
        delegates=tuple(_read_delegate(delegate, path) for delegate in entry["delegates"]),
        branches=entry["branches"],
        conditions=tuple(entry.get("conditions", ())),
    )


def _read_memory(entry: dict[str, Any]) -> Memory:
    return Memory(
        planned_bytes=tuple(entry["planned_bytes"]),
        shared=entry["shared_id"] - 1 if entry["shared_id"] else None,
        counts=entry["counts"],
        persistent=tuple(entry["persistent"]),
        scratch=tuple(entry["scratch"]),
        headers=tuple(entry["headers"]),
    )


def _read_delegate(entry: dict[str, Any], path: Path) -> Delegate:
    for symbol in entry["parts"]:
        if re.fullmatch(r"[A-Za-z_]\w*", symbol, re.ASCII) is None:
            raise InterfaceError(f"{path}: part of '{entry['id']}' is not a C identifier: {symbol!r}")
    return Delegate(entry["id"], tuple(entry["parts"]), entry.get("options", {}))


def _read_slots(entries: list[dict[str, Any]], role: str) -> tuple[Slot, ...]:
    """Return the slots. Empty and repeated names become `<role>_<index>`."""
    numbered = [f"{role}_{index}" for index in range(len(entries))]
    words = [word(entry["name"]) or number for entry, number in zip(entries, numbered, strict=True)]
    names = distinct(words, numbered)
    return tuple(_read_slot(index, name, entry) for index, (name, entry) in enumerate(zip(names, entries, strict=True)))


def _read_slot(index: int, name: str, entry: dict[str, Any]) -> Slot:
    is_dynamic = entry.get("dynamism", "static") != "static"
    return Slot(
        index=index,
        name=name,
        kind=entry["kind"],
        dtype=entry.get("dtype", ""),
        shape=tuple(entry.get("shape", ())),
        dim_order=tuple(entry.get("dim_order", ())),
        is_dynamic=is_dynamic,
        sizes=_read_sizes(entry) if is_dynamic else (),
        range=Range(**entry["range"]) if "range" in entry else None,
        value=entry.get("value"),
        has_range="sizes" in entry or "range" in entry,
    )


def _read_sizes(entry: dict[str, Any]) -> tuple[int | Range, ...]:
    """Return the sizes of a dynamic tensor; upper bounds, if it declares no ranges."""
    if "sizes" not in entry:
        return tuple(Range(0, size) for size in entry["shape"])
    return tuple(Range(**size) if isinstance(size, dict) else size for size in entry["sizes"])

"""The parts of a program's manifest from which C code is generated."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rules.codegen.names import c_word, link_prefix

MANIFEST_FORMAT = 3
_UNBOUNDED = 2**63 - 1

# dtype in the manifest: (C type, ET_SCALAR_TYPE_…, bytes per element).
_C_TYPES = {
    "uint8": ("uint8_t", "UINT8", 1),
    "int8": ("int8_t", "INT8", 1),
    "int16": ("int16_t", "INT16", 2),
    "int32": ("int32_t", "INT32", 4),
    "int64": ("int64_t", "INT64", 8),
    "float16": ("uint16_t", "FLOAT16", 2),
    "float32": ("float", "FLOAT32", 4),
    "float64": ("double", "FLOAT64", 8),
    "complex64": ("et_complex64", "COMPLEX64", 8),
    "complex128": ("et_complex128", "COMPLEX128", 16),
    "bool": ("bool", "BOOL", 1),
    "bfloat16": ("uint16_t", "BFLOAT16", 2),
    "uint16": ("uint16_t", "UINT16", 2),
    "uint32": ("uint32_t", "UINT32", 4),
    "uint64": ("uint64_t", "UINT64", 8),
}


class CodegenError(Exception):
    """The manifest cannot be converted to C.

    The message states the place and the reason.
    """


@dataclass(frozen=True)
class Slot:
    """One input or output of a method."""

    index: int
    name: str  # part of a C identifier
    kind: str  # "tensor", "int", …
    dtype: str  # "" unless a tensor
    shape: tuple[int, ...]  # upper bounds of dynamic sizes
    is_dynamic: bool
    sizes: tuple[str, ...] = ()  # of a dynamic tensor: "4", or "2 to 8"
    range: str = ""  # of an integer input
    has_range: bool = False  # the program may declare ranges for this slot

    @property
    def c_type(self) -> str:
        return _C_TYPES[self.dtype][0]

    @property
    def scalar_type(self) -> str:
        return "ET_SCALAR_TYPE_" + _C_TYPES[self.dtype][1]

    @property
    def element_bytes(self) -> int:
        return _C_TYPES[self.dtype][2]

    @property
    def count(self) -> int:
        return math.prod(self.shape)


@dataclass(frozen=True)
class Method:
    name: str
    identifier: str
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    planned_bytes: tuple[int, ...]
    shared: int | None  # index of the planned buffer that methods share
    branches: bool  # whether the method has move or jump instructions
    counts: dict[str, int]  # arguments of ET_METHOD_BYTES
    persistent: tuple[str, ...]  # C expressions: bytes of delegate handles and kernel states
    scratch: tuple[str, ...]  # C expressions; the method needs the largest
    headers: tuple[str, ...]  # headers that the expressions need

    @property
    def io_slots(self) -> tuple[Slot, ...]:
        return self.inputs + self.outputs


@dataclass(frozen=True)
class Weights:
    """An external weights file of a program."""

    nbytes: int
    sha256: str


@dataclass(frozen=True)
class Model:
    """One compiled program."""

    target: str
    prefix: str  # C identifier that all names of the model start with
    link_prefix: str  # prefix of the model's linker symbols
    program_bytes: int
    weights_from_file: bool
    methods: tuple[Method, ...]
    backends: tuple[str, ...]
    parts: dict[str, frozenset[str]]  # by backend: C symbols of the parts that the program needs
    weights: Weights | None  # None if the weights are in the program

    @property
    def state_bytes(self) -> int:
        """Bytes of the planned buffer that methods share. All methods plan the same size."""
        return max(
            (method.planned_bytes[method.shared] for method in self.methods if method.shared is not None), default=0
        )


@dataclass(frozen=True)
class Borrowed:
    """Data that the caller of a load function provides.

    `programs` maps a model's prefix to the path of its program below the runfiles; empty if programs are
    embedded. `weights` is true if the caller provides the weights files.
    """

    programs: Mapping[str, str] = field(default_factory=dict)
    weights: bool = False


def read_manifest(path: Path, prefix: str, library: str) -> Model:
    """Read a manifest of exir for the library with this label.

    Raises CodegenError if the manifest has another format version.
    """
    content = json.loads(path.read_text(encoding="utf-8"))
    if content.get("format") != MANIFEST_FORMAT:
        raise CodegenError(f"{path}: manifest format {content.get('format')}; expected {MANIFEST_FORMAT}")
    return Model(
        target=content["target"],
        prefix=prefix,
        link_prefix=link_prefix(prefix, library, content["target"]),
        program_bytes=content["program"]["bytes"],
        weights_from_file=content["weights"] == "file",
        methods=tuple(_read_method(entry) for entry in content["methods"]),
        backends=tuple(content["backends"]),
        parts=_read_parts(content, path),
        weights=_read_weights(content["external"], path),
    )


def _read_weights(entries: list[dict], path: Path) -> Weights | None:
    if len(entries) > 1:
        raise CodegenError(f"{path}: the program has {len(entries)} weights files; at most one can be linked")
    return Weights(entries[0]["bytes"], entries[0]["sha256"]) if entries else None


def _read_parts(content: dict, path: Path) -> dict[str, frozenset[str]]:
    parts: dict[str, frozenset[str]] = {}
    for delegate in (delegate for method in content["methods"] for delegate in method["delegates"]):
        for symbol in delegate["parts"]:
            if re.fullmatch(r"[A-Za-z_]\w*", symbol, re.ASCII) is None:
                raise CodegenError(f"{path}: part of '{delegate['id']}' is not a C identifier: {symbol!r}")
        parts[delegate["id"]] = parts.get(delegate["id"], frozenset()).union(delegate["parts"])
    return parts


def _read_method(entry: dict) -> Method:
    memory = entry["memory"]
    return Method(
        name=entry["name"],
        identifier=c_word(entry["name"]) or "method",
        inputs=_read_slots(entry["inputs"], "input"),
        outputs=_read_slots(entry["outputs"], "output"),
        planned_bytes=tuple(memory["planned_bytes"]),
        shared=memory["shared_id"] - 1 if memory["shared_id"] else None,
        branches=entry["branches"],
        counts=memory["counts"],
        persistent=tuple(memory["persistent"]),
        scratch=tuple(memory["scratch"]),
        headers=tuple(memory["headers"]),
    )


def _read_slots(entries: list[dict], role: str) -> tuple[Slot, ...]:
    names = [c_word(entry["name"]) for entry in entries]
    return tuple(
        Slot(
            index=index,
            name=name if name and names.count(name) == 1 else f"{role}_{index}",
            kind=entry["kind"],
            dtype=entry.get("dtype", ""),
            shape=tuple(entry.get("shape", ())),
            is_dynamic=entry.get("dynamism", "static") != "static",
            sizes=_size_texts(entry) if entry.get("dynamism", "static") != "static" else (),
            range=_range_text(entry["range"]) if "range" in entry else "",
            has_range="sizes" in entry or "range" in entry,
        )
        for index, (entry, name) in enumerate(zip(entries, names, strict=True))
    )


def _size_texts(entry: dict) -> tuple[str, ...]:
    """Return the range of each dimension.

    Without declared ranges, sizes are upper bounds.
    """
    sizes = entry.get("sizes") or [{"min": 0, "max": size, "step": 1} for size in entry["shape"]]
    return tuple(_range_text(size) if isinstance(size, dict) else str(size) for size in sizes)


def _range_text(bounds: dict[str, int]) -> str:
    """Format a range: "2 to 8", "8 to 64 in steps of 8", or "at least 2" if unbounded."""
    text = f"at least {bounds['min']}" if bounds["max"] >= _UNBOUNDED else f"{bounds['min']} to {bounds['max']}"
    return text if bounds["step"] == 1 else f"{text} in steps of {bounds['step']}"

"""Tests that a manifest is read as the interface of a program."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rules.interface.description import ELEMENT_BYTES, Interface, InterfaceError, Range, read_interface

_METHOD = {
    "name": "run",
    "inputs": [],
    "outputs": [],
    "delegates": [],
    "branches": False,
    "memory": {
        "planned_bytes": [64, 32],
        "shared_id": 2,
        "counts": {"values": 3},
        "persistent": ["8"],
        "scratch": ["16", "4"],
        "headers": ["npu.h"],
    },
}

_MANIFEST = {
    "format": 3,
    "target": "//app:net_pte",
    "weights": "file",
    "program": {"file": "net.pte", "bytes": 100, "sha256": ""},
    "external": [],
    "backends": [],
    "methods": [_METHOD],
}


def test_element_sizes_are_those_in_the_dtype_names() -> None:
    bits = {dtype: re.sub(r"\D", "", dtype) or "8" for dtype in ELEMENT_BYTES}
    assert {dtype: 8 * size for dtype, size in ELEMENT_BYTES.items()} == {each: int(bits[each]) for each in bits}


def _read(folder: Path, **changes: object) -> Interface:
    path = folder / "net.manifest.json"
    path.write_text(json.dumps({**_MANIFEST, **changes}), encoding="utf-8")
    return read_interface(path)


def _read_slots(folder: Path, *inputs: dict) -> tuple:
    return _read(folder, methods=[{**_METHOD, "inputs": list(inputs)}]).methods[0].inputs


def _tensor(name: str, shape: list[int], **changes: object) -> dict:
    entry = {"name": name, "kind": "tensor", "dtype": "int16", "shape": shape, "dim_order": [0, 1]}
    return {**entry, "dynamism": "static", **changes}


def test_program_is_described(tmp_path: Path) -> None:
    interface = _read(tmp_path, doc="Sums.", external=[{"file": "net.ptd", "bytes": 5, "sha256": "ab"}])
    assert (interface.target, interface.doc, interface.program_bytes) == ("//app:net_pte", "Sums.", 100)
    assert interface.weights is not None and interface.weights.nbytes == 5
    assert interface.state_bytes == 32 and interface.methods[0].memory.shared == 1


def test_static_tensor_has_sizes_and_bytes(tmp_path: Path) -> None:
    (slot,) = _read_slots(tmp_path, _tensor("a.b", [2, 3]))
    assert (slot.name, slot.shape, slot.count, slot.element_bytes) == ("a_b", (2, 3), 6, 2)
    assert slot.is_argument and not slot.is_dynamic and slot.size_texts == ("2", "3")


def test_dynamic_tensor_has_ranges_and_expressions(tmp_path: Path) -> None:
    bounds = {"min": 3, "max": 9, "step": 2, "expression": "2*s0 + 1"}
    (slot,) = _read_slots(tmp_path, _tensor("x", [9, 4], dynamism="dynamic_bound", sizes=[bounds, 4]))
    assert slot.sizes == (Range(3, 9, 2, "2*s0 + 1"), 4)
    assert slot.size_texts == ("3 to 9 in steps of 2", "4")


def test_undeclared_ranges_are_upper_bounds(tmp_path: Path) -> None:
    (slot,) = _read_slots(tmp_path, _tensor("x", [8, 4], dynamism="dynamic_bound"))
    assert slot.sizes == (Range(0, 8), Range(0, 4)) and not slot.has_range


def test_calls_pass_tensors_and_integers_with_a_range(tmp_path: Path) -> None:
    unbounded = {"min": 1, "max": 2**63 - 1, "step": 1}
    slots = _read_slots(
        tmp_path,
        {"name": "n", "kind": "int", "range": unbounded},
        {"name": "m", "kind": "int", "value": 4},
        {"name": "c", "kind": "null"},
        {"name": "s", "kind": "string", "value": "text"},
    )
    assert [slot.is_argument for slot in slots] == [True, False, False, False]
    assert [slot.value for slot in slots] == [None, 4, None, "text"]
    assert str(slots[0].range) == "at least 1"


def test_empty_and_repeated_names_are_numbered(tmp_path: Path) -> None:
    slots = _read_slots(tmp_path, *(_tensor(name, [1]) for name in ("x", "", "y", "x")))
    assert [slot.name for slot in slots] == ["input_0", "input_1", "y", "input_3"]


def test_method_lists_state_delegates_and_documentation(tmp_path: Path) -> None:
    delegate = {"id": "Npu", "bytes": 1, "parts": ["npu_gemm"], "options": {"mode": "fast"}}
    state = {"name": "cache", "dtype": "float32", "shape": [2, 3]}
    interface = _read(tmp_path, methods=[{**_METHOD, "delegates": [delegate], "state": [state], "doc": "Runs."}])
    (method,) = interface.methods
    assert (method.doc, method.state[0].shape, method.delegates[0].options) == ("Runs.", (2, 3), {"mode": "fast"})
    assert interface.parts == {"Npu": {"npu_gemm"}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 1}, "manifest format 1; expected 3"),
        ({"external": [{}, {}]}, "the program has 2 weights files"),
        (
            {"methods": [{**_METHOD, "delegates": [{"id": "Npu", "parts": ["a; b"]}]}]},
            "part of 'Npu' is not a C identifier: 'a; b'",
        ),
    ],
)
def test_unreadable_manifest_is_refused(changes: dict, message: str, tmp_path: Path) -> None:
    with pytest.raises(InterfaceError, match=message):
        _read(tmp_path, **changes)

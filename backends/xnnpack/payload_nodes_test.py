"""Tests for payload_nodes."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest

from backends.xnnpack.payload_nodes import NODES, describe
from exir._serialize import deserialize_pte_binary

_PROGRAMS = sorted(
    (*Path("tests/xnnpack_programs").glob("*.pte"), *Path("tests/fixtures").glob("*.pte")), key=lambda path: path.stem
)


def _payloads(path: Path) -> list[bytes]:
    program = deserialize_pte_binary(path.read_bytes()).program
    delegates = [each for plan in program.execution_plan for each in plan.delegates if each.id == "XnnpackBackend"]
    return [bytes(program.backend_delegate_data[each.processed.index].data) for each in delegates if each.processed]


def _payload(name: str) -> bytes:
    return _payloads(Path("tests/xnnpack_programs") / f"{name}.pte")[0]


def test_node_tags_match_the_verifier() -> None:
    text = Path("backends/xnnpack/runtime/schema.h").read_text(encoding="utf-8")
    tags = [int(tag) for tag in re.findall(r"^  X\(\w+, (\d+), \w+\)", text, re.MULTILINE)]
    assert tags == list(range(1, len(NODES) + 1))


def test_lists_a_convolution_with_its_weights_and_adjacent_nodes() -> None:
    names = [name for name, _ in describe(_payload("conv_dq"))]
    assert names == ["StaticTranspose", "Convert", "Conv2d", "StaticTranspose"]
    _, values = describe(_payload("conv_dq"))[2]
    assert values[0].startswith("int8 per row[") and values[1].startswith("constant int8 per channel[")
    assert values[-1].startswith("float32[")


def test_lists_all_inputs_of_a_concatenation_before_the_output() -> None:
    ((name, values),) = describe(_payload("cat5"))
    assert name == "Concatenate5" and len(values) == 6


def test_reads_every_payload_of_the_official_exporter() -> None:
    payloads = [payload for path in _PROGRAMS for payload in _payloads(path)]
    assert len(payloads) > 60
    for payload in payloads:
        nodes = describe(payload)
        assert nodes and all(values for _, values in nodes)
        assert not [text for _, values in nodes for text in values if text.startswith(("value ", "datatype "))]


def test_rejects_data_that_is_not_an_xnnpack_payload() -> None:
    payload = _payload("cat5")
    for damaged in (b"", payload[:40], b"\0" * 80, payload[:32] + b"\xff" * 4 + payload[36:]):
        with pytest.raises(ValueError, match="XnnpackBackend"):
            describe(damaged)


def test_a_damaged_byte_raises_at_most_a_value_error() -> None:
    payload = _payload("cat5")
    for place in range(len(payload)):
        damaged = bytearray(payload)
        damaged[place] ^= 0xFF
        with suppress(ValueError):
            describe(bytes(damaged))

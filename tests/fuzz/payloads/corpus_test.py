"""Tests that the fuzzed XNNPACK payloads have every kind of node.

The CPU fuzzer checks its own corpus when it starts.
"""

from __future__ import annotations

from pathlib import Path

from backends.xnnpack.payload_nodes import NODES, describe
from exir._serialize import deserialize_pte_binary
from tests.fuzz.payloads.xnnpack_kinds import EXAMPLES, PATH, payload_of, payloads

_UNSUPPORTED = {"ScaledDotProductAttention"}
"""Kinds that the runtime refuses, as no exporter writes them."""


def _kinds_in_programs() -> set[str]:
    kinds: set[str] = set()
    for path in (*Path("tests/xnnpack_programs").glob("*.pte"), *Path("tests/fixtures").glob("*.pte")):
        program = deserialize_pte_binary(path.read_bytes()).program
        for delegate in (each for plan in program.execution_plan for each in plan.delegates):
            if delegate.id == "XnnpackBackend" and delegate.processed:
                payload = bytes(program.backend_delegate_data[delegate.processed.index].data)
                kinds |= {kind for kind, _ in describe(payload)}
    return kinds


def test_corpus_has_every_kind_of_xnnpack_node() -> None:
    kinds = _kinds_in_programs() | {example.kind for example in EXAMPLES}
    assert kinds == {kind for kind, _ in NODES} - _UNSUPPORTED


def test_file_of_xnnpack_kinds_is_current() -> None:
    assert PATH.read_bytes() == payloads(), "run tools/python -m tests.fuzz.payloads.xnnpack_kinds"


def test_xnnpack_examples_have_the_declared_nodes() -> None:
    for example in EXAMPLES:
        ((kind, values),) = describe(payload_of(example))
        assert kind == example.kind
        assert len(values) == len(example.inputs) + len(example.constants) + len(example.outputs)

"""Tests that the pipeline prints as text and verifies graphs between passes."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import nn

from backends.cpu.compiler import pipeline
from backends.cpu.compiler.compile import lower_partition
from backends.cpu.compiler.graph import Op, OpGraph, Value, verify_graph
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.pipeline import PIPELINE, Partition, PartitionPass, print_pipeline, run_pipeline
from backends.cpu.compiler.testing.compare import delegated, ops
from backends.cpu.schema.attention import SdpaF32
from backends.cpu.schema.elementwise import ElementwiseF32
from backends.cpu.schema.records import RELU
from exir.error import InternalError

_NAMES = [each.name for each in PIPELINE]


def _lowered(module: nn.Module | Callable[..., torch.Tensor], *inputs: torch.Tensor) -> Partition:
    return lower_partition(delegated(module, inputs), Options())


def _linear() -> Partition:
    return _lowered(nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.LayerNorm(4)), torch.randn(2, 4))


def _pass(run: Callable[[Partition], None]) -> PartitionPass:
    return PartitionPass(name="broken", before="Any.", after="None.", run=run)


def _read_unwritten_value(partition: Partition) -> None:
    x, y = (Value(torch.float32, (2, 4)) for _ in range(2))
    partition.graph.ops.append(Op(ElementwiseF32.of(RELU), (x,), (y,)))


def _remove_workspaces(partition: Partition) -> None:
    partition.graph.ops = [replace(op, workspaces=()) for op in partition.graph.ops]


def test_pipeline_is_printed_in_execution_order(capsys: pytest.CaptureFixture[str]) -> None:
    print_pipeline()
    lines = capsys.readouterr().out.splitlines()
    headings = [line.split()[1] for line in lines if not line.startswith("   ")]
    assert headings == _NAMES
    assert lines[:3] == [
        " 1 eliminate_dead_ops",
        "   before: The graph contains the ops of every node, and weights have PyTorch's layout.",
        "   after:  Each op writes a state or a value that a later op or the caller reads.",
    ]
    assert "13 choose_strassen (all partitions)" in lines


def test_names_of_passes_are_unique_and_contracts_are_sentences() -> None:
    assert len(set(_NAMES)) == len(_NAMES)
    for each in PIPELINE:
        assert each.before.endswith(".")
        assert each.after.endswith(".")


@pytest.mark.parametrize("place", range(len(PIPELINE) + 1))
def test_error_names_the_broken_pass_at_any_position(place: int) -> None:
    passes = [*PIPELINE[:place], _pass(_read_unwritten_value), *PIPELINE[place:]]
    with pytest.raises(InternalError, match="has no producer before it") as caught:
        run_pipeline([_linear()], passes)
    assert caught.value.pass_name == "cpu.broken"
    assert "pass: cpu.broken" in str(caught.value)


def test_sizes_are_checked_after_the_pass_that_completes_them() -> None:
    def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(q, k, v)

    inputs = [torch.randn(1, 2, 3, 4) for _ in range(3)]
    place = _NAMES.index("prepare_attention")
    broken = _pass(_remove_workspaces)
    run_pipeline([_lowered(attend, *inputs)], [*PIPELINE[:place], broken, *PIPELINE[place:]])
    partition = _lowered(attend, *inputs)
    with pytest.raises(InternalError, match="tensors") as caught:
        run_pipeline([partition], [*PIPELINE[: place + 1], broken, *PIPELINE[place + 1 :]])
    assert caught.value.pass_name == "cpu.broken"
    assert any(isinstance(op.spec, SdpaF32) for op in partition.graph.ops)


def test_an_invalid_graph_from_lowering_is_not_blamed_on_a_pass() -> None:
    partition = _linear()
    _read_unwritten_value(partition)
    with pytest.raises(InternalError) as caught:
        run_pipeline([partition])
    assert caught.value.pass_name == "cpu.lower"


def test_an_exception_names_the_pass() -> None:
    def fail(partition: Partition) -> None:
        raise KeyError("weight")

    with pytest.raises(InternalError, match="pass 'cpu.broken' failed: KeyError: 'weight'"):
        run_pipeline([_linear()], [_pass(fail)])


@pytest.fixture
def verified(monkeypatch: pytest.MonkeyPatch) -> list[OpGraph]:
    """Return a list to which each verified graph is added."""
    graphs: list[OpGraph] = []

    def count(graph: OpGraph, incomplete: object) -> None:
        graphs.append(graph)
        verify_graph(graph, incomplete)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "verify_graph", count)
    return graphs


def test_compiler_tests_verify_between_passes(verified: list[OpGraph]) -> None:
    ops(nn.Linear(4, 4), torch.randn(2, 4))
    assert len(verified) >= len(PIPELINE) + 1


def test_only_the_last_graph_is_verified_by_default(verified: list[OpGraph], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(pipeline.VERIFY_VARIABLE)
    partition = _linear()
    verified.clear()
    run_pipeline([partition])
    assert verified == [partition.graph]


def test_a_program_pass_receives_all_partitions() -> None:
    assert [each.name for each in PIPELINE if isinstance(each, pipeline.ProgramPass)] == ["choose_strassen"]
    partitions = [_linear(), _linear()]
    seen: list[int] = []
    joint = pipeline.ProgramPass(name="all", before="Any.", after="Any.", run=lambda parts: seen.append(len(parts)))
    assert run_pipeline(iter(partitions), [*PIPELINE[:1], joint, *PIPELINE[1:]]) == partitions
    assert seen == [2]

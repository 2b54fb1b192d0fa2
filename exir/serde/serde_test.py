"""Tests that programs of every stage survive serialization."""

import io

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram, export

from backends.demo.compiler_demo import BackendWithCompilerDemo, CompilerDemoPartitioner
from exir import EdgeProgramManager, to_edge, to_edge_transform_and_lower
from exir.delegate import delegate_calls, lowered_module_of
from exir.error import UserError
from exir.serde import deserialize, load, save, serialize


class Mixed(nn.Module):
    """Has a parameter, a tensor list, several results, a dtype and a mutable buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        self.count.add_(1)
        values, indices = torch.topk(self.linear(x), 2)
        first, second = torch.split(x, 2, dim=1)
        return values, indices.to(torch.int32), torch.cat([second, first], dim=1) + self.count


class Chosen(nn.Module):
    """A module with control flow."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x * 2.0, (x,))


def _save_and_load(program: ExportedProgram) -> ExportedProgram:
    return deserialize(serialize(program))


def _assert_same(program: ExportedProgram, again: ExportedProgram) -> None:
    nodes, others = list(program.graph.nodes), list(again.graph.nodes)
    assert [(n.name, n.op, n.target) for n in nodes] == [(n.name, n.op, n.target) for n in others]
    calls = [(a, b) for a, b in zip(nodes, others) if a.op == "call_function"]
    for name in ("debug_handle", "stack_trace"):
        assert [a.meta.get(name) for a, _ in calls] == [b.meta.get(name) for _, b in calls]
    assert str(program.graph_signature) == str(again.graph_signature)


@pytest.mark.parametrize("module", [Mixed(), Chosen()], ids=["mixed", "cond"])
def test_every_stage_round_trips(module: nn.Module) -> None:
    aten = export(module, (torch.randn(3, 4),))
    edge = to_edge(aten)
    lowered = edge.to_executorch().exported_program()
    for program in (aten, edge.exported_program(), lowered):
        _assert_same(program, _save_and_load(program))


def test_loaded_program_runs_and_lowers_as_before() -> None:
    module, x = Mixed(), torch.randn(3, 4)
    edge = to_edge(export(module, (x,)))
    again = _save_and_load(edge.exported_program())
    for a, b in zip(edge.exported_program().module()(x), again.module()(x)):
        assert torch.equal(a, b)
    assert EdgeProgramManager(again).to_executorch().buffer == edge.to_executorch().buffer


def test_delegate_round_trips_with_payload_and_program() -> None:
    class Sine(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return torch.cos(torch.sin(x) + x)

    x = torch.randn(2, 3)
    edge = to_edge_transform_and_lower(export(Sine(), (x,)), partitioner=[CompilerDemoPartitioner()])
    again = _save_and_load(edge.exported_program())
    _assert_same(edge.exported_program(), again)
    (before,), (after,) = (
        delegate_calls(exported.graph) for exported in (edge.exported_program(), again)
    )
    old, new = lowered_module_of(before), lowered_module_of(after)
    assert (new.backend_id, new.processed_bytes) == (
        BackendWithCompilerDemo.__name__,
        old.processed_bytes,
    )
    _assert_same(old.original_module, new.original_module)
    assert torch.equal(again.module()(x), Sine()(x))


def test_loaded_sizes_keep_symbols_and_bounds() -> None:
    batch = Dim("batch", min=2, max=9)
    program = to_edge(
        export(Chosen(), (torch.randn(3, 4),), dynamic_shapes={"x": {0: batch}})
    ).exported_program()
    again = _save_and_load(program)
    assert str(program.range_constraints) == str(again.range_constraints)
    with pytest.raises((AssertionError, RuntimeError)):
        again.module()(torch.randn(10, 4))


def test_saved_file_contains_program_and_extra_files() -> None:
    program = to_edge(export(Chosen(), (torch.ones(2),))).exported_program()
    file = io.BytesIO()
    beside: dict[str, str] = {}
    save(program, file, extra_files={"note.txt": "of the third run"})
    _assert_same(program, load(file, extra_files=beside))
    assert beside == {"note.txt": "of the third run"}


def test_other_version_is_refused() -> None:
    artifact = serialize(export(Chosen(), (torch.ones(2),)))
    other = artifact.exported_program.replace(b'"major": 5', b'"major": 8')
    assert other != artifact.exported_program
    with pytest.raises(UserError, match="of schema 8; only schema 5 is supported"):
        deserialize(
            type(artifact)(other, artifact.state_dict, artifact.constants, artifact.example_inputs)
        )

"""Tests that lowering does not modify its input program."""

import pytest
from torch.export import ExportedProgram

from backends.cpu.compiler.partitioner import CpuPartitioner
from exir import to_edge, to_edge_transform_and_lower
from exir.testing import programs, sized_cases
from exir.testing.program_state import state_of

CASES = {
    **{name: case for name, case in sized_cases.CASES.items() if name in ("where_zeros", "item_zeros", "where_cond")},
    **{name: programs.CASES[name] for name in ("dynamictransformerlayer",)},
}


def _lowered(program: ExportedProgram) -> bytes:
    manager = to_edge_transform_and_lower(program, partitioner=[CpuPartitioner()])
    return manager.to_executorch().buffer


@pytest.mark.parametrize("name", sorted(CASES))
def test_lowering_again_produces_the_same_bytes(name: str) -> None:
    program = CASES[name]().export()
    before = state_of(program)
    to_edge_transform_and_lower(program).to_executorch()
    first = _lowered(program)
    assert state_of(program) == before
    assert _lowered(program) == first
    assert _lowered(CASES[name]().export()) == first


def test_delegation_does_not_modify_the_edge_program() -> None:
    manager = to_edge(CASES["dynamictransformerlayer"]().export())
    before = state_of(manager.exported_program())
    first = manager.to_backend(CpuPartitioner()).to_executorch().buffer
    assert state_of(manager.exported_program()) == before
    assert manager.to_backend(CpuPartitioner()).to_executorch().buffer == first

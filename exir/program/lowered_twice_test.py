"""Tests that lowering does not change the caller's program."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram, export
from torch.fx import GraphModule

from exir import to_edge, to_edge_transform_and_lower
from exir.error import ExirError, PassError
from exir.program import _edge
from exir.testing import models, programs, sized_cases
from exir.testing.program_state import state_of

CASES = {
    **sized_cases.CASES,
    "dynamic_add": models.dynamic_add,
    "kv_cache": models.kv_cache,
    "dynamictransformerlayer": programs.CASES["dynamictransformerlayer"],
}


def _lower_or_error(program: ExportedProgram) -> bytes | str:
    """Return the bytes of the lowered program, or its error message."""
    try:
        return to_edge_transform_and_lower(program).to_executorch().buffer
    except ExirError as error:
        return str(error)


@pytest.mark.parametrize("name", sorted(CASES))
def test_lowering_twice_gives_equal_bytes(name: str) -> None:
    program = CASES[name]().export()
    before = state_of(program)
    first = _lower_or_error(program)
    assert state_of(program) == before
    assert _lower_or_error(copy.deepcopy(program)) == first
    assert _lower_or_error(program) == first
    assert state_of(program) == before


def test_one_program_can_become_two_methods() -> None:
    program = sized_cases.CASES["where_zeros"]().export()
    before = state_of(program)
    manager = to_edge({"a": program, "b": program})
    assert manager.methods == {"a", "b"}
    assert state_of(program) == before


def test_lowering_does_not_change_the_edge_program() -> None:
    manager = to_edge(sized_cases.CASES["where_cat"]().export())
    before = state_of(manager.exported_program())
    first = manager.to_executorch().buffer
    assert manager.transform([]).to_executorch().buffer == first
    assert manager.to_executorch().buffer == first
    assert state_of(manager.exported_program()) == before


class _DoublingModule(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * 2


def _export_dynamic() -> ExportedProgram:
    shapes = ({0: Dim("n", min=4, max=64)},)
    return export(_DoublingModule(), (torch.randn(6),), dynamic_shapes=shapes)


def _ask_for_size(graph_module: GraphModule) -> None:
    *_, x = graph_module.graph.find_nodes(op="placeholder")
    int(x.meta["val"].shape[0])


def _raises(attempt: Callable[[], Any]) -> str:
    with pytest.raises(PassError, match="specializes the dynamic size ") as raised:
        attempt()
    return str(raised.value)


def test_refused_decomposition_is_refused_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed lowering does not change the sizes of the caller's program.

    A PyTorch decomposition can specialize a dynamic size to the example's size. A second attempt
    must not start with the specialized size.
    """
    decompose = _edge.to_core_aten

    def specializing(program: ExportedProgram, *options: Any) -> ExportedProgram:
        _ask_for_size(program.graph_module)
        return decompose(program, *options)

    program = _export_dynamic()
    before = state_of(program)
    with monkeypatch.context() as patched:
        patched.setattr(_edge, "to_core_aten", specializing)
        assert _raises(lambda: to_edge(program)) == _raises(lambda: to_edge(program))
    assert state_of(program) == before
    assert _lower_or_error(program) == _lower_or_error(_export_dynamic())


def test_refused_pass_is_refused_again() -> None:
    manager = to_edge(_export_dynamic())
    assert _raises(lambda: manager.transform([_ask_for_size])) == _raises(
        lambda: manager.transform([_ask_for_size])
    )
    assert manager.to_executorch().buffer == to_edge(_export_dynamic()).to_executorch().buffer

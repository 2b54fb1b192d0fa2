"""Tests that recurrent layers of dynamic length become scans.

Layers of fixed length are unchanged.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram, export
from torch.utils._pytree import tree_leaves, tree_map

from exir import dynamic_recurrence, to_edge
from exir.decomposition.recurrence import scan_decompositions

_SCAN = torch.ops.higher_order.scan
_LENGTH = {0: Dim("length", min=1, max=9)}
_KINDS = {"lstm.input": nn.LSTM, "gru.input": nn.GRU, "rnn_tanh.input": nn.RNN}


def _export_layer(layer: nn.Module, shapes: Any, strict: bool = False) -> ExportedProgram:
    with dynamic_recurrence():
        return export(layer.eval(), (torch.randn(5, 2, 4),), dynamic_shapes=shapes, strict=strict)


def _call_targets(program: ExportedProgram) -> list[str]:
    return [str(node.target) for node in program.graph.nodes]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", _KINDS)
def test_exported_layer_keeps_its_operator_and_dynamic_length(name: str, strict: bool) -> None:
    layer = _KINDS[name](4, 3)
    program = _export_layer(layer, (_LENGTH,), strict)
    assert f"aten.{name}" in _call_targets(program)
    for length in (1, 9):
        x = torch.randn(length, 2, 4)
        torch.testing.assert_close(program.module()(x), layer(x))


@pytest.mark.parametrize("bidirectional", [False, True])
def test_each_layer_and_direction_is_one_scan(bidirectional: bool) -> None:
    layer = nn.LSTM(4, 3, num_layers=2, bidirectional=bidirectional)
    edge = to_edge(_export_layer(layer, (_LENGTH,))).exported_program()
    scans = [node for node in edge.graph.nodes if node.target is _SCAN]
    assert len(scans) == 2 * (1 + bidirectional)
    for length in (1, 4, 9):
        x = torch.randn(length, 2, 4)
        torch.testing.assert_close(edge.module()(x), layer(x))


@pytest.mark.parametrize(
    "make, options",
    [
        (nn.LSTM, {}),
        (nn.LSTM, {"bias": False}),
        (nn.LSTM, {"proj_size": 2, "bidirectional": True}),
        (nn.LSTM, {"proj_size": 2, "bias": False}),
        (nn.GRU, {"bias": False, "bidirectional": True}),
        (nn.RNN, {"nonlinearity": "relu", "bidirectional": True, "batch_first": True}),
    ],
)
def test_layers_of_dynamic_length_with_initial_states_follow_eager(
    make: Callable[..., nn.Module], options: dict[str, Any]
) -> None:
    layer = make(4, 3, num_layers=2, **options).eval()
    batch_first = options.get("batch_first", False)
    states = tree_map(torch.randn_like, layer(torch.randn(5, 5, 4))[1])
    shapes = ({int(batch_first): Dim("length", min=1, max=9)}, tree_map(lambda _: {}, states))
    with dynamic_recurrence():
        program = export(layer, (torch.randn(5, 5, 4), states), dynamic_shapes=shapes)
    edge = to_edge(program).exported_program()
    for length in (1, 4, 9):
        x = torch.randn((5, length, 4) if batch_first else (length, 5, 4))
        torch.testing.assert_close(edge.module()(x, states), layer(x, states))


@pytest.mark.parametrize("name", _KINDS)
def test_batch_first_layer_has_a_dynamic_length(name: str) -> None:
    layer = _KINDS[name](4, 3, num_layers=2, batch_first=True)
    edge = to_edge(_export_layer(layer, ({1: Dim("length", min=1, max=9)},))).exported_program()
    for length in (1, 4, 9):
        x = torch.randn(5, length, 4)
        torch.testing.assert_close(edge.module()(x), layer(x))


@pytest.mark.parametrize("name", _KINDS)
def test_fixed_length_gives_equal_bytes_with_and_without_the_context(name: str) -> None:
    layer = _KINDS[name](4, 3, bidirectional=True).eval()
    with_it = to_edge(_export_layer(layer, None)).to_executorch().buffer
    without = to_edge(export(layer, (torch.randn(5, 2, 4),))).to_executorch().buffer
    assert with_it == without


@pytest.mark.parametrize(
    "shape", [(5, 1, 4), (5, 2, 4), (5, 4)], ids=["batch 1", "batch 2", "unbatched"]
)
@pytest.mark.parametrize(
    "make, options",
    [
        *((make, {}) for make in _KINDS.values()),
        *((make, {"bidirectional": True, "batch_first": True}) for make in _KINDS.values()),
        (nn.LSTM, {"bias": False}),
        (nn.LSTM, {"proj_size": 2}),
        (nn.RNN, {"nonlinearity": "relu"}),
    ],
)
def test_states_of_several_layers_have_the_shapes_of_eager(
    make: Callable[..., nn.Module], options: dict[str, Any], shape: tuple[int, ...]
) -> None:
    layer = make(4, 3, num_layers=2, **options).eval()
    x = torch.randn(shape)
    program = export(layer, (x,))
    expected = layer(x)
    states = [node.meta["val"].shape for node in program.graph.output_node().all_input_nodes]
    assert states == [each.shape for each in tree_leaves(expected)]
    torch.testing.assert_close(to_edge(program).exported_program().module()(x), expected)


def test_torch_decompositions_are_restored_after_an_error() -> None:
    before = dict(torch.ops.aten.lstm.input.py_kernels)
    with pytest.raises(RuntimeError, match="inside"), dynamic_recurrence(), dynamic_recurrence():
        raise RuntimeError("inside")
    assert torch.ops.aten.lstm.input.py_kernels == before


class _TwoLengths(nn.Module):
    """A layer over the input's length, applied again to three of its results."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.GRU(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        y, _ = self.layer(x)
        return self.layer(y[-1:].expand(3, -1, -1))[0]


def test_layer_may_be_called_with_dynamic_and_fixed_lengths() -> None:
    module = _TwoLengths()
    edge = to_edge(_export_layer(module, (_LENGTH,))).exported_program()
    assert sum(node.target is _SCAN for node in edge.graph.nodes) == 1
    for length in (1, 9):
        x = torch.randn(length, 2, 4)
        torch.testing.assert_close(edge.module()(x), module(x))


def test_run_decompositions_keeps_a_dynamic_length_with_scan_decompositions() -> None:
    layer = nn.LSTM(4, 3)
    program = _export_layer(layer, (_LENGTH,))
    decomposed = program.run_decompositions(scan_decompositions(program))
    assert len(decomposed.range_constraints) == 1
    x = torch.randn(8, 2, 4)
    torch.testing.assert_close(decomposed.module()(x), layer(x))


@pytest.mark.parametrize("dropout, count", [(0.0, 0), (0.5, 2)])
def test_dropout_is_between_layers_in_training_mode(dropout: float, count: int) -> None:
    layer = nn.LSTM(4, 3, num_layers=3, dropout=dropout)
    with dynamic_recurrence():
        program = export(layer.train(), (torch.randn(5, 2, 4),), dynamic_shapes=(_LENGTH,))
    decomposed = program.run_decompositions(scan_decompositions(program))
    assert sum("dropout" in name for name in _call_targets(decomposed)) == count


def test_dropout_between_layers_is_removed_in_eval_mode() -> None:
    layer = nn.LSTM(4, 3, num_layers=2, dropout=0.9)
    edge = to_edge(_export_layer(layer, (_LENGTH,))).exported_program()
    x = torch.randn(7, 2, 4)
    torch.testing.assert_close(edge.module()(x), layer(x))

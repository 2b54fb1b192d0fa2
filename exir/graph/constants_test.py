"""Tests that edits of constants keep graph, signature and tensors consistent."""

from collections import OrderedDict

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from exir.decomposition.decompose import to_core_aten
from exir.graph.constants import ConstantTable
from exir.graph.fake_mode import fake_mode_of
from exir.program import to_edge
from exir.testing import models
from exir.testing.graphs import calls


def _constant_table(program: ExportedProgram) -> ConstantTable:
    return ConstantTable(program, fake_mode_of(program.graph))


def _export_program() -> tuple[ExportedProgram, Node]:
    program = to_core_aten(models.simple_conv().export(), {})
    return program, calls(program)[0].args[1]


def test_only_constants_have_a_tensor() -> None:
    program, weight = _export_program()
    table = _constant_table(program)
    assert table.name(weight) == "conv.weight"
    found = table.tensor(weight)
    assert found is not None and found.shape == (16, 3, 3, 3)
    assert table.tensor(calls(program)[0]) is None
    assert table.tensor(2.0) is None


def test_mutated_buffer_is_not_a_constant() -> None:
    program = to_core_aten(models.counter().export(), {})
    buffer = program.graph.find_nodes(op="placeholder")[0]
    assert _constant_table(program).tensor(buffer) is None


def test_added_constant_precedes_the_inputs_under_a_free_name() -> None:
    program, _ = _export_program()
    table = _constant_table(program)
    first, second = table.add("scale", torch.ones(2)), table.add("scale", torch.zeros(2))
    assert [table.name(node) for node in (first, second)] == ["scale", "scale_1"]
    names = [spec.arg.name for spec in program.graph_signature.input_specs]
    assert names == [node.name for node in program.graph.find_nodes(op="placeholder")]
    assert names[-1] == "x"
    program.validate()


def test_constant_name_that_is_not_an_identifier_compiles() -> None:
    program, _ = _export_program()
    _constant_table(program).add("0.weight", torch.ones(2))
    program.graph_module.recompile()


def test_sole_use_of_a_constant_is_replaced_in_place() -> None:
    program, weight = _export_program()
    before = program.state_dict["conv.weight"]
    table = _constant_table(program)
    assert table.with_value(weight, torch.zeros(2, 2)) is weight
    assert program.state_dict["conv.weight"].shape == weight.meta["val"].shape == (2, 2)
    assert before.shape == (16, 3, 3, 3)


def test_new_value_of_a_shared_constant_is_a_new_constant() -> None:
    program, weight = _export_program()
    calls(program)[1].args = (weight,)
    new = _constant_table(program).with_value(weight, torch.zeros(2, 2))
    assert new is not weight
    assert program.state_dict["conv.weight"].shape == (16, 3, 3, 3)
    assert program.constants["conv.weight_1"].shape == (2, 2)


def test_module_name_that_is_not_an_identifier_compiles() -> None:
    """torchvision's RegNet has module names such as `block1-0`."""
    model = torch.nn.Sequential(OrderedDict([("block1-0", torch.nn.Linear(3, 2))]))
    manager = to_edge(torch.export.export(model.eval(), (torch.ones(1, 3),)))
    manager.exported_program().graph_module.recompile()
    assert b"ET12" in manager.to_executorch().buffer[:8]

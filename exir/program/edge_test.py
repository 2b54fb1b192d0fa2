"""Tests of the edge stage, from exported programs to later stages."""

from typing import Any

import pytest
import torch
from torch.fx.passes.infra.pass_manager import PassManager

import exir
from exir import EdgeCompileConfig, EdgeProgramManager, to_edge, to_edge_transform_and_lower
from exir.backend.partitioner import Partitioner, PartitionResult
from exir.error import ConfigError
from exir.graph.control_flow import graphs
from exir.pass_base import ExportPass
from exir.testing import models, programs
from exir.testing.graphs import assert_same, operator_names, run, run_module

CASES = {**models.ALL, **programs.CASES}


@pytest.mark.parametrize("name", sorted(CASES))
def test_edge_program_matches_eager(name: str) -> None:
    example = CASES[name]()
    program = to_edge(example.export()).exported_program()
    program.validate()
    expected = run_module(example.module, example.inputs)
    assert_same(run(program, example.inputs), expected, 1e-3, 1e-5)


def test_methods_are_lowered_separately_without_shared_state() -> None:
    examples = models.codec()
    manager = to_edge({name: example.export() for name, example in examples.items()})
    assert manager.methods == {"encode", "decode"}
    for name, example in examples.items():
        program = manager.exported_program(name)
        assert_same(run(program, example.inputs), run_module(example.module, example.inputs))
    encode, decode = (manager.exported_program(name) for name in ("encode", "decode"))
    assert encode.state_dict["owner.weight"].shape == (8, 4)
    assert decode.state_dict["owner.weight"].shape == (4, 8)


def test_constant_methods_are_stored_by_name() -> None:
    manager = to_edge(models.mlp().export(), constant_methods={"width": 8})
    assert manager.config_methods == {"width"}
    assert manager.methods == {"forward"}


def test_method_and_constant_method_of_equal_name_are_refused() -> None:
    with pytest.raises(ConfigError, match="'forward' is both"):
        to_edge(models.mlp().export(), constant_methods={"forward": 8})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            torch.nn.Linear(4, 2),
            "method 'forward' is a Linear, not an ExportedProgram; pass the result of torch.export.export",
        ),
        ({"encode": None}, "method 'encode' is a NoneType, not an ExportedProgram"),
        ({"": None}, "a method's name must be a non-empty string, got ''"),
        ({3: None}, "a method's name must be a non-empty string, got 3"),
    ],
)
def test_value_that_is_not_an_exported_program_is_refused(value: Any, message: str) -> None:
    for lower in (to_edge, to_edge_transform_and_lower):
        with pytest.raises(TypeError, match=message):
            lower(value)


@pytest.mark.parametrize("value", ["cpu", [Partitioner]])
def test_value_that_is_not_a_partitioner_is_refused(value: Any) -> None:
    with pytest.raises(
        TypeError,
        match="a partitioner must be an instance of exir.backend.partitioner.Partitioner, got ",
    ):
        to_edge_transform_and_lower(models.mlp().export(), partitioner=value)


def test_unknown_method_is_refused_with_the_known_ones() -> None:
    manager = to_edge(models.mlp().export())
    with pytest.raises(ConfigError, match="unknown method 'encode'; the program has: forward"):
        manager.exported_program("encode")
    with pytest.raises(ConfigError, match="unknown method 'encode'"):
        manager.transform({"encode": [ExportPass()]})


def test_dim_order_operators_can_be_disabled() -> None:
    example = programs.CASES["memory_formats"]()
    program = to_edge(example.export(), compile_config=EdgeCompileConfig(_skip_dim_order=True))
    names = operator_names(program.exported_program())
    assert "aten::clone" in names and not any("dim_order" in name for name in names)


def test_preserved_operator_is_not_decomposed() -> None:
    config = EdgeCompileConfig(preserve_ops=[torch.ops.aten.linear.default])
    program = to_edge(models.mlp().export(), compile_config=config).exported_program()
    assert operator_names(program) == ["aten::linear", "aten::relu", "aten::linear"]


class _RecordingPartitioner(Partitioner):
    """A partitioner that tags nothing and records the graphs that it receives.

    It preserves the linear layers with `wanted` inputs.
    """

    def __init__(self, *wanted: int) -> None:
        self.shown: list[list[str]] = []
        self._wanted = wanted

    def ops_to_not_decompose(self, ep):
        def is_wanted(node: torch.fx.Node) -> bool:
            return node.args[0].meta["val"].shape[-1] in self._wanted

        return [torch.ops.aten.linear.default], is_wanted if self._wanted else None

    def partition(self, exported_program):
        self.shown.append(operator_names(exported_program))
        return PartitionResult(exported_program, {})


class _BranchedModule(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.linear(x)
        return torch.cond(x.sum() > 0, lambda a: self.linear(a), lambda a: a * 2, (x,))


def test_control_flow_graphs_without_partitioner_are_decomposed() -> None:
    partitioner, example = (
        _RecordingPartitioner(),
        models.Example(_BranchedModule(), (torch.ones(3, 4),)),
    )
    manager = to_edge_transform_and_lower(example.export(), partitioner=[partitioner])
    assert "aten::linear" in partitioner.shown[0]
    inner = list(graphs(manager.exported_program().graph_module))[1:]
    names = [
        node.target.name()
        for graph_module in inner
        for node in graph_module.graph.nodes
        if hasattr(node.target, "name")
    ]
    assert "aten::linear" not in names and "aten::addmm" in names


def test_partitioner_receives_preserved_operators_whole() -> None:
    partitioner, example = _RecordingPartitioner(), models.mlp()
    manager = to_edge_transform_and_lower(example.export(), partitioner=[partitioner])
    assert partitioner.shown == [["aten::linear", "aten::relu", "aten::linear"]]
    program = manager.exported_program()
    assert operator_names(program) == ["aten::addmm", "aten::relu", "aten::addmm"]
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs))


def test_operator_preserved_by_any_partitioner_stays_whole() -> None:
    partitioners = [_RecordingPartitioner(16), _RecordingPartitioner(5)]
    to_edge_transform_and_lower(models.mlp().export(), partitioner=partitioners)
    for partitioner in partitioners:
        assert partitioner.shown == [["aten::addmm", "aten::relu", "aten::linear"]]


def test_passes_run_before_partitioners() -> None:
    class Recorded(ExportPass):
        ran = 0

        def call(self, graph_module):
            Recorded.ran += 1
            return super().call(graph_module)

    partitioner = _RecordingPartitioner()
    passes = {"forward": [Recorded()]}
    to_edge_transform_and_lower(models.mlp().export(), passes, [partitioner])
    assert Recorded.ran == 1 and len(partitioner.shown) == 1


def test_edge_manager_accepts_edge_programs() -> None:
    program = to_edge(models.mlp().export()).exported_program()
    assert EdgeProgramManager({"run": program}).methods == {"run"}


def test_first_input_may_be_a_scalar() -> None:
    class Scaled(torch.nn.Module):
        def forward(self, factor: int, x: torch.Tensor) -> torch.Tensor:
            return x * factor

    example = models.Example(Scaled(), (3, torch.randn(4)))
    program = to_edge(example.export()).exported_program()
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs))


def test_unprovided_package_attribute_is_missing() -> None:
    for package in (exir, exir.program):
        assert not hasattr(package, "to_edges")


def test_torch_pass_manager_runs_as_its_passes() -> None:
    manager = to_edge(models.mlp().export())
    passes = PassManager()
    passes.add_pass(ExportPass())
    transformed = manager.transform(passes).exported_program()
    assert operator_names(transformed) == operator_names(manager.exported_program())

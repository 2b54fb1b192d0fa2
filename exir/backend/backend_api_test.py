"""Tests of `to_backend`: whole programs, partitions, constants, errors."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram, export
from torch.fx import Node

from exir import to_edge
from exir._serialize import deserialize_pte_binary
from exir.backend.backend_api import MethodProgramsPartitionerSpec, to_backend
from exir.backend.backend_details import BackendDetails, PreprocessResult
from exir.backend.capability import propose_partitions
from exir.backend.compile_spec_schema import CompileSpec
from exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from exir.backend.tags import tag_constant_data, tag_nodes
from exir.backend.utils import format_delegated_graph, get_delegates, get_non_lowered_nodes
from exir.delegate import delegate_calls, lowered_module_of
from exir.dialects.edge import to_torch_overload
from exir.error import UserError
from exir.lowered_backend_module import get_lowered_backend_modules
from exir.schema import DelegateCall

_aten = torch.ops.aten


class NodeListBackend(BackendDetails):
    """A backend whose payload lists the operator names. It rejects `tan`."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        calls = edge_program.graph.find_nodes
        names = [node.name for node in edge_program.graph.nodes if node.op == "call_function"]
        if calls(op="call_function", target=_aten.tan.default):
            raise UserError("no tan")
        for node in edge_program.graph.nodes:
            node.meta["debug_handle"] = 99
        return PreprocessResult(",".join(names).encode())


class SomeOps(Partitioner):
    """Delegates the given operators and, by default, their constants."""

    def __init__(self, *operators: object, constants: bool = True) -> None:
        self.operators = operators
        self.constants = constants

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        groups = propose_partitions(
            exported_program.graph, lambda node: to_torch_overload(node.target) in self.operators
        )
        tags = {}
        for index, nodes in enumerate(groups):
            tag_nodes(nodes, f"t{index}")
            tags[f"t{index}"] = DelegationSpec("NodeListBackend", [CompileSpec("k", b"v")])
        if self.constants:
            tag_constant_data(exported_program)
        return PartitionResult(exported_program, tags)


class TwoLinears(nn.Module):
    """Two linear layers that share a weight, around an unsupported operator."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 4))

    def forward(self, x: Tensor) -> Tensor:
        return torch.mm(torch.exp(torch.mm(x, self.weight)), self.weight)


class Accumulator(nn.Module):
    """Adds its input to a buffer and returns the sine of the sum."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x: Tensor) -> Tensor:
        self.total.add_(x)
        return torch.sin(self.total)


def _export_program(module: nn.Module, *inputs: Tensor, **options: Any) -> ExportedProgram:
    return export(module.eval(), inputs, strict=False, **options).run_decompositions()


def _sin_cos(x: Tensor) -> Tensor:
    return torch.cos(torch.sin(x) * 2)


class Function(nn.Module):
    """Wraps a function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Tensor) -> object:
        return self.function(*args)


def test_partitions_become_equivalent_delegate_calls() -> None:
    x = torch.randn(3, 4)
    program = _export_program(Function(_sin_cos), x)
    lowered = to_backend(program, SomeOps(_aten.sin.default))
    (call,) = delegate_calls(lowered.graph)
    module = lowered_module_of(call)
    assert (module.backend_id, module.processed_bytes) == ("NodeListBackend", b"sin")
    assert module.compile_specs == [CompileSpec("k", b"v")]
    assert torch.equal(lowered.module()(x), _sin_cos(x))


def test_only_values_read_outside_leave_a_partition() -> None:
    program = _export_program(Function(_sin_cos), torch.randn(3))
    lowered = to_backend(program, SomeOps(_aten.sin.default, _aten.mul.Tensor))
    (call,) = delegate_calls(lowered.graph)
    assert lowered_module_of(call).processed_bytes == b"sin,mul"
    assert len(call.meta["val"]) == 1


def test_input_program_keeps_its_graph_and_loses_the_tags() -> None:
    program = _export_program(Function(_sin_cos), torch.randn(3))
    text = str(program.graph)
    to_backend(program, SomeOps(_aten.sin.default))
    assert str(program.graph) == text
    assert not any("delegation_tag" in node.meta for node in program.graph.nodes)


def test_preprocess_may_change_its_graph_without_changing_the_original() -> None:
    lowered = to_backend(_export_program(Function(_sin_cos), torch.randn(3)), SomeOps(_aten.sin.default))
    original = lowered_module_of(delegate_calls(lowered.graph)[0]).original_module
    assert all(node.meta.get("debug_handle") != 99 for node in original.graph.nodes)


def test_partition_program_takes_the_partitions_inputs() -> None:
    x = torch.randn(3)
    lowered = to_backend(_export_program(Function(_sin_cos), x), SomeOps(_aten.sin.default))
    original = lowered_module_of(delegate_calls(lowered.graph)[0]).original_module
    (result,) = original.module()(x)
    assert torch.equal(result, torch.sin(x))


def test_delegate_calls_have_distinct_debug_handles() -> None:
    module = Function(lambda x: torch.exp(_sin_cos(x)))
    edge = to_edge(export(module, (torch.randn(3),), strict=False)).exported_program()
    lowered = to_backend(edge, SomeOps(_aten.sin.default, _aten.cos.default))
    first, second = (call.meta["debug_handle"] for call in delegate_calls(lowered.graph))
    others = {
        node.meta["debug_handle"]
        for node in get_non_lowered_nodes(lowered.graph)
        if "debug_handle" in node.meta
    }
    assert first != second and not others & {first, second}


def test_constant_shared_by_partitions_moves_into_both() -> None:
    module, x = TwoLinears(), torch.randn(2, 4)
    lowered = to_backend(_export_program(module, x), SomeOps(_aten.mm.default))
    parts = get_lowered_backend_modules(lowered.graph_module)
    assert [list(part.original_module.state_dict) for part in parts] == [["weight"], ["weight"]]
    assert not lowered.state_dict
    assert len(lowered.graph_signature.input_specs) == 1
    assert torch.allclose(lowered.module()(x), module(x))


def test_untagged_constant_is_passed_at_every_call() -> None:
    module, x = TwoLinears(), torch.randn(2, 4)
    lowered = to_backend(_export_program(module, x), SomeOps(_aten.mm.default, constants=False))
    assert [len(call.args) for call in delegate_calls(lowered.graph)] == [3, 3]
    assert list(lowered.state_dict) == ["weight"]
    assert torch.allclose(lowered.module()(x), module(x))


def test_mutated_buffer_stays_with_the_program() -> None:
    module, x = Accumulator(), torch.ones(4)
    lowered = to_backend(_export_program(module, x), SomeOps(_aten.sin.default, _aten.add.Tensor))
    assert list(lowered.graph_signature.buffers_to_mutate.values()) == ["total"]
    runnable = lowered.module()
    assert torch.equal(runnable(x), torch.sin(x))
    assert torch.equal(runnable(x), torch.sin(2 * x))


def test_dynamic_shapes_cross_partition_boundaries() -> None:
    n = Dim("n", min=2, max=9)
    program = _export_program(Function(_sin_cos), torch.randn(3, 4), dynamic_shapes={"args": ({0: n},)})
    lowered = to_backend(program, SomeOps(_aten.sin.default))
    x = torch.randn(7, 4)
    assert torch.equal(lowered.module()(x), _sin_cos(x))


def test_second_backend_keeps_the_first_backends_calls() -> None:
    x = torch.randn(3)
    program = _export_program(Function(lambda x: torch.exp(torch.cos(torch.sin(x)))), x)
    lowered = to_backend(program, SomeOps(_aten.sin.default))
    lowered = to_backend(lowered, SomeOps(_aten.exp.default))
    assert [lowered_module_of(call).processed_bytes for call in delegate_calls(lowered.graph)] == [
        b"sin",
        b"exp",
    ]
    assert [node.target for node in get_non_lowered_nodes(lowered.graph)] == [_aten.cos.default]
    assert len(get_delegates(lowered.graph)) == 2
    assert torch.equal(lowered.module()(x), torch.exp(torch.cos(torch.sin(x))))


def test_printed_graph_shows_delegate_contents() -> None:
    lowered = to_backend(_export_program(Function(_sin_cos), torch.randn(3)), SomeOps(_aten.sin.default))
    text = format_delegated_graph(lowered.graph_module)
    assert "lowered_module_0 (backend NodeListBackend)" in text
    assert "aten.sin.default" in text


def test_whole_program_lowers_to_an_exportable_module() -> None:
    x = torch.randn(2, 4)
    lowered = to_backend("NodeListBackend", _export_program(TwoLinears(), x), [])
    expected = lowered.original_module.module()(x)
    assert torch.equal(lowered(x), expected)
    outer = export(Function(lowered), (x,), strict=False)
    assert len(delegate_calls(outer.graph)) == 1
    assert torch.equal(outer.module()(x), expected)


def test_lowered_module_serializes_as_a_program() -> None:
    edge = to_edge(export(TwoLinears(), (torch.randn(2, 4),), strict=False)).exported_program()
    lowered = to_backend("NodeListBackend", edge, [])
    (plan,) = lowered.program().execution_plan
    (instruction,) = plan.chains[0].instructions
    assert instruction.instr_args == DelegateCall(0, [plan.inputs[0], plan.outputs[0]])
    assert plan.delegates[0].id == "NodeListBackend"
    program = deserialize_pte_binary(lowered.buffer()).program
    assert program.backend_delegate_data[0].data == lowered.processed_bytes


def test_each_method_has_its_partitioner() -> None:
    programs = {
        "one": _export_program(Function(_sin_cos), torch.randn(3)),
        "two": _export_program(Function(_sin_cos), torch.randn(3)),
    }
    lowered = to_backend(MethodProgramsPartitionerSpec(programs, {"two": SomeOps(_aten.sin.default)}))
    assert [len(delegate_calls(lowered[name].graph)) for name in ("one", "two")] == [0, 1]


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(UserError, match="unknown method 'three'; the program has: one"):
        to_backend(
            MethodProgramsPartitionerSpec(
                {"one": _export_program(Function(_sin_cos), torch.randn(3))}, {"three": SomeOps()}
            )
        )


def test_tags_are_removed_before_the_next_backend() -> None:
    lowered = to_backend(_export_program(Function(_sin_cos), torch.randn(3)), SomeOps(_aten.sin.default))
    original = lowered_module_of(delegate_calls(lowered.graph)[0]).original_module
    nodes = [*lowered.graph.nodes, *original.graph.nodes]
    assert not any("delegation_tag" in node.meta for node in nodes)


def test_unknown_backend_is_reported_with_the_registered_ones() -> None:
    with pytest.raises(UserError, match="unknown backend 'Nowhere'.*NodeListBackend"):
        to_backend("Nowhere", _export_program(Function(_sin_cos), torch.randn(3)), [])


def test_preprocess_exceptions_reach_the_caller() -> None:
    with pytest.raises(UserError, match="no tan"):
        to_backend(_export_program(Function(torch.tan), torch.randn(3)), SomeOps(_aten.tan.default))


def test_a_whole_program_with_state_is_refused() -> None:
    with pytest.raises(UserError, match="mutates buffer 'total'.*with a partitioner"):
        to_backend("NodeListBackend", _export_program(Accumulator(), torch.ones(4)), [])


class _TagAll(Partitioner):
    """Tags the nodes that a predicate selects, even if that creates a cycle."""

    def __init__(self, chosen: Callable[[Node], bool]) -> None:
        self.chosen = chosen

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        tag_nodes(filter(self.chosen, exported_program.graph.nodes), "all")
        return PartitionResult(exported_program, {"all": DelegationSpec("NodeListBackend", [])})


def test_a_partition_that_would_make_a_cycle_is_refused() -> None:
    program = _export_program(Function(lambda x: torch.sin(x) + torch.exp(torch.sin(x))), torch.randn(3))
    with pytest.raises(UserError, match="partition 'all' cannot become one delegate call"):
        to_backend(program, _TagAll(lambda node: node.name in ("sin", "sin_1", "add") or node.op == "x"))


def test_an_input_may_not_be_tagged() -> None:
    program = _export_program(Function(_sin_cos), torch.randn(3))
    with pytest.raises(UserError, match="but an input cannot be delegated"):
        to_backend(program, _TagAll(lambda node: node.op == "placeholder"))


class _RewritingPartitioner(Partitioner):
    """A partitioner that changes the graph, which is not allowed."""

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        exported_program.graph.find_nodes(op="call_function", target=_aten.sin.default)[
            0
        ].target = _aten.cos.default
        return PartitionResult(exported_program, {})


def test_a_partitioner_that_changes_the_graph_is_refused() -> None:
    with pytest.raises(UserError, match="partitioner _RewritingPartitioner: changed the graph at 'sin'"):
        to_backend(_export_program(Function(_sin_cos), torch.randn(3)), _RewritingPartitioner())

"""Tests of lowered modules within other modules: calls, export, shared payloads."""

from collections.abc import Mapping
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import ExportedProgram, export

from exir import to_edge
from exir.backend.backend_api import MethodProgramsPartitionerSpec, to_backend
from exir.backend.backend_details import BackendDetails, PreprocessResult
from exir.backend.capability import propose_partitions
from exir.backend.compile_spec_schema import CompileSpec
from exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from exir.backend.tags import tag_nodes
from exir.capture import ExecutorchBackendConfig
from exir.delegate import executorch_call_delegate
from exir.error import UserError
from exir.lowered_backend_module import LoweredBackendModule, get_lowered_backend_modules
from exir.program import ExecutorchProgramManager

_PAYLOAD = b"the same payload for everything!"


class SamePayloadBackend(BackendDetails):
    """A backend that returns the same payload for every program."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        return PreprocessResult(_PAYLOAD)


class TogetherBackend(BackendDetails):
    """A backend whose payloads list the methods and their partition counts."""

    result_count = 1

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        raise AssertionError("it takes all methods at once")

    @classmethod
    def preprocess_multimethod(
        cls,
        edge_programs: Mapping[str, list[ExportedProgram]],
        compile_specs: Mapping[str, list[list[CompileSpec]]],
    ) -> dict[str, list[PreprocessResult]]:
        assert {n: len(s) for n, s in compile_specs.items()} == {
            n: len(p) for n, p in edge_programs.items()
        }
        text = ",".join(f"{name}:{len(programs)}" for name, programs in sorted(edge_programs.items()))
        results = {n: [PreprocessResult(text.encode())] * len(p) for n, p in edge_programs.items()}
        return {name: parts[: cls.result_count] for name, parts in results.items()}


class Everything(Partitioner):
    """Delegates every node to `TogetherBackend`."""

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        (nodes,) = propose_partitions(exported_program.graph, lambda node: True)
        tag_nodes(nodes, "all")
        return PartitionResult(exported_program, {"all": DelegationSpec("TogetherBackend", [])})


class Sum(nn.Module):
    """The sum of the tensors in a list."""

    def forward(self, values: list[Tensor]) -> Tensor:
        return values[0] + values[1]


class Pair(nn.Module):
    """Returns two results."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x + 1, x * 2


class Calls(nn.Module):
    """Calls a lowered module with its input and with twice its input."""

    def __init__(self, lowered: LoweredBackendModule, form: type | None = None) -> None:
        super().__init__()
        self.lowered = lowered
        self.form = form

    def forward(self, x: Tensor) -> Any:
        return self.lowered(x if self.form is None else self.form((x, x * 2)))


def lowered(module: nn.Module, *inputs: Any, option: bytes = b"") -> LoweredBackendModule:
    edge = to_edge(export(module, inputs, strict=False)).exported_program()
    result = to_backend("SamePayloadBackend", edge, [CompileSpec("option", option)])
    assert isinstance(result, LoweredBackendModule)
    return result


def program(module: nn.Module, strict: bool, **options: Any) -> ExecutorchProgramManager:
    exported = export(module, (torch.ones(2),), strict=strict)
    return to_edge(exported).to_executorch(ExecutorchBackendConfig(**options))


@pytest.mark.parametrize("strict", [False, True])
def test_module_with_a_lowered_module_is_exported(strict: bool) -> None:
    relu = lowered(nn.ReLU(), torch.ones(2))
    graph_module = export(Calls(relu), (torch.ones(2),), strict=strict).graph_module
    (lowered_module,) = get_lowered_backend_modules(graph_module)
    assert (
        lowered_module.processed_bytes == _PAYLOAD and lowered_module.compile_specs == relu.compile_specs
    )
    assert graph_module(-torch.ones(2))[0].tolist() == [0, 0]


@pytest.mark.parametrize("strict", [False, True])
def test_multiple_results_are_unpacked(strict: bool) -> None:
    exported = export(Calls(lowered(Pair(), torch.ones(2))), (torch.ones(2),), strict=strict)
    assert [result.tolist() for result in exported.module()(torch.ones(2))] == [[2, 2], [2, 2]]
    (plan,) = to_edge(exported).to_executorch().executorch_program.execution_plan
    assert len(plan.outputs) == 2


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("form", [list, tuple])
def test_inputs_may_be_in_lists_and_tuples(form: type, strict: bool) -> None:
    module = Calls(lowered(Sum(), form((torch.ones(2), torch.ones(2)))), form)
    exported = export(module, (torch.ones(2),), strict=strict)
    assert exported.module()(torch.ones(2)).tolist() == [3, 3]
    (plan,) = to_edge(exported).to_executorch().executorch_program.execution_plan
    assert len(plan.delegates) == 1


@pytest.mark.parametrize(("module", "count"), [(nn.ReLU(), 1), (Pair(), 2)])
def test_results_of_a_lowered_module_are_counted(module: nn.Module, count: int) -> None:
    manager = program(Calls(lowered(module, torch.ones(2))), strict=False)
    assert list(manager.instruction_id_to_num_outs_map["forward"].values()) == [count]


def test_single_result_outside_a_tuple_is_returned_directly() -> None:
    relu = lowered(nn.ReLU(), torch.ones(2))
    assert isinstance(executorch_call_delegate(relu, torch.ones(2)), Tensor)
    assert isinstance(relu(torch.ones(2)), Tensor)
    assert isinstance(lowered(Pair(), torch.ones(2))(torch.ones(2)), tuple)


@pytest.mark.parametrize("extract", [False, True])
def test_equal_payloads_are_shared_across_options(extract: bool) -> None:
    class Both(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one = lowered(nn.ReLU(), torch.ones(2), option=b"1")
            self.other = lowered(nn.ReLU(), torch.ones(2), option=b"2")

        def forward(self, x: Tensor) -> Tensor:
            return self.other(self.one(x))

    manager = program(Both(), False, extract_delegate_segments=extract)
    (plan,) = manager.executorch_program.execution_plan
    assert [d.compile_specs[0].value for d in plan.delegates] == [b"1", b"2"]
    assert manager.buffer.count(_PAYLOAD) == 1


def test_preprocess_all_receives_partitions_of_all_methods() -> None:
    methods = {"one": nn.ReLU(), "two": nn.Sigmoid()}
    edge = to_edge({n: export(m, (torch.ones(2),), strict=False) for n, m in methods.items()})
    programs = edge.to_backend(Everything())
    for name in methods:
        (module,) = get_lowered_backend_modules(programs.exported_program(name).graph_module)
        assert module.processed_bytes == b"one:1,two:1"


def test_results_that_do_not_match_the_partitions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TogetherBackend, "result_count", 0)
    edge = to_edge(export(nn.ReLU(), (torch.ones(2),), strict=False)).exported_program()
    with pytest.raises(UserError, match="method 'forward' has 1 partitions, but 0 results"):
        to_backend(MethodProgramsPartitionerSpec({"forward": edge}, {"forward": Everything()}))

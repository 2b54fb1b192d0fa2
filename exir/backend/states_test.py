"""Tests that delegates update buffers of the program in place."""

import pytest
import torch
from torch import Tensor, nn
from torch.export import ExportedProgram, export

from exir import to_edge
from exir.backend.backend_api import to_backend
from exir.backend.backend_details import BackendDetails, PreprocessResult
from exir.backend.compile_spec_schema import CompileSpec
from exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from exir.backend.tags import mutated_buffers, tag_constant_data, tag_mutated_buffer, tag_nodes, tag_of
from exir.delegate import delegate_calls, lowered_module_of
from exir.dialects.edge import to_torch_overload
from exir.error import UserError
from exir.lowered_backend_module import LoweredBackendModule
from exir.program import ExecutorchProgramManager
from exir.schema import DelegateCall, KernelCall
from exir.schema import Tensor as TensorValue

_aten = torch.ops.aten


class KeepingBackend(BackendDetails):
    """A backend whose payload names the inputs that it updates."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        return PreprocessResult(
            ",".join(edge_program.graph_signature.buffers_to_mutate.values()).encode()
        )


class TakesAll(Partitioner):
    """Delegates every call except those of `left`, as one partition.

    by_hand: tag all mutated buffers explicitly.
    """

    def __init__(self, *left: object, by_hand: bool = False) -> None:
        self.left = left
        self.by_hand = by_hand

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        calls = [node for node in exported_program.graph.nodes if node.op == "call_function"]
        tag_nodes([node for node in calls if to_torch_overload(node.target) not in self.left], "all")
        tag_constant_data(exported_program)
        if self.by_hand:
            tag_nodes(mutated_buffers(exported_program), "all")
        else:
            tag_mutated_buffer(exported_program)
        return PartitionResult(exported_program, {"all": DelegationSpec("KeepingBackend", [])})


class Counter(nn.Module):
    """Adds its input to two buffers and returns their product."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.ones(4))
        self.register_buffer("calls", torch.zeros(1))
        self.scale = nn.Parameter(torch.full((4,), 2.0))

    def forward(self, x: Tensor) -> Tensor:
        self.total.add_(x * self.scale)
        self.calls.add_(1)
        return self.total * self.calls


class Reader(nn.Module):
    """`cos` reads the old value of its buffer, `sin` the new one."""

    def __init__(self, *read: str) -> None:
        super().__init__()
        self.register_buffer("total", torch.ones(4))
        self.read = read

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        old = torch.cos(self.total) if "old" in self.read else x
        self.total.add_(x)
        new = torch.sin(self.total) if "new" in self.read else x
        return old * 2, new


def _to_edge_program(module: nn.Module) -> ExportedProgram:
    return to_edge(export(module, (torch.ones(4),), strict=False)).exported_program()


def _lower_module(module: nn.Module, *left: object) -> ExportedProgram:
    return to_backend(_to_edge_program(module), TakesAll(*left))


def _module_of(program: ExportedProgram) -> LoweredBackendModule:
    (call,) = delegate_calls(program.graph)
    return lowered_module_of(call)


def test_backend_receives_the_buffers_it_mutates() -> None:
    lowered = _module_of(_lower_module(Counter()))
    assert lowered.processed_bytes == b"total,calls" and lowered.state_count == 2
    original = lowered.original_module
    assert [spec.kind.name for spec in original.graph_signature.output_specs] == [
        "BUFFER_MUTATION",
        "BUFFER_MUTATION",
        "USER_OUTPUT",
    ]
    assert torch.equal(original.state_dict["total"], torch.ones(4))


def test_delegate_with_state_computes_the_same() -> None:
    program = _lower_module(Counter())
    assert set(program.state_dict) == {"total", "calls"}
    module, expected = program.module(), Counter()
    for value in (1.0, 5.0):
        x = torch.full((4,), value)
        assert torch.equal(module(x), expected(x))


def _lowered_manager(module: nn.Module, *left: object) -> ExecutorchProgramManager:
    exported = export(module, (torch.ones(4),), strict=False)
    return to_edge(exported).to_backend(TakesAll(*left)).to_executorch()


def test_delegated_states_are_passed_once_without_copies() -> None:
    (plan,) = _lowered_manager(Counter()).executorch_program.execution_plan
    (instruction,) = plan.chains[0].instructions
    call = instruction.instr_args
    assert isinstance(call, DelegateCall) and len(call.args) == len(set(call.args)) == 4
    assert call.args[0] == plan.inputs[0] and call.args[3] == plan.outputs[0]
    sizes = [plan.values[index].val.sizes for index in call.args[1:3]]
    assert sizes == [[4], [1]] and not plan.operators


def test_delegated_states_keep_their_initial_values() -> None:
    manager = _lowered_manager(Counter())
    (plan,) = manager.executorch_program.execution_plan
    (call,) = [instruction.instr_args for instruction in plan.chains[0].instructions]
    total = plan.values[call.args[1]].val
    assert (
        isinstance(total, TensorValue)
        and total.data_buffer_idx != 0
        and total.allocation_info is not None
    )


@pytest.mark.parametrize("read", ["old", "new"])
def test_buffer_with_other_readers_is_passed_and_written_back(read: str) -> None:
    left = {"old": _aten.cos.default, "new": _aten.sin.default}[read]
    program = _lower_module(Reader(read), left)
    lowered = _module_of(program)
    assert lowered.state_count == 0
    (plan,) = _lowered_manager(Reader(read), left).executorch_program.execution_plan
    names = [
        plan.operators[instruction.instr_args.op_index].name
        for instruction in plan.chains[0].instructions
        if isinstance(instruction.instr_args, KernelCall)
    ]
    assert "aten::copy_" in names


@pytest.mark.parametrize(
    ("read", "reason"),
    [
        ("old", "'aten_cos_default' outside the partition also reads it"),
        ("new", "'aten_sin_default' outside the partition reads its new value"),
    ],
)
def test_partition_that_shares_a_buffer_is_refused(read: str, reason: str) -> None:
    left = {"old": _aten.cos.default, "new": _aten.sin.default}[read]
    with pytest.raises(UserError, match=f"has delegation tag 'all', but {reason}"):
        to_backend(_to_edge_program(Reader(read)), TakesAll(left, by_hand=True))


def test_returned_buffer_value_is_copied() -> None:
    class Given(Counter):
        def forward(self, x: Tensor) -> Tensor:
            return self.total.add_(x)

    assert _module_of(_lower_module(Given())).state_count == 0


def test_tags_are_removed_from_buffers() -> None:
    program = _to_edge_program(Counter())
    to_backend(program, TakesAll())
    assert [tag_of(node) for node in program.graph.nodes] == [None] * len(program.graph.nodes)

"""Tests that the emitter writes plans as the runtime expects them."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.export import Dim

from exir import schema
from exir.capture import ExecutorchBackendConfig
from exir.dialects.edge import edge_op
from exir.emit._prim_ops import prim_operator
from exir.emit._values import Values
from exir.error import UnsupportedOperatorError
from exir.passes.init_mutable_pass import InitializedMutableBufferPass
from exir.passes.memory_planning_pass import MemoryPlanningPass
from exir.program import ExecutorchProgramManager, to_edge
from exir.tensor import TensorSpec
from exir.testing import loop_cases, models
from exir.testing.models import Example

_AVG_POOL = edge_op(torch.ops.aten.avg_pool2d.default)


class Call(torch.nn.Module):
    """Wraps a function of tensors as a module."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> object:
        return self.function(*inputs)


class Pair(torch.nn.Module):
    """A module with two buffers, one of which starts as zeros."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("zeros", torch.zeros(2))
        self.register_buffer("threes", torch.full((2,), 3.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.zeros.add_(x)
        self.threes.mul_(x)
        return self.zeros + self.threes


def lowered(example: Example, config: ExecutorchBackendConfig | None = None) -> ExecutorchProgramManager:
    return to_edge(example.export()).to_executorch(config)


def plan_of(function: Callable[..., object], *inputs: torch.Tensor) -> schema.ExecutionPlan:
    return lowered(Example(Call(function), inputs)).executorch_program.execution_plan[0]


def calls(plan: schema.ExecutionPlan, operator: str) -> list[list[schema.KernelTypes]]:
    """Return the arguments of every call of `operator`, as values."""
    return [
        [plan.values[index].val for index in call.args]
        for call in instructions(plan)
        if isinstance(call, schema.KernelCall) and plan.operators[call.op_index].full_name == operator
    ]


def instructions(plan: schema.ExecutionPlan) -> list[schema.InstructionArguments]:
    return [instruction.instr_args for instruction in plan.chains[0].instructions]


def numbers(plan: schema.ExecutionPlan, items: schema.KernelTypes) -> list[int]:
    assert isinstance(items, schema.IntList)
    values = [plan.values[index].val for index in items.items]
    return [value.int_val for value in values if isinstance(value, schema.Int)]


def test_single_output_is_passed_twice() -> None:
    plan = plan_of(torch.relu, torch.ones(2))
    (call,) = instructions(plan)
    assert isinstance(call, schema.KernelCall)
    assert call.args == [plan.inputs[0], plan.outputs[0], plan.outputs[0]]


def test_multiple_outputs_are_followed_by_a_list() -> None:
    plan = plan_of(lambda x: tuple(x.max(1)), torch.ones(2, 3))
    (call,) = instructions(plan)
    assert isinstance(call, schema.KernelCall)
    assert call.args[-3:-1] == plan.outputs
    assert plan.values[call.args[-1]].val == schema.TensorList(plan.outputs)


def test_output_list_is_passed_as_two_lists() -> None:
    plan = plan_of(lambda x: tuple(torch.split(x, [1, 2])), torch.ones(3, 2))
    (args,) = calls(plan, "aten::split_with_sizes_copy.out")
    assert args[-2:] == [schema.TensorList(plan.outputs)] * 2
    assert numbers(plan, args[1]) == [1, 2]


def test_defaults_are_explicit_and_none_is_null() -> None:
    plan = plan_of(lambda x: x.mean(1), torch.ones(2, 3))
    (args,) = calls(plan, "aten::mean.out")
    assert numbers(plan, args[1]) == [1]
    assert args[2:4] == [schema.Bool(False), schema.Null()]


def test_lists_of_optional_tensors_mark_absent_ones() -> None:
    index = torch.tensor([0, 1])
    plan = plan_of(lambda x, i: x[:, i], torch.ones(2, 3), index)
    (args,) = calls(plan, "aten::index.Tensor_out")
    assert args[1] == schema.OptionalTensorList([-1, plan.inputs[1]])


def test_scalar_for_a_float_argument_is_a_double() -> None:
    plan = plan_of(lambda x: torch.native_layer_norm(x, [2], None, None, 1)[0], torch.ones(2))
    (args,) = calls(plan, "aten::native_layer_norm.out")
    assert args[4] == schema.Double(1.0)


def test_scalar_for_a_list_of_fixed_length_is_repeated() -> None:
    example = Example(Call(lambda x: torch.nn.functional.avg_pool2d(x, [2, 2])), (torch.ones(1, 4, 4),))
    manager = to_edge(example.export())
    (pool,) = manager.exported_program().graph.find_nodes(op="call_function", target=_AVG_POOL)
    pool.args = (pool.args[0], 2)
    (plan,) = manager.to_executorch().executorch_program.execution_plan
    (args,) = calls(plan, "aten::avg_pool2d.out")
    assert numbers(plan, args[1]) == [2, 2]


def test_operators_are_listed_once() -> None:
    plan = plan_of(lambda x: torch.relu(torch.relu(x).neg()), torch.ones(2))
    assert [operator.full_name for operator in plan.operators] == ["aten::relu.out", "aten::neg.out"]


def test_write_back_copies_into_the_buffer() -> None:
    plan = lowered(models.counter()).executorch_program.execution_plan[0]
    (args,) = calls(plan, "aten::copy_")
    assert args[0] is args[3] and args[2] == schema.Bool(False)


def test_states_start_from_their_values_or_zeros() -> None:
    manager = lowered(Example(Pair(), (torch.ones(2),)))
    threes = next(t for t in tensors(manager) if t.data_buffer_idx and t.allocation_info)
    states = manager._emitted.mutable_data
    assert len(states) == 2
    assert bytes(states[threes.data_buffer_idx].storage) == torch.full((2,), 3.0).numpy().tobytes()


@pytest.mark.parametrize(("pattern", "written"), [("zeros", 3), ("ones", 2)])
def test_zero_state_is_written_on_request(pattern: str, written: int) -> None:
    config = ExecutorchBackendConfig(passes=[InitializedMutableBufferPass([pattern])])
    manager = lowered(Example(Pair(), (torch.ones(2),)), config)
    assert len(manager._emitted.mutable_data) == written


def test_state_names_are_written_on_request() -> None:
    config = ExecutorchBackendConfig(emit_mutable_buffer_names=True)
    manager = lowered(Example(Pair(), (torch.ones(2),)), config)
    names = [t.extra_tensor_info.fully_qualified_name for t in tensors(manager) if t.extra_tensor_info]
    assert names == ["zeros", "threes"]


def tensors(manager: ExecutorchProgramManager) -> list[schema.Tensor]:
    values = manager.executorch_program.execution_plan[0].values
    return [value.val for value in values if isinstance(value.val, schema.Tensor)]


class View(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x).view(x.shape[0] * 2, 3) + 1


def test_sizes_are_computed_by_prim_operators() -> None:
    example = Example(View(), (torch.ones(4, 6),), ({0: Dim("n", min=2, max=8)},))
    plan = lowered(example).executorch_program.execution_plan[0]
    (product,) = calls(plan, "executorch_prim::mul.Scalar")
    (view,) = calls(plan, "executorch_prim::et_view.default")
    (size,) = calls(plan, "aten::sym_size.int")
    assert product[0] is size[2] and product[1] == schema.Int(2)
    assert isinstance(view[1], schema.IntList)
    assert plan.values[view[1].items[0]].val is product[2]


def test_static_view_needs_no_instruction() -> None:
    plan = plan_of(lambda x: torch.relu(x).view(6) + 1, torch.ones(2, 3))
    assert len(instructions(plan)) == 2
    assert not [operator for operator in plan.operators if "view" in str(operator.name)]


def test_branches_write_the_same_tensor() -> None:
    def choose(flag: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(flag, lambda a: a + a, lambda a: a * a, (x,))

    plan = plan_of(choose, torch.tensor(True), torch.ones(2))
    to_false, on_true, to_end, on_false = instructions(plan)
    assert isinstance(to_false, schema.JumpFalseCall) and isinstance(to_end, schema.JumpFalseCall)
    assert isinstance(on_true, schema.KernelCall) and isinstance(on_false, schema.KernelCall)
    assert to_false.cond_value_index == plan.inputs[0]
    assert (to_false.destination_instruction, to_end.destination_instruction) == (3, 4)
    assert plan.values[to_end.cond_value_index].val == schema.Bool(False)
    assert on_true.args[-1] == on_false.args[-1] == plan.outputs[0]


def jumps(plan: schema.ExecutionPlan) -> list[tuple[int, int]]:
    """Return the position and the destination of every jump."""
    return [
        (index, call.destination_instruction)
        for index, call in enumerate(instructions(plan))
        if isinstance(call, schema.JumpFalseCall)
    ]


def test_while_loop_jumps_match_its_condition() -> None:
    plan = lowered(loop_cases.CASES["while_never_runs"]()).executorch_program.execution_plan[0]
    start, _sum, _more, to_end, _two, double, hand_on, back = instructions(plan)
    assert jumps(plan) == [(3, 8), (7, 1)]
    assert isinstance(start, schema.KernelCall) and isinstance(hand_on, schema.KernelCall)
    assert start.args[0] == plan.inputs[0] and start.args[-1] == hand_on.args[-1] == plan.outputs[0]
    assert isinstance(double, schema.KernelCall) and hand_on.args[0] == double.args[-1]
    assert isinstance(to_end, schema.JumpFalseCall) and isinstance(back, schema.JumpFalseCall)


def test_swapped_scalars_are_moved_through_temporaries() -> None:
    plan = lowered(loop_cases.CASES["while_exchanges_integers"]()).executorch_program.execution_plan[0]
    moves = [(m.move_from, m.move_to) for m in instructions(plan) if isinstance(m, schema.MoveCall)]
    first, second = plan.outputs[:2]
    away, to_first, to_second = moves[2:]
    assert away[0] == second and to_first == (away[1], first) and to_second[1] == second


def test_map_slices_and_copies_rows_like_the_official_exporter() -> None:
    plan = lowered(loop_cases.CASES["map_of_rows"]()).executorch_program.execution_plan[0]
    (take,) = calls(plan, "aten::select_copy.int_out")
    (stack,) = calls(plan, "executorch_prim::et_copy_index.tensor")
    (add,) = calls(plan, "executorch_prim::add.Scalar")
    (eq,) = calls(plan, "executorch_prim::eq.Scalar")
    assert take[2] is stack[2] is add[0] is add[2] is eq[0]
    assert eq[1] == schema.Int(4)
    (start,) = (
        instruction for instruction in instructions(plan) if isinstance(instruction, schema.MoveCall)
    )
    assert plan.values[start.move_from].val == schema.Int(0)
    assert plan.values[start.move_to].val is eq[0]
    rows = stack[0]
    assert isinstance(rows, schema.Tensor) and rows.sizes == [4, 3]
    assert rows.shape_dynamism == schema.TensorShapeDynamism.DYNAMIC_BOUND


def test_dynamic_row_count_is_read_at_runtime() -> None:
    plan = lowered(loop_cases.CASES["mapofbatches"]()).executorch_program.execution_plan[0]
    (size,) = calls(plan, "aten::sym_size.int")
    (eq,) = calls(plan, "executorch_prim::eq.Scalar")
    assert eq[1] is size[2]


def test_tensor_created_in_a_body_is_a_constant() -> None:
    plan = lowered(loop_cases.CASES["whilewithweights"]()).executorch_program.execution_plan[0]
    constants = [
        v.val for v in plan.values if isinstance(v.val, schema.Tensor) and v.val.data_buffer_idx
    ]
    assert [3] in [tensor.sizes for tensor in constants]


def test_unsupported_control_flow_lists_supported_operators() -> None:
    node = torch.fx.Graph().call_function(torch.ops.higher_order.associative_scan)
    with pytest.raises(UnsupportedOperatorError, match="associative_scan; supported control flow: cond"):
        prim_operator(node)


def test_unsupported_scalar_arithmetic_states_the_remedy() -> None:
    node = torch.fx.Graph().call_function(divmod)
    said = "cannot compute scalars with <built-in function divmod>; compute with tensors, or pass the result as an input"
    with pytest.raises(UnsupportedOperatorError, match=said):
        prim_operator(node)


class RoundedSize(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * round(x.shape[0] / 3, 2)


def test_rounding_a_scalar_to_digits_is_rejected() -> None:
    example = Example(RoundedSize(), (torch.ones(4, 2),), ({0: Dim("n", min=1, max=6)},))
    with pytest.raises(
        UnsupportedOperatorError, match=r"round scalars to decimal digits; .* torch\.round"
    ):
        lowered(example)


@pytest.mark.parametrize(
    "memory_format, code",
    [
        (torch.contiguous_format, 0),
        (torch.preserve_format, 1),
        (torch.channels_last, 2),
        (torch.channels_last_3d, 3),
    ],
)
def test_memory_formats_have_the_codes_of_pytorch(memory_format: torch.memory_format, code: int) -> None:
    values = Values()
    values.add_constant(memory_format)
    assert [value.val for value in values.values] == [schema.Int(code)]


def test_unused_constants_are_not_written() -> None:
    class Unused(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.used, self.unused = torch.nn.Linear(2, 2, bias=False), torch.nn.Linear(9, 9)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.used(x)

    manager = lowered(Example(Unused(), (torch.ones(1, 2),)))
    assert len(manager.executorch_program.constant_buffer) == 2


def test_methods_share_constants_and_are_sorted_by_name() -> None:
    programs = {name: example.export() for name, example in models.codec().items()}
    program = to_edge(programs, {"version": 3}).to_executorch().executorch_program
    assert [plan.name for plan in program.execution_plan] == ["decode", "encode", "version"]
    contents = [bytes(buffer.storage) for buffer in program.constant_buffer]
    assert len(contents) == len(set(contents))


@pytest.mark.parametrize(
    "value, expected",
    [
        (3, [schema.Int(3)]),
        (0.5, [schema.Double(0.5)]),
        (True, [schema.Bool(True)]),
        ("name", [schema.String("name")]),
        ([1, (2, 3.5)], [schema.Int(1), schema.Int(2), schema.Double(3.5)]),
    ],
)
def test_constant_method_returns_its_value(value: object, expected: list[schema.KernelTypes]) -> None:
    manager = to_edge(models.mlp().export(), {"get": value}).to_executorch()
    plan = manager.executorch_program.execution_plan[1]
    assert [plan.values[index].val for index in plan.outputs] == expected
    assert plan.inputs == [] and plan.chains == [schema.Chain()]
    assert plan.non_const_buffer_sizes == [0]


def test_constant_method_returns_a_tensor_of_the_file() -> None:
    manager = to_edge(models.mlp().export(), {"get": torch.arange(3)}).to_executorch()
    program = manager.executorch_program
    (value,) = program.execution_plan[1].values
    assert isinstance(value.val, schema.Tensor) and value.val.sizes == [3]
    stored = program.constant_buffer[value.val.data_buffer_idx].storage
    assert bytes(stored) == torch.arange(3).numpy().tobytes()


def test_tuples_without_a_serialised_name_are_plain_tuples() -> None:
    plan = plan_of(lambda x: x.topk(2), torch.ones(3))
    assert plan.container_meta_type is not None
    assert '"type": "builtins.tuple"' in str(plan.container_meta_type.encoded_out_str)


def test_caller_provided_inputs_and_outputs_have_no_offset() -> None:
    planner = MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)
    manager = lowered(models.mlp(), ExecutorchBackendConfig(memory_planning_pass=planner))
    plan = manager.executorch_program.execution_plan[0]
    ends = [plan.values[index].val for index in plan.inputs + plan.outputs]
    assert [end.allocation_info for end in ends if isinstance(end, schema.Tensor)] == [None, None]


def test_offset_of_more_than_32_bits_is_split() -> None:
    values = Values()
    values.tensor(TensorSpec(torch.float32, (2,), (0,), mem_id=1, mem_offset=(3 << 32) + 16))
    (tensor,) = (value.val for value in values.values)
    assert isinstance(tensor, schema.Tensor)
    assert tensor.allocation_info == schema.AllocationDetails(1, 16, 3)


def test_shared_states_have_equal_offsets_in_every_method() -> None:
    owner: Any = models.Counter().eval()
    owner.twice = lambda x: (owner.total.add_(x + x), owner.total * 1)[1]
    programs = {
        name: Example(models.Method(owner, name), (torch.ones(4),)).export()
        for name in ("forward", "twice")
    }
    config = ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(share_mutable_buffers=True))
    program = to_edge(programs).to_executorch(config).executorch_program
    places = [
        value.val.allocation_info
        for plan in program.execution_plan
        for value in plan.values
        if isinstance(value.val, schema.Tensor)
        and value.val.allocation_info
        and value.val.allocation_info.memory_id == 2
    ]
    assert places == [schema.AllocationDetails(2, 0, 0)] * 2
    assert [plan.non_const_buffer_sizes[2] for plan in program.execution_plan] == [16, 16]


def test_stack_traces_name_model_lines() -> None:
    config = ExecutorchBackendConfig(emit_stacktrace=True)
    plan = lowered(models.mlp(), config).executorch_program.execution_plan[0]
    frames = plan.chains[0].stacktrace
    assert frames is not None and len(frames) == len(plan.chains[0].instructions)
    assert any(
        frame.filename == "exir/testing/models.py" for frame_list in frames for frame in frame_list.items
    )


def test_lifted_constants_keep_their_values() -> None:
    conjugated = torch.tensor([1 + 2j, 3 - 4j]).conj()
    manager = lowered(Example(Call(lambda x: x * conjugated), (torch.ones(2, dtype=torch.complex64),)))
    constants = [buffer.storage for buffer in manager.executorch_program.constant_buffer]
    assert conjugated.resolve_conj().numpy().tobytes() in constants

"""Tests that reports about prebuilt programs agree with their plans."""

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from exir.base_error import ConfigError
from exir.inspection.calls import describe_call, kernel_calls, tensors_of
from exir.inspection.imported import external_tensors, imported_methods
from exir.inspection.kernels import calls_without_kernel, load_tables
from exir.inspection.manifest import method_content, methods_content
from exir.inspection.memory import CalledMemory
from exir.inspection.ranges import Steps, shape_text, steps_of
from exir.inspection.report import DelegateReport, OperatorUse, values_of
from exir.operators.operators import builtin_operators
from exir.operators.rules import Call, TensorInfo
from exir.schema import (
    AllocationDetails,
    BackendDelegate,
    BackendDelegateDataReference,
    BackendDelegateInlineData,
    Bool,
    Chain,
    CompileSpec,
    ContainerMetadata,
    Double,
    EValue,
    ExecutionPlan,
    ExtraTensorInfo,
    Instruction,
    InstructionArguments,
    Int,
    IntList,
    JumpFalseCall,
    KernelCall,
    KernelTypes,
    MoveCall,
    Null,
    Operator,
    OptionalTensorList,
    Program,
    ScalarType,
    String,
    Tensor,
    TensorDataLocation,
    TensorList,
    TensorShapeDynamism,
)

_FLOATS = Tensor(ScalarType.FLOAT, 0, [2, 3], [0, 1])
_IMAGES = Tensor(ScalarType.CHAR, 0, [1, 4, 8, 8], [0, 2, 3, 1])


def _plan(
    operator: str, values: list[KernelTypes], *steps: InstructionArguments, **fields: Any
) -> ExecutionPlan:
    name, _, overload = operator.partition(".")
    return ExecutionPlan(
        name="forward",
        values=[EValue(value) for value in values],
        operators=[Operator(name, overload)],
        chains=[Chain(instructions=[Instruction(step) for step in steps])],
        **fields,
    )


def _described(operator: str, values: list[KernelTypes], args: list[int]) -> Call:
    call = KernelCall(0, args)
    plan = _plan(operator, values, call)
    assert kernel_calls(plan) == [call]
    return describe_call(plan, call, builtin_operators()[operator])


_INFO = TensorInfo("float32", (0, 1), (2, 3))


@pytest.mark.parametrize("alpha", [Int(3), Double(0.5), Bool(True)])
def test_scalar_argument_is_described_by_its_value(alpha: Int | Double | Bool) -> None:
    found = _described("aten::add.out", [_FLOATS, alpha], [0, 0, 1, 0])
    assert found.tensors == {"self": [_INFO], "other": [_INFO], "out": [_INFO]}
    number = {Int: 3, Double: 0.5, Bool: True}[type(alpha)]
    assert found.numbers == {"alpha": number}
    assert found.attributes == ({"alpha": True} if isinstance(alpha, Bool) else {})


@pytest.mark.parametrize(
    ("mode", "expected"), [(Null(), None), (String("floor"), "floor"), (Bool(False), False)]
)
def test_constant_argument_is_an_attribute(mode: KernelTypes, expected: object) -> None:
    found = _described("aten::div.out_mode", [_FLOATS, mode], [0, 0, 1, 0])
    assert found.attributes == {"rounding_mode": expected}


def test_absent_tensor_is_not_an_attribute() -> None:
    values: list[KernelTypes] = [_IMAGES, Null(), IntList([3, 3]), Int(1), Bool(False)]
    found = _described("aten::convolution.out", values, [0, 0, 1, 2, 2, 2, 4, 2, 3, 0])
    assert found.attributes == {"transposed": False} and found.tensors["bias"] == []


def test_list_argument_is_described_by_its_items() -> None:
    values: list[KernelTypes] = [_FLOATS, IntList([3, 2]), Int(0), Int(1)]
    found = _described("aten::permute_copy.out", values, [0, 1, 0])
    assert found.numbers == {"dims": (1, 0)} and not found.attributes


def test_absent_tensors_are_left_out_of_a_call() -> None:
    indices = OptionalTensorList([-1, 0, 2])
    longs = Tensor(ScalarType.LONG, 0, [3], [0])
    values: list[KernelTypes] = [_FLOATS, indices, longs]
    found = _described("aten::index.Tensor_out", values, [0, 1, 0])
    assert found.tensors["indices"] == [_INFO, TensorInfo("int64", (0,), (3,))]
    plan = _plan("aten::index.Tensor_out", values)
    assert tensors_of(plan, KernelCall(0, [-1, 1, 2, 0, 0])) == [_FLOATS, longs]


def _state(
    memory_id: int, name: str | None = "steps", location: TensorDataLocation = TensorDataLocation.SEGMENT
) -> Tensor:
    extra = ExtraTensorInfo(fully_qualified_name=name, location=location)
    return replace(_FLOATS, allocation_info=AllocationDetails(memory_id), extra_tensor_info=extra)


def _planned(memory_id: int) -> Tensor:
    return replace(_FLOATS, allocation_info=AllocationDetails(memory_id))


@pytest.mark.parametrize(
    ("tensors", "shared"),
    [
        ([], 0),
        ([_FLOATS, _planned(1), _state(2)], 2),
        ([_state(1)], 0),
        ([_state(2), _planned(2)], 0),
        ([_planned(2), _state(2)], 0),
        ([_state(2, name=None)], 0),
        ([_state(2, name="")], 0),
        ([_planned(2), _state(4), _state(3), _state(3)], 3),
    ],
)
def test_shared_buffer_has_only_named_state(tensors: list[KernelTypes], shared: int) -> None:
    (found,) = imported_methods(Program(execution_plan=[_plan("aten::relu.out", tensors)]))
    assert found.shared_memory_id == shared


def test_only_constants_in_external_files_are_external() -> None:
    external = [_state(1, name, TensorDataLocation.EXTERNAL) for name in ("w", "b", "w")]
    plans = [
        _plan("aten::relu.out", [*external[:2], _state(1), _FLOATS, Int(1)]),
        _plan("aten::relu.out", [*external[2:]]),
    ]
    assert external_tensors(Program(execution_plan=plans)) == ["b", "w"]


def test_report_of_a_prebuilt_method_has_its_calls_and_sizes() -> None:
    steps: list[InstructionArguments] = [
        KernelCall(0, [0, 1]),
        MoveCall(0, 1),
        KernelCall(0, [2, 3, 3]),
        JumpFalseCall(2, 0),
    ]
    values: list[KernelTypes] = [_FLOATS, _IMAGES, TensorList([0, 0]), Int(7)]
    references = [BackendDelegateDataReference(index=1), None]
    plan = _plan(
        "aten::cat.out",
        values,
        *steps,
        inputs=[0, 3],
        outputs=[1],
        delegates=[BackendDelegate("Demo", reference) for reference in references],
        non_const_buffer_sizes=[0, 64, 32],
    )
    payloads = [BackendDelegateInlineData(b"1"), BackendDelegateInlineData(b"1234")]
    (found,) = imported_methods(Program(execution_plan=[plan], backend_delegate_data=payloads))
    assert found.operator_uses == (
        OperatorUse("aten::cat.out", ("float32", "int8"), "", True),
        OperatorUse("aten::cat.out", ("float32",), "", False),
    )
    assert found.delegates == (DelegateReport("Demo", 4),)
    assert (found.instruction_count, found.planned_bytes) == (4, (0, 64, 32))
    assert [(value.name, value.kind, value.dtype) for value in found.inputs] == [
        ("", "Tensor", "float32"),
        ("", "Int", ""),
    ]
    assert [(value.shape, value.dim_order) for value in found.outputs] == [((1, 4, 8, 8), (0, 2, 3, 1))]


_KERNELS = """
[dtypes]
float = ["float32"]

[[kernel]]
operator = "aten::relu.out"
symbol = "relu"
file = "relu.c"
dtypes = "float"
"""


def _refused(folder: Path, *uses: OperatorUse) -> list[str]:
    """Return the reported lines for calls of relu on int8, described by `uses`."""
    path = folder / "kernels.toml"
    path.write_text(_KERNELS, encoding="utf-8")
    _, table = load_tables((), (path,))
    assert table is not None
    plan = _plan("aten::relu.out", [_FLOATS, _IMAGES], *[KernelCall(0, [1, 1])] * len(uses))
    (method,) = imported_methods(Program(execution_plan=[plan]))
    method = replace(method, operator_uses=uses)
    return calls_without_kernel([plan, plan], [method, method], table).split("\n    ")[1:]


def test_calls_without_a_kernel_are_listed_once_with_their_source(tmp_path: Path) -> None:
    assert _refused(
        tmp_path,
        OperatorUse("acme::sort.out", ("int8", "bool"), "net.py:3", False),
        OperatorUse("acme::sort.out", (), "", False),
        OperatorUse("aten::relu.out", ("int8", "int8"), "net.py:5", False),
        OperatorUse("aten::relu.out", ("int8", "int8"), "net.py:5", False),
    ) == [
        "acme::sort.out on int8, bool: no kernel (net.py:3)",
        "acme::sort.out on no tensors: no kernel",
        "aten::relu.out: no kernel supports int8 for 'self' and 'out'; supported: float32 (net.py:5)",
    ]


def test_at_most_ten_calls_without_a_kernel_are_listed(tmp_path: Path) -> None:
    uses = [OperatorUse(f"acme::f{number}.out", (), "", False) for number in range(12)]
    assert _refused(tmp_path, *uses[:10])[9:] == ["acme::f9.out on no tensors: no kernel"]
    assert _refused(tmp_path, *uses[:11])[10:] == ["and 1 more"]
    assert _refused(tmp_path, *uses)[10:] == ["and 2 more"]


def test_invalid_tables_are_named_by_their_flags(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text("[", encoding="utf-8")
    with pytest.raises(ConfigError, match="^--operators: "):
        load_tables((path,), ())
    with pytest.raises(ConfigError, match="^--kernels: "):
        load_tables((), (path,))
    assert load_tables((), ())[1] is None


def _section(plan: ExecutionPlan, *uses: OperatorUse) -> dict[str, Any]:
    (report,) = imported_methods(Program(execution_plan=[plan]))
    return method_content(replace(report, operator_uses=uses), plan, [], [])


def test_manifest_lists_persistent_memory_per_call_and_scratch_once() -> None:
    delegate = BackendDelegate("Demo", None, [CompileSpec("level", b"2"), CompileSpec("raw", b"\xff")])
    plan = _plan("aten::relu.out", [_FLOATS], delegates=[delegate], non_const_buffer_sizes=[0, 32])
    (report,) = imported_methods(Program(execution_plan=[plan]))
    reported = replace(report, delegates=(DelegateReport("Demo", 4),))
    called = [CalledMemory(("B", "A"), ("8", "4"), ("b.h",)), CalledMemory(("A",), ("8",), ("a.h",))]
    section = method_content(reported, plan, [["int8"]], called)
    memory = section["memory"]
    assert memory["persistent"] == ["A", "A", "B"]
    assert memory["scratch"] == ["4", "8"] and memory["headers"] == ["a.h", "b.h"]
    assert memory["planned_bytes"] == [32]
    options = {"level": "2", "raw": "\\xff"}
    assert section["delegates"] == [{"id": "Demo", "bytes": 4, "parts": ["int8"], "options": options}]
    assert methods_content([reported, reported], [section])["backends"] == ["Demo"]


@pytest.mark.parametrize(
    ("step", "branches"),
    [(KernelCall(0, [0, 0]), False), (MoveCall(0, 0), True), (JumpFalseCall(0, 0), True)],
)
def test_manifest_states_whether_a_method_branches(step: InstructionArguments, branches: bool) -> None:
    assert _section(_plan("aten::relu.out", [_FLOATS], step))["branches"] is branches


def test_manifest_lists_float_and_undelegated_calls_once_and_sorted() -> None:
    last = OperatorUse("aten::relu.out", ("int8",), "b.py:1", True, {"Demo": "rank"}, "no kernel")
    first = replace(last, source="a.py:2", refusals=MappingProxyType({"Demo": "dtype", "Cpu": "layout"}))
    fused = OperatorUse("quantized_bytes::add.out", ("int8",), "", False)
    section = _section(_plan("aten::relu.out", []), last, first, last, fused, fused)
    assert [
        (entry["source"], entry["backend"], entry["reason"]) for entry in section["not_delegated"]
    ] == [
        ("a.py:2", "Cpu", "layout"),
        ("a.py:2", "Demo", "dtype"),
        ("b.py:1", "Demo", "rank"),
    ]
    assert section["int8"]["fused"] == 2
    assert [entry["source"] for entry in section["int8"]["float"]] == ["a.py:2", "b.py:1"]
    assert section["operators"] == [
        {"name": "aten::relu.out", "dtypes": ["int8"], "channels_last": True},
        {"name": "quantized_bytes::add.out", "dtypes": ["int8"]},
    ]


def _ranged(*ranges: int) -> ExecutionPlan:
    dynamic = replace(_FLOATS, shape_dynamism=TensorShapeDynamism.DYNAMIC_BOUND)
    plan = _plan("aten::relu.out", [dynamic, Int(5), _FLOATS, Int(6)], inputs=[0, 1, 2, 3])
    plan.container_meta_type = ContainerMetadata(ranges=list(ranges))
    return plan


def test_ranges_belong_to_their_value_and_dimension() -> None:
    plan = _ranged(0, 1, 1, 3, 2, 0, 1, -1, 0, 7, 1, 1)
    assert steps_of(plan, 0) == (None, Steps(1, 3, 2))
    assert [steps_of(plan, value) for value in (1, 2, 3)] == [(Steps(0, 7),), (), ()]
    inputs = _section(plan)["inputs"]
    assert inputs[0]["sizes"] == [2, {"min": 1, "max": 3, "step": 2}]
    assert inputs[0]["dynamism"] == "dynamic_bound" and inputs[2]["dynamism"] == "static"
    assert inputs[1] == {"name": "", "kind": "int", "range": {"min": 0, "max": 7, "step": 1}}
    assert inputs[3] == {"name": "", "kind": "int", "value": 6} and "sizes" not in inputs[2]


def test_program_without_ranges_has_sizes_from_zero() -> None:
    for plan in (_ranged(), replace(_ranged(), container_meta_type=None)):
        assert steps_of(plan, 0) == (Steps(0, 2), Steps(0, 3)) and steps_of(plan, 1) == ()
    assert steps_of(_ranged(0, 0, 1, 2, 1, 0, 9), 0) == (Steps(1, 2), None)


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        (Steps(0, 8), "<=8"),
        (Steps(2, 8), "2..8"),
        (Steps(0, 2**63 - 1), "0.."),
        (Steps(2, 8, 3), "2..8 by 3"),
        (Steps(0, 2**63 - 2), f"<={2**63 - 2}"),
    ],
)
def test_text_of_a_range_omits_its_implicit_parts(steps: Steps, text: str) -> None:
    assert str(steps) == text
    assert shape_text([9, 4], [steps, None]) == f"{text}, 4" and shape_text([9, 4], []) == "9, 4"


def test_values_are_labeled_in_order_or_not_at_all() -> None:
    plan = _ranged()
    assert [value.name for value in values_of(plan, [2, 1], ["x", 0])] == ["x", "0"]
    unnamed = values_of(plan, [2, 0], ())
    assert [(value.name, value.is_dynamic, value.is_planned) for value in unnamed] == [
        ("", False, False),
        ("", True, False),
    ]
    plan.values[2] = EValue(_planned(1))
    assert values_of(plan, [2], ())[0].is_planned

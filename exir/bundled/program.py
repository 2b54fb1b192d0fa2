"""Programs bundled with test calls in one `.bpte` file.

ExecuTorch's tools run these calls on a device and compare the outputs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as pytree

from exir import schema
from exir._serialize import deserialize_pte_binary
from exir.bundled import tables as file
from exir.error import ConfigError
from exir.program import ExecutorchProgramManager
from exir.tensor import dim_order_of_strides, scalar_type
from exir.weights.tensor_bytes import elements_of, tensor_of

_KINDS: dict[type, type] = {bool: schema.Bool, int: schema.Int, float: schema.Double}


class MethodTestCase:
    """The inputs of a call and its expected outputs.

    Nested values are flattened. Without expected outputs, the call is only executed.
    """

    def __init__(self, inputs: Any, expected_outputs: Any = None) -> None:
        self.inputs = _flatten_values(inputs)
        self.expected_outputs = _flatten_values(expected_outputs) if expected_outputs is not None else []


def _flatten_values(values: Any) -> list[Any]:
    leaves = pytree.tree_leaves(values)
    for leaf in leaves:
        if not isinstance(leaf, (torch.Tensor, *_KINDS)):
            raise ConfigError(
                f"a bundled call has a value of type {type(leaf).__name__}; only tensors, ints, bools "
                "and floats are supported"
            )
    return leaves


@dataclass
class MethodTestSuite:
    """The calls of the method `method_name`."""

    method_name: str
    test_cases: Sequence[MethodTestCase] = field(default_factory=list)


class BundledProgram:
    """A program, as an `ExecutorchProgramManager` or a file, with test calls.

    Raises a `ConfigError` that names a call that does not match the program.
    """

    def __init__(
        self,
        executorch_program: ExecutorchProgramManager | None,
        method_test_suites: Sequence[MethodTestSuite],
        pte_file_path: str | None = None,
    ) -> None:
        if (executorch_program is None) == (pte_file_path is None):
            raise ConfigError(
                "BundledProgram: needs exactly one program; pass 'executorch_program' or 'pte_file_path'"
            )
        self.executorch_program = executorch_program
        self.method_test_suites = sorted(method_test_suites, key=lambda suite: suite.method_name)
        self._program = _bytes_of(executorch_program, pte_file_path)
        plans = {
            plan.name or "": plan
            for plan in deserialize_pte_binary(self._program).program.execution_plan
        }
        for suite in self.method_test_suites:
            _check_suite(suite, plans)

    def serialize_to_schema(self) -> file.BundledProgram:
        """Return the tables of the file."""
        suites = [
            file.BundledMethodTestSuite(
                suite.method_name, [_encode_case(case) for case in suite.test_cases]
            )
            for suite in self.method_test_suites
        ]
        return file.BundledProgram(file.VERSION, suites, self._program)


def serialize_from_bundled_program_to_flatbuffer(bundled_program: BundledProgram) -> bytes:
    """Return the content of a `.bpte` file."""
    return file.serialize_bpte(bundled_program.serialize_to_schema())


def deserialize_from_flatbuffer_to_bundled_program(flatbuffer: bytes) -> file.BundledProgram:
    """Return the tables of a `.bpte` file. Raises `InvalidProgramError`."""
    return file.deserialize_bpte(flatbuffer)


def bundled_calls(bundled: file.BundledProgram) -> list[tuple[str, MethodTestCase]]:
    """Return the calls of a bundle with their methods. Raises `InvalidProgramError`."""
    return [
        (
            suite.method_name or "",
            MethodTestCase(*map(_decode_values, (case.inputs, case.expected_outputs))),
        )
        for suite in bundled.method_test_suites
        for case in suite.test_cases
    ]


def _bytes_of(program: ExecutorchProgramManager | None, path: str | None) -> bytes:
    return program.buffer if program is not None else Path(path or "").read_bytes()


def _check_suite(suite: MethodTestSuite, plans: dict[str, schema.ExecutionPlan]) -> None:
    if suite.method_name not in plans:
        known = ", ".join(sorted(plans))
        raise ConfigError(f"unknown method '{suite.method_name}'; the program has: {known}")
    plan = plans[suite.method_name]
    for number, case in enumerate(suite.test_cases):
        place = f"call {number} of '{suite.method_name}'"
        _check_values(case.inputs, plan, plan.inputs, f"{place}: input")
        if case.expected_outputs:
            _check_values(case.expected_outputs, plan, plan.outputs, f"{place}: output")


def _check_values(actual: list[Any], plan: schema.ExecutionPlan, indices: list[int], place: str) -> None:
    if len(actual) != len(indices):
        raise ConfigError(f"{place}s: expected {len(indices)}, got {len(actual)}")
    for index, (leaf, value) in enumerate(zip(actual, indices)):
        kind, found = _kind_of(plan.values[value].val), _describe_value(leaf)
        if kind != found:
            raise ConfigError(f"{place} {index} is {found}, but the method's is {kind}; convert it")


def _kind_of(value: Any) -> str:
    if isinstance(value, schema.Tensor):
        return f"a tensor of {schema.ScalarType(value.scalar_type).name}"
    return f"of type {type(value).__name__}"


def _describe_value(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"a tensor of {scalar_type(value.dtype).name}"
    return f"of type {_KINDS[type(value)].__name__}"


def _encode_case(case: MethodTestCase) -> file.BundledMethodTestCase:
    return file.BundledMethodTestCase(
        [_encode_value(input_) for input_ in case.inputs],
        [_encode_value(output) for output in case.expected_outputs],
    )


def _encode_value(value: Any) -> file.Value:
    match value:
        case torch.Tensor():
            return file.Value(_encode_tensor(value))
        case bool():
            return file.Value(file.Bool(value))
        case int():
            return file.Value(file.Int(value))
    return file.Value(file.Double(value))


def _encode_tensor(tensor: torch.Tensor) -> file.Tensor:
    sizes = list(tensor.shape)
    order = list(dim_order_of_strides(tuple(sizes), tuple(tensor.stride())))
    return file.Tensor(scalar_type(tensor.dtype), sizes, elements_of(tensor, order), order)


def _decode_values(values: list[file.Value]) -> list[Any]:
    return [_value_of(value.val) for value in values]


def _value_of(value: file.ValueUnion) -> Any:
    match value:
        case file.Tensor():
            return tensor_of(value.data, value.scalar_type, value.sizes, value.dim_order)
        case file.Int():
            return value.int_val
        case file.Bool():
            return value.bool_val
    return value.double_val

"""Facts about a program, read from its `.pte` file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from executorch_report.memory import Buffer, memory_of, nbytes_of
from executorch_report.segments import Segment, segments_of
from exir import schema
from exir._serialize import deserialize_pte_binary
from exir.base_error import InvalidProgramError
from exir.inspection.calls import tensors_of
from exir.inspection.imported import external_tensors, imported_methods
from exir.inspection.indices import check_indices
from exir.inspection.report import ValueReport
from exir.operators.dtypes import dtype_name


@dataclass(frozen=True)
class Instruction:
    """An instruction of a method.

    `name` is the operator's name, the backend's id, "Move", "JumpFalse to N" or "Free".
    """

    index: int
    kind: str  # "kernel", "delegate", "move", "jump", "free"
    name: str
    args: tuple[int, ...] = ()  # indices of values
    tensors: tuple[str, ...] = ()  # tensors among the arguments, as "float32[1, 3]"
    delegate: int | None = None


@dataclass(frozen=True)
class Delegate:
    """A delegate of a method."""

    index: int
    backend: str
    nbytes: int  # size of the payload
    payload: bytes = field(repr=False, compare=False, default=b"")


@dataclass(frozen=True)
class Weight:
    """A constant tensor, or the initial state of a mutable buffer."""

    value: int
    name: str  # "" if the file has no name
    dtype: str
    shape: tuple[int, ...]
    nbytes: int
    users: tuple[int, ...]  # indices of instructions


@dataclass(frozen=True)
class MethodFacts:
    """Facts about a method.

    `shared_memory_id` is the memory id of the planned buffer that methods share; 0 for none.
    """

    name: str
    inputs: tuple[ValueReport, ...]
    outputs: tuple[ValueReport, ...]
    operators: Mapping[tuple[str, tuple[str, ...]], int]  # number of calls by operator and dtypes
    delegates: tuple[Delegate, ...]
    instructions: tuple[Instruction, ...]
    weights: tuple[Weight, ...]
    planned: tuple[Buffer, ...]
    shared_memory_id: int
    scalar_inputs: tuple[int | float | bool | str | None, ...]  # fixed values of inputs that are not tensors
    value_bytes: Mapping[int, int]  # by index of a tensor value

    @property
    def kernel_calls(self) -> int:
        return sum(self.operators.values())

    @property
    def arena_bytes(self) -> int:
        return sum(buffer.nbytes for buffer in self.planned)


@dataclass(frozen=True)
class ProgramFacts:
    """Facts about a program.

    `external` names the weights in `.ptd` files. `named` lists keys and sizes of named data.
    """

    file: str
    nbytes: int
    methods: tuple[MethodFacts, ...]
    segments: tuple[Segment, ...]
    named: tuple[tuple[str, int], ...]
    external: tuple[str, ...]

    def method(self, name: str) -> MethodFacts:
        """Return the method `name`. Raise KeyError."""
        return {method.name: method for method in self.methods}[name]


def read_program(path: Path) -> ProgramFacts:
    """Read the facts from a file.

    Raises `InvalidProgramError` for a damaged file or another format, and OSError for an unreadable file.
    """
    return program_facts(path.name, path.read_bytes())


def program_facts(name: str, data: bytes) -> ProgramFacts:
    """Return the facts of a program's bytes. Raise `InvalidProgramError`."""
    file = deserialize_pte_binary(data)
    program = file.program
    check_indices(program)
    for plan in program.execution_plan:
        _check_tensors(plan)
    reports = imported_methods(program)
    return ProgramFacts(
        file=name,
        nbytes=len(data),
        methods=tuple(
            _method(plan, program, report.inputs, report.outputs, report.shared_memory_id)
            for plan, report in zip(program.execution_plan, reports, strict=True)
        ),
        segments=segments_of(data),
        named=tuple((blob.key, len(blob.data)) for blob in file.named_data or ()),
        external=tuple(external_tensors(program)),
    )


def _check_tensors(plan: schema.ExecutionPlan) -> None:
    for number, value in enumerate(plan.values):
        tensor = value.val
        if isinstance(tensor, schema.Tensor):
            where = f"method '{plan.name}': values[{number}]"
            if min(tensor.sizes, default=0) < 0:
                raise InvalidProgramError(f"{where}: sizes {tensor.sizes}")
            if sorted(tensor.dim_order) != list(range(len(tensor.sizes))):
                raise InvalidProgramError(
                    f"{where}: dim_order {list(tensor.dim_order)} is not a permutation of {len(tensor.sizes)} "
                    "dimensions"
                )


def _method(
    plan: schema.ExecutionPlan,
    program: schema.Program,
    inputs: tuple[ValueReport, ...],
    outputs: tuple[ValueReport, ...],
    shared: int,
) -> MethodFacts:
    instructions = tuple(_instructions(plan))
    return MethodFacts(
        name=str(plan.name),
        inputs=inputs,
        outputs=outputs,
        operators=_operators(plan),
        delegates=tuple(_delegate(index, delegate, program) for index, delegate in enumerate(plan.delegates)),
        instructions=instructions,
        weights=tuple(_weights(plan, instructions)),
        planned=memory_of(plan, [instruction.args for instruction in instructions]),
        shared_memory_id=shared,
        scalar_inputs=tuple(_scalar(plan.values[index].val) for index in plan.inputs),
        value_bytes={
            number: nbytes_of(value.val)
            for number, value in enumerate(plan.values)
            if isinstance(value.val, schema.Tensor)
        },
    )


def _scalar(value: schema.KernelTypes) -> int | float | bool | str | None:
    match value:
        case schema.Int():
            return value.int_val
        case schema.Bool():
            return value.bool_val
        case schema.Double():
            return value.double_val
        case schema.String():
            return value.string_val
    return None


def _operators(plan: schema.ExecutionPlan) -> dict[tuple[str, tuple[str, ...]], int]:
    calls = (
        (plan.operators[step.op_index].full_name, _distinct_dtypes(plan, step))
        for chain in plan.chains
        for instruction in chain.instructions
        if isinstance(step := instruction.instr_args, schema.KernelCall)
    )
    return dict(sorted(Counter(calls).items()))


def _distinct_dtypes(plan: schema.ExecutionPlan, call: schema.KernelCall) -> tuple[str, ...]:
    return tuple(dict.fromkeys(dtype_name(tensor.scalar_type) for tensor in tensors_of(plan, call)))


def _instructions(plan: schema.ExecutionPlan) -> list[Instruction]:
    steps = [step.instr_args for chain in plan.chains for step in chain.instructions]
    return [_instruction(plan, index, step) for index, step in enumerate(steps)]


def _instruction(plan: schema.ExecutionPlan, index: int, step: schema.InstructionArguments) -> Instruction:
    match step:
        case schema.KernelCall():
            found = ("kernel", plan.operators[step.op_index].full_name, tuple(step.args))
        case schema.DelegateCall():
            found = ("delegate", str(plan.delegates[step.delegate_index].id), tuple(step.args))
        case schema.MoveCall():
            found = ("move", "Move", (step.move_from, step.move_to))
        case schema.JumpFalseCall():
            found = ("jump", f"JumpFalse to {step.destination_instruction}", (step.cond_value_index,))
        case schema.FreeCall():
            found = ("free", "Free", ())
    kind, name, args = found
    delegate = step.delegate_index if isinstance(step, schema.DelegateCall) else None
    return Instruction(index, kind, name, args, _tensors_among(plan, args), delegate)


def _tensors_among(plan: schema.ExecutionPlan, args: Sequence[int]) -> tuple[str, ...]:
    values = (plan.values[index].val for index in dict.fromkeys(args) if index >= 0)
    return tuple(tensor_text(value) for value in values if isinstance(value, schema.Tensor))


def tensor_text(tensor: schema.Tensor) -> str:
    """Format the dtype and the sizes of a tensor: "float32[1, 3]"."""
    return f"{dtype_name(tensor.scalar_type)}[{', '.join(map(str, tensor.sizes))}]"


def _delegate(index: int, delegate: schema.BackendDelegate, program: schema.Program) -> Delegate:
    assert delegate.processed is not None, "check_indices has rejected other values"
    payload = bytes(program.backend_delegate_data[delegate.processed.index].data)
    return Delegate(index, str(delegate.id), len(payload), payload)


def _weights(plan: schema.ExecutionPlan, instructions: Sequence[Instruction]) -> list[Weight]:
    return [
        Weight(
            number,
            str(tensor.extra_tensor_info.fully_qualified_name or "") if tensor.extra_tensor_info else "",
            dtype_name(tensor.scalar_type),
            tuple(tensor.sizes),
            nbytes_of(tensor),
            tuple(instruction.index for instruction in instructions if number in instruction.args),
        )
        for number, value in enumerate(plan.values)
        if isinstance(tensor := value.val, schema.Tensor) and _is_stored_in_file(tensor)
    ]


def _is_stored_in_file(tensor: schema.Tensor) -> bool:
    extra = tensor.extra_tensor_info
    return tensor.data_buffer_idx > 0 or (extra is not None and extra.location == schema.TensorDataLocation.EXTERNAL)

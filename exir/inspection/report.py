"""Reports about a method's inputs, outputs, calls and memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from exir import schema
from exir.inspection.ranges import Steps, steps_of
from exir.operators.dtypes import dtype_name


@dataclass(frozen=True)
class ValueReport:
    """An input or output.

    kind: "Tensor", "Int", "Double", "Bool", "String" or "Null".
    shape: upper bounds of the sizes.
    steps: the result of `exir.inspection.ranges.steps_of`.
    expressions: for each entry of `steps`, the size or integer as an expression of symbols, such as
        "2*s0 + 1", or "" if it is fixed; empty if another exporter wrote the program.

    `dtype`, `shape`, `dim_order`, `is_dynamic` and `is_planned` apply only to tensors.
    """

    name: str
    kind: str
    dtype: str = ""
    shape: tuple[int, ...] = ()
    dim_order: tuple[int, ...] = ()
    is_dynamic: bool = False
    is_planned: bool = False
    steps: tuple[Steps | None, ...] = ()
    expressions: tuple[str, ...] = ()


@dataclass(frozen=True)
class OperatorUse:
    """One operator call.

    name: operator name in the `.pte` file.
    dtypes: dtypes of its tensors, arguments before outputs.
    source: "file:line" of the model, or "".
    channels_last: whether any of its tensors is channels-last.
    refusals: by backend id, the reason why the backend did not delegate the call.
    stays_float: the reason why it computes in float between quantized tensors, or "".
    """

    name: str
    dtypes: tuple[str, ...]
    source: str
    channels_last: bool
    refusals: Mapping[str, str] = field(default_factory=dict)
    stays_float: str = ""


@dataclass(frozen=True)
class StateReport:
    """A mutable buffer of the module, which keeps its value between calls."""

    name: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class DelegateReport:
    """A delegate: its backend id and the size of its payload in bytes."""

    backend_id: str
    nbytes: int


@dataclass(frozen=True)
class MethodReport:
    """Facts about one method.

    planned_bytes: size of planned memory by memory id; entry 0 is unused.
    shared_memory_id: memory id of the planned buffer shared with other methods, or 0.
    lower_bound_bytes: maximum over instructions of the live planned bytes. Each tensor is rounded
        up to a multiple of 16.
    instruction_count: number of instructions in all chains.
    state: the mutable buffers; empty if another exporter wrote the program.
    """

    name: str
    inputs: tuple[ValueReport, ...]
    outputs: tuple[ValueReport, ...]
    operator_uses: tuple[OperatorUse, ...]
    delegates: tuple[DelegateReport, ...]
    planned_bytes: tuple[int, ...]
    shared_memory_id: int
    lower_bound_bytes: int
    instruction_count: int
    state: tuple[StateReport, ...] = ()


def values_of(
    plan: schema.ExecutionPlan, indices: Sequence[int], names: Sequence[object]
) -> tuple[ValueReport, ...]:
    """Return reports of inputs or outputs. `names` can be empty."""
    labels = [str(name) for name in names] or [""] * len(indices)
    return tuple(_value_report(plan, index, label) for index, label in zip(indices, labels))


def _value_report(plan: schema.ExecutionPlan, index: int, name: str) -> ValueReport:
    value = plan.values[index].val
    kind = type(value).__name__
    steps = steps_of(plan, index)
    if not isinstance(value, schema.Tensor):
        return ValueReport(name, kind, steps=steps)
    return ValueReport(
        name,
        kind,
        dtype_name(value.scalar_type),
        tuple(value.sizes),
        tuple(value.dim_order),
        value.shape_dynamism != schema.TensorShapeDynamism.STATIC,
        value.allocation_info is not None,
        steps,
    )


def instruction_count(plan: schema.ExecutionPlan) -> int:
    """Return the number of instructions in all chains."""
    return sum(len(chain.instructions) for chain in plan.chains)


def delegates_of(plan: schema.ExecutionPlan, program: schema.Program) -> tuple[DelegateReport, ...]:
    """Return the delegates of a method, with their payload sizes."""
    return tuple(
        DelegateReport(
            str(delegate.id), len(program.backend_delegate_data[delegate.processed.index].data)
        )
        for delegate in plan.delegates
        if delegate.processed is not None
    )

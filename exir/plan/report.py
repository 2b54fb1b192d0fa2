"""What a method takes, gives, calls and needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from exir import schema
from exir.operators.dtypes import dtype_name
from exir.plan.ranges import Steps, steps_of


@dataclass(frozen=True)
class ValueReport:
    """An input or output. `dtype`, `shape` (upper bounds), `dim_order`, `is_dynamic` and
    `is_planned` say something of tensors only; `kind` is "Tensor", "Int", "Double", "Bool",
    "String" or "Null". `steps` is that of `exir.plan.ranges.steps_of`."""

    name: str
    kind: str
    dtype: str = ""
    shape: tuple[int, ...] = ()
    dim_order: tuple[int, ...] = ()
    is_dynamic: bool = False
    is_planned: bool = False
    steps: tuple[Steps | None, ...] = ()


@dataclass(frozen=True)
class OperatorUse:
    """One call: operator as the `.pte` spells it, dtypes of its tensors (arguments, then
    outputs), the line of the model that it comes from as "file:line", or "", whether any of its
    tensors has its channels last, why backends have not taken it, by their ids, and why it
    computes floats that are quantized, or ""."""

    name: str
    dtypes: tuple[str, ...]
    source: str
    channels_last: bool
    refusals: Mapping[str, str] = field(default_factory=dict)
    stays_float: str = ""


@dataclass(frozen=True)
class DelegateReport:
    """A delegate: backend id and bytes of its payload."""

    backend_id: str
    nbytes: int


@dataclass(frozen=True)
class MethodReport:
    """One method.

    planned_bytes: bytes of planned memory by memory id; [0] is unused.
    shared_memory_id: of the planned buffer that it shares with other methods; 0 for none.
    lower_bound_bytes: the largest sum of planned bytes alive at one instruction, each tensor
        rounded up to 16.
    instruction_count: of its only chain.
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


def values_of(
    plan: schema.ExecutionPlan, indices: Sequence[int], names: Sequence[object]
) -> tuple[ValueReport, ...]:
    """Inputs or outputs, by their names or without."""
    labels = [str(name) for name in names] or [""] * len(indices)
    return tuple(_value(plan, index, label) for index, label in zip(indices, labels))


def _value(plan: schema.ExecutionPlan, index: int, name: str) -> ValueReport:
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
    """Of all chains."""
    return sum(len(chain.instructions) for chain in plan.chains)


def delegates_of(plan: schema.ExecutionPlan, program: schema.Program) -> tuple[DelegateReport, ...]:
    """The delegates of a method, with the bytes of their payloads."""
    return tuple(
        DelegateReport(str(each.id), len(program.backend_delegate_data[each.processed.index].data))
        for each in plan.delegates
        if each.processed is not None
    )

"""What a lowering produced, for manifests, size reports and kernel selection."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from torch.export import ExportedProgram
from torch.fx import Node

from exir import schema
from exir.backend.tags import refusals_of
from exir.emit import EmitterOutput, MethodOutput
from exir.graph.byte_fusion import STAYS_FLOAT
from exir.liveness import schedule
from exir.memory_planning import lower_bound
from exir.operators.dtypes import dtype_name
from exir.operators.rules import has_layout
from exir.passes.memory_planning_pass import MemoryPlanningPass
from exir.source import source_of
from exir.tensor import specs_of


@dataclass(frozen=True)
class ValueReport:
    """An input or output. `dtype`, `shape` (upper bounds), `dim_order`, `is_dynamic` and
    `is_planned` say something of tensors only; `kind` is "Tensor", "Int", "Double", "Bool",
    "String" or "Null"."""

    name: str
    kind: str
    dtype: str = ""
    shape: tuple[int, ...] = ()
    dim_order: tuple[int, ...] = ()
    is_dynamic: bool = False
    is_planned: bool = False


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
    refusals: Mapping[str, str]
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


@dataclass(frozen=True)
class LoweringReport:
    """Every method, constant methods included, in the order of the program."""

    methods: tuple[MethodReport, ...]

    @property
    def operators(self) -> tuple[str, ...]:
        """Every operator that is called, sorted."""
        return tuple(sorted({use.name for method in self.methods for use in method.operator_uses}))


def lowering_report(programs: dict[str, ExportedProgram], emitted: EmitterOutput) -> LoweringReport:
    """The report of a program that was emitted from `programs`."""
    return LoweringReport(
        tuple(
            _method(plan, programs.get(str(plan.name)), emitted)
            for plan in emitted.program.execution_plan
        )
    )


def _method(
    plan: schema.ExecutionPlan, program: ExportedProgram | None, emitted: EmitterOutput
) -> MethodReport:
    output = emitted.methods.get(str(plan.name))
    input_names = program.graph_signature.user_inputs if program else ()
    output_names = program.graph_signature.user_outputs if program else ()
    return MethodReport(
        name=str(plan.name),
        inputs=_values(plan, plan.inputs, input_names),
        outputs=_values(plan, plan.outputs, output_names),
        operator_uses=_operator_uses(output) if output else (),
        delegates=_delegates(plan, emitted.program),
        planned_bytes=tuple(plan.non_const_buffer_sizes),
        shared_memory_id=program.graph_module.meta.get("shared_memory_id", 0) if program else 0,
        lower_bound_bytes=_lower_bound(program) if program else 0,
        instruction_count=sum(len(chain.instructions) for chain in plan.chains),
    )


def _lower_bound(program: ExportedProgram) -> int:
    graph_module = program.graph_module
    storages = (spec.storage for node in schedule(graph_module) for spec in specs_of(node))
    placed = [spec for spec in dict.fromkeys(storages) if spec.mem_id is not None]
    return lower_bound(placed, graph_module, MemoryPlanningPass().alignment)


def _values(
    plan: schema.ExecutionPlan, indices: list[int], names: tuple[object, ...]
) -> tuple[ValueReport, ...]:
    labels = [str(name) for name in names] or [""] * len(indices)
    return tuple(_value(plan.values[i].val, label) for i, label in zip(indices, labels))


def _value(value: schema.KernelTypes, name: str) -> ValueReport:
    kind = type(value).__name__
    if not isinstance(value, schema.Tensor):
        return ValueReport(name, kind)
    return ValueReport(
        name,
        kind,
        dtype_name(value.scalar_type),
        tuple(value.sizes),
        tuple(value.dim_order),
        value.shape_dynamism != schema.TensorShapeDynamism.STATIC,
        value.allocation_info is not None,
    )


def _operator_uses(output: MethodOutput) -> tuple[OperatorUse, ...]:
    pairs = zip(output.plan.chains[0].instructions, output.nodes)
    return tuple(
        _operator_use(output.plan, call, node)
        for instruction, node in pairs
        if isinstance(call := instruction.instr_args, schema.KernelCall)
    )


def _operator_use(plan: schema.ExecutionPlan, call: schema.KernelCall, node: Node) -> OperatorUse:
    operator = plan.operators[call.op_index]
    indices = dict.fromkeys(_tensor_indices(plan, call.args))
    tensors = [cast(schema.Tensor, plan.values[index].val) for index in indices]
    return OperatorUse(
        operator.full_name,
        tuple(dtype_name(tensor.scalar_type) for tensor in tensors),
        str(source_of(node) or ""),
        any(has_layout(tuple(tensor.dim_order), "channels_last") for tensor in tensors),
        dict(refusals_of(node)),
        node.meta.get(STAYS_FLOAT, ""),
    )


def _tensor_indices(plan: schema.ExecutionPlan, indices: list[int]) -> list[int]:
    """Indices of tensors among `indices` and in the lists among them."""
    found: list[int] = []
    for index in indices:
        value = plan.values[index].val if index >= 0 else None
        if isinstance(value, schema.Tensor):
            found.append(index)
        elif isinstance(value, (schema.TensorList, schema.OptionalTensorList)):
            found += _tensor_indices(plan, value.items)
    return found


def _delegates(plan: schema.ExecutionPlan, program: schema.Program) -> tuple[DelegateReport, ...]:
    return tuple(
        DelegateReport(str(each.id), len(program.backend_delegate_data[each.processed.index].data))
        for each in plan.delegates
        if each.processed is not None
    )

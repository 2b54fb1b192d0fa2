"""Facts about a lowered program for manifests, size reports and kernel selection."""

from dataclasses import dataclass

from torch.export import ExportedProgram
from torch.fx import Node
from torch.utils._pytree import KeyPath, SequenceKey, tree_flatten_with_path, tree_unflatten

from exir import schema
from exir.backend.tags import refusals_of
from exir.debug.source import source_of
from exir.emit import EmitterOutput, MethodOutput
from exir.graph.int8_fusion import STAYS_FLOAT
from exir.inspection.calls import any_channels_last, dtypes_of, tensors_of
from exir.inspection.report import MethodReport, OperatorUse, delegates_of, instruction_count, values_of
from exir.memory_planning import lower_bound
from exir.passes.memory_planning_pass import MemoryPlanningPass
from exir.planning.liveness import schedule
from exir.tensor import specs_of


@dataclass(frozen=True)
class LoweringReport:
    """The reports of all methods, in the program's order, with constant methods."""

    methods: tuple[MethodReport, ...]

    @property
    def operators(self) -> tuple[str, ...]:
        """The names of all operators that the program calls, sorted."""
        return tuple(sorted({use.name for method in self.methods for use in method.operator_uses}))


def lowering_report(programs: dict[str, ExportedProgram], emitted: EmitterOutput) -> LoweringReport:
    """Return the report of a program that was emitted from `programs`."""
    return LoweringReport(
        tuple(
            _method_report(plan, programs.get(str(plan.name)), emitted)
            for plan in emitted.program.execution_plan
        )
    )


def _output_names(program: ExportedProgram) -> list[str]:
    """Return the keys of a returned dict or named tuple, or `output_<index>`."""
    count = len(program.graph_signature.user_outputs)
    spec = program.call_spec.out_spec
    if spec is None or spec.num_leaves != count:
        return [f"output_{index}" for index in range(count)]
    leaves, _ = tree_flatten_with_path(tree_unflatten(range(count), spec))
    return [_name_of_path(path) or f"output_{index}" for index, (path, _) in enumerate(leaves)]


def _name_of_path(path: KeyPath) -> str:
    """Return the path's keys joined by "_", or "" if it has only sequence indices."""
    if all(isinstance(key, SequenceKey) for key in path):
        return ""
    return "_".join(str(key).strip(".[]'") for key in path)


def _method_report(
    plan: schema.ExecutionPlan, program: ExportedProgram | None, emitted: EmitterOutput
) -> MethodReport:
    output = emitted.methods.get(str(plan.name))
    input_names = program.graph_signature.user_inputs if program else ()
    output_names = _output_names(program) if program else ()
    return MethodReport(
        name=str(plan.name),
        inputs=values_of(plan, plan.inputs, input_names),
        outputs=values_of(plan, plan.outputs, output_names),
        operator_uses=_operator_uses(output) if output else (),
        delegates=delegates_of(plan, emitted.program),
        planned_bytes=tuple(plan.non_const_buffer_sizes),
        shared_memory_id=program.graph_module.meta.get("shared_memory_id", 0) if program else 0,
        lower_bound_bytes=_lower_bound(program) if program else 0,
        instruction_count=instruction_count(plan),
    )


def _lower_bound(program: ExportedProgram) -> int:
    graph_module = program.graph_module
    storages = (spec.storage for node in schedule(graph_module) for spec in specs_of(node))
    planned = [spec for spec in dict.fromkeys(storages) if spec.mem_id is not None]
    return lower_bound(planned, graph_module, MemoryPlanningPass().alignment)


def _operator_uses(output: MethodOutput) -> tuple[OperatorUse, ...]:
    pairs = zip(output.plan.chains[0].instructions, output.nodes)
    return tuple(
        _operator_use(output.plan, call, node)
        for instruction, node in pairs
        if isinstance(call := instruction.instr_args, schema.KernelCall)
    )


def _operator_use(plan: schema.ExecutionPlan, call: schema.KernelCall, node: Node) -> OperatorUse:
    tensors = tensors_of(plan, call)
    return OperatorUse(
        plan.operators[call.op_index].full_name,
        dtypes_of(tensors),
        str(source_of(node) or ""),
        any_channels_last(tensors),
        dict(refusals_of(node)),
        node.meta.get(STAYS_FLOAT, ""),
    )

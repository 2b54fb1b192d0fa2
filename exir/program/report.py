"""Facts about a lowered program for manifests, size reports and kernel selection."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import sympy
import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Node
from torch.utils._pytree import KeyPath, SequenceKey, tree_flatten_with_path, tree_unflatten

from exir import schema
from exir.backend.tags import refusals_of
from exir.debug.source import source_of
from exir.emit import EmitterOutput, MethodOutput
from exir.graph.int8_fusion import STAYS_FLOAT
from exir.inspection.calls import any_channels_last, dtypes_of, tensors_of
from exir.inspection.report import (
    MethodReport,
    OperatorUse,
    StateReport,
    ValueReport,
    delegates_of,
    instruction_count,
    values_of,
)
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


def _input_names(program: ExportedProgram) -> list[str]:
    specs = program.graph_signature.input_specs
    return [str(spec.arg.name) for spec in specs if spec.kind == InputKind.USER_INPUT]


def _with_expressions(
    program: ExportedProgram, inputs: Sequence[ValueReport], outputs: Sequence[ValueReport]
) -> tuple[tuple[ValueReport, ...], tuple[ValueReport, ...]]:
    """Return the reports with the expressions of their dynamic sizes and integers.

    Symbols are renamed to s0, s1, … in the order of their first use.
    """
    signature = program.graph_signature
    values = {node.name: node.meta.get("val") for node in program.graph.nodes}
    names: dict[sympy.Basic, sympy.Symbol] = {}

    def expression_of(size: object) -> str:
        if not isinstance(size, torch.SymInt):
            return ""
        for symbol in sorted(size.node.expr.free_symbols, key=str):
            names.setdefault(symbol, sympy.Symbol(f"s{len(names)}", integer=True))
        return str(size.node.expr.xreplace(names))

    def with_expressions(report: ValueReport, node: object) -> ValueReport:
        value = values.get(node)
        sizes = value.shape if isinstance(value, torch.Tensor) else (value,)
        expressions = tuple(map(expression_of, sizes)) if report.steps else ()
        return replace(report, expressions=expressions)

    return (
        tuple(map(with_expressions, inputs, signature.user_inputs)),
        tuple(map(with_expressions, outputs, signature.user_outputs)),
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
    inputs = values_of(plan, plan.inputs, _input_names(program) if program else ())
    outputs = values_of(plan, plan.outputs, _output_names(program) if program else ())
    if program is not None:
        inputs, outputs = _with_expressions(program, inputs, outputs)
    return MethodReport(
        name=str(plan.name),
        inputs=inputs,
        outputs=outputs,
        operator_uses=_operator_uses(output) if output else (),
        delegates=delegates_of(plan, emitted.program),
        planned_bytes=tuple(plan.non_const_buffer_sizes),
        shared_memory_id=program.graph_module.meta.get("shared_memory_id", 0) if program else 0,
        lower_bound_bytes=_lower_bound(program) if program else 0,
        instruction_count=instruction_count(plan),
        state=_state_reports(program) if program else (),
    )


def _state_reports(program: ExportedProgram) -> tuple[StateReport, ...]:
    """Return the buffers that the method changes, in the order of the module."""
    signature = program.graph_signature
    changed = set(signature.buffers_to_mutate.values())
    placeholders = {node.name: node for node in program.graph.find_nodes(op="placeholder")}
    return tuple(
        StateReport(buffer, str(spec.dtype).removeprefix("torch."), tuple(spec.shape))
        for name, buffer in signature.inputs_to_buffers.items()
        if buffer in changed
        for spec in specs_of(placeholders[name])
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

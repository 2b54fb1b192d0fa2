"""Compile partitions of the edge program to payloads."""

from collections.abc import Iterable

from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Node

from backends.cpu.compiler.graph import OpGraph
from backends.cpu.compiler.lower.builder import Builder
from backends.cpu.compiler.lower.program import Program
from backends.cpu.compiler.lower.table import refusal, rule_of
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.payload import Payload, write
from backends.cpu.compiler.pipeline import Partition, run_pipeline
from backends.cpu.compiler.plan import plan
from exir.backend.tags import mutated_buffers
from exir.error import UnsupportedOperatorError


def compile_partition(program: ExportedProgram, options: Options) -> Payload:
    """Return the payload of `program`.

    Raises `UnsupportedOperatorError` for a node that cannot be lowered.
    """
    graph = op_graph(program, options)
    return write(graph, plan(graph))


def op_graph(program: ExportedProgram, options: Options) -> OpGraph:
    """Return the op graph of `program`, ready for memory planning."""
    (graph,) = op_graphs([(program, options)])
    return graph


def op_graphs(programs: Iterable[tuple[ExportedProgram, Options]]) -> list[OpGraph]:
    """Return the op graphs of all partitions of a program, in order."""
    lowered = (lower_partition(*each) for each in programs)
    return [partition.graph for partition in run_pipeline(lowered)]


def lower_partition(program: ExportedProgram, options: Options) -> Partition:
    """Return the op graph of `program` before the first pass."""
    known = Program(program)
    return Partition(lower(program, known), options, known.quantized)


def lower(program: ExportedProgram, known: Program) -> OpGraph:
    """Lower all nodes in order, and return the op graph."""
    builder = Builder(known)
    states = mutated_buffers(program)
    given = {spec.arg.name for spec in program.graph_signature.input_specs if spec.kind is InputKind.USER_INPUT}
    for node in program.graph.find_nodes(op="placeholder"):
        if node.name in given:
            builder.add_argument(node)
    for node in states:
        builder.add_state(node)
    for node in program.graph.nodes:
        if node.op == "call_function":
            _lower_node(known, builder, node)
    for result in program.graph.output_node().args[0][len(states) :]:
        builder.add_result(result)
    builder.keep_states({node: state.new_value for node, state in states.items()})
    return builder.graph


def _lower_node(program: Program, builder: Builder, node: Node) -> None:
    reason = refusal(program, node)
    rule = rule_of(node)
    if reason is not None or rule is None:
        raise UnsupportedOperatorError(f"the cpu backend does not support {node.target}: {reason}", node)
    rule.lower(builder, node)

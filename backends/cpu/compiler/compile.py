"""From a partition of the edge program to a payload."""

from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Node

from backends.cpu.compiler.attention_fusion import prepare_attention
from backends.cpu.compiler.bytes_bounds import bound_bytes, narrow_products
from backends.cpu.compiler.bytes_fusion import compute_in_bytes
from backends.cpu.compiler.bytes_pads import fold_pads
from backends.cpu.compiler.caches import keep_halves
from backends.cpu.compiler.choice import choose
from backends.cpu.compiler.folding import fold
from backends.cpu.compiler.fusion import fuse
from backends.cpu.compiler.graph import OpGraph, verify
from backends.cpu.compiler.halves import read_as_floats, store_weights
from backends.cpu.compiler.halving import halve_widest
from backends.cpu.compiler.in_place import write_in_place
from backends.cpu.compiler.lower.builder import Builder
from backends.cpu.compiler.lower.rule import Program
from backends.cpu.compiler.lower.table import refusal, rule_of
from backends.cpu.compiler.map_fusion import join_maps
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.pack import pack
from backends.cpu.compiler.payload import Payload, write
from backends.cpu.compiler.plan import plan, write_results_in_place
from backends.cpu.compiler.row_sharing import share_rows
from backends.cpu.compiler.strassen_choice import choose_strassen
from backends.cpu.compiler.unread import drop_unread
from exir.backend.tags import mutated_buffers
from exir.error import UnsupportedOperatorError


def compile_partition(program: ExportedProgram, options: Options) -> Payload:
    """The payload of `program`. Raises `UnsupportedOperatorError` for a node that cannot be lowered."""
    graph = op_graph(program, options)
    return write(graph, plan(graph))


def op_graph(program: ExportedProgram, options: Options) -> OpGraph:
    """The ops of `program`, ready to be planned."""
    graph = chosen_ops(program, options)
    choose_strassen([(graph, options)])
    finish(graph)
    return graph


def chosen_ops(program: ExportedProgram, options: Options) -> OpGraph:
    """The ops of `program` with weights as PyTorch has them, but for what all partitions have a say in."""
    known = Program(program)
    graph = lower(program, known)
    drop_unread(graph)
    fold(graph)
    fuse(graph)
    join_maps(graph)
    fold_pads(graph)
    compute_in_bytes(graph, known.quantized)
    bound_bytes(graph)
    narrow_products(graph)
    keep_halves(graph)
    prepare_attention(graph, options)
    store_weights(graph, options)
    choose(graph, options)
    return graph


def finish(graph: OpGraph) -> None:
    """Make ops that were chosen ready to be planned."""
    halve_widest(graph)
    pack(graph)
    read_as_floats(graph)
    share_rows(graph)
    write_results_in_place(graph)
    verify(graph)
    write_in_place(graph)


def lower(program: ExportedProgram, known: Program) -> OpGraph:
    """Ops for every node, one by one."""
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

"""Copies exported programs and shares their tensors."""

import copy

from torch.export import ExportedProgram
from torch.export.graph_signature import ExportGraphSignature
from torch.fx import Graph, GraphModule


def copy_program(program: ExportedProgram) -> ExportedProgram:
    """Copy a program's graph; weights, lowered modules and `meta` values are shared."""
    copied = with_copied_containers(program)
    copied._graph_module = copy_graph_module(program.graph_module)
    return copied


def with_copied_containers(program: ExportedProgram) -> ExportedProgram:
    """Copy a program's signature and dictionaries; the graph is shared."""
    copied = copy.copy(program)
    signature = program.graph_signature
    copied._graph_signature = ExportGraphSignature(
        list(signature.input_specs), list(signature.output_specs)
    )
    copied._state_dict = dict(program.state_dict)
    copied._constants = dict(program.constants)
    copied._range_constraints = dict(program.range_constraints)
    return copied


def copy_graph_module(graph_module: GraphModule) -> GraphModule:
    """Copy a graph module, and the graphs that its nodes run."""
    graph = Graph()
    result = graph.graph_copy(graph_module.graph, {}, return_output_node=True)
    assert isinstance(result, tuple)
    value, old_output = result
    graph.output(value).meta = dict(old_output.meta)
    graph._codegen = copy.copy(graph_module.graph._codegen)
    copied = GraphModule(graph_module, graph)
    copied.meta = dict(graph_module.meta)
    for node in graph.find_nodes(op="get_attr"):
        inner = getattr(graph_module, node.target, None)
        if isinstance(inner, GraphModule):
            setattr(copied, node.target, copy_graph_module(inner))
    return copied

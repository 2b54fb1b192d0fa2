"""Wraps a graph in a program, so that program passes can run on it."""

from typing import Any

import torch
from torch.export import ExportedProgram, ModuleCallEntry, ModuleCallSignature
from torch.export.graph_signature import (
    ArgumentSpec,
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymIntArgument,
    TensorArgument,
)
from torch.fx import Graph, GraphModule, Node
from torch.utils import _pytree as pytree

from exir.graph.fake_mode import fake_mode_of
from exir.verification.verifier import EXIREdgeDialectVerifier


def program_around(graph_module: GraphModule) -> ExportedProgram:
    """Return a program around `graph_module` itself, without copying it.

    Placeholders are inputs, and results are outputs.
    """
    placeholders = graph_module.graph.find_nodes(op="placeholder")
    results = _result_specs(graph_module)
    call = ModuleCallSignature([], [], _tree_spec((tuple(placeholders), {})), _tree_spec(tuple(results)))
    program = _empty_program(_symbol_ranges(graph_module), ModuleCallEntry("", call))
    program._graph_module = graph_module
    program._graph_signature = ExportGraphSignature(
        [InputSpec(InputKind.USER_INPUT, _argument_spec(node), None) for node in placeholders],
        [OutputSpec(OutputKind.USER_OUTPUT, _argument_spec(value), None) for value in results],
    )
    return program


def _empty_program(ranges: dict[Any, Any], call: ModuleCallEntry) -> ExportedProgram:
    """Return an empty program.

    The constructor would verify a graph module, but the one to wrap can be from any stage.
    """
    graph = Graph()
    graph.output(())
    return ExportedProgram(
        root=torch.nn.Module(),
        graph=graph,
        graph_signature=ExportGraphSignature([], []),
        state_dict={},
        range_constraints=ranges,
        module_call_graph=[call],
        verifiers=[EXIREdgeDialectVerifier],
    )


def _result_specs(graph_module: GraphModule) -> list[Any]:
    returned = graph_module.graph.output_node().args[0]
    return list(returned) if isinstance(returned, (list, tuple)) else [returned]


def _tree_spec(value: Any) -> pytree.TreeSpec:
    return pytree.tree_structure(value)


def _argument_spec(value: Any) -> ArgumentSpec:
    if not isinstance(value, Node):
        return ConstantArgument(name="", value=value)
    is_number = isinstance(value.meta.get("val"), (int, torch.SymInt))
    return SymIntArgument(name=value.name) if is_number else TensorArgument(name=value.name)


def _symbol_ranges(graph_module: GraphModule) -> dict[Any, Any]:
    shape_env = fake_mode_of(graph_module.graph).shape_env
    return dict(shape_env.var_to_range) if shape_env is not None else {}

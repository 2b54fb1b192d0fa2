"""Snapshots of an exported program, to detect changes."""

from typing import Any

from torch import Tensor
from torch.export import ExportedProgram
from torch.fx import GraphModule

from exir.graph.private_symbols import shape_env_of

# Attributes of `ShapeEnv` for messages and caches.
_NOT_STATE = {"log", "counter", "var_to_stack", "fake_tensor_cache"}


def state_of(program: ExportedProgram) -> dict[str, Any]:
    """Return a comparable snapshot: graphs, signature, ranges, tensors and symbols."""
    tensors = {**program.state_dict, **program.constants}
    return {
        "graphs": _all_graphs(program),
        "signature": repr(program.graph_signature),
        "ranges": repr(program.range_constraints),
        "tensors": {
            name: (id(tensor), tensor._version)
            for name, tensor in tensors.items()
            if isinstance(tensor, Tensor)
        },
        "symbols": _graph_symbols(program),
    }


def _all_graphs(program: ExportedProgram) -> list[Any]:
    return [
        (
            name,
            node.format_node(),
            id(node.meta.get("val")),
            repr(node.meta.get("val")),
            sorted(node.meta),
        )
        for name, graph_module in program.graph_module.named_modules()
        if isinstance(graph_module, GraphModule)
        for node in graph_module.graph.nodes
    ]


def _graph_symbols(program: ExportedProgram) -> dict[str, str]:
    shape_env = shape_env_of(program)
    known = {} if shape_env is None else vars(shape_env)
    return {
        name: repr(value)
        for name, value in known.items()
        if name not in _NOT_STATE and not name.startswith("_")
    }

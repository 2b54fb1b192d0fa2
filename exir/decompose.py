"""From the graph that `torch.export` gives to functional core ATen operators.

Each operator is decomposed on its own (`exir.record`), so the cost is that of the few
operators that need it. A program for which that does not do (control flow, views that
are written to, …) is retraced as a whole by `run_decompositions`, which is several times slower.
"""

from contextlib import AbstractContextManager

import torch
from torch._ops import HigherOrderOperator
from torch.export import ExportedProgram
from torch.fx import GraphModule

from exir.capture._config import EdgeCompileConfig
from exir.decompositions import Decompositions, core_aten
from exir.error import NotLocal
from exir.program._update import edge_program
from exir.rewrite import GraphRewriter, fake_mode_of


def to_core_aten(program: ExportedProgram, config: EdgeCompileConfig) -> ExportedProgram:
    """A new program of core ATen operators in the edge dialect's notation; `program` is left as it is.

    After: every operator is core ATen, of `config.preserve_ops` or has no decomposition; none
    writes to its arguments; views are copies; writes to buffers and inputs are outputs.
    Decompositions that would choose oneDNN's operators where this PyTorch has them do not.
    """
    decompositions = core_aten(config.preserve_ops)
    try:
        return decompose_locally(program, decompositions)
    except NotLocal:
        return decompose_by_retracing(program, decompositions)


def decompose_locally(program: ExportedProgram, decompositions: Decompositions) -> ExportedProgram:
    """`to_core_aten` operator by operator; raises `NotLocal` when that would not be sound."""
    _refuse_control_flow(program.graph_module)
    with _without_onednn():
        return _rewritten(program, decompositions)


def decompose_by_retracing(
    program: ExportedProgram, decompositions: Decompositions
) -> ExportedProgram:
    """`to_core_aten` by tracing the whole program anew."""
    with _without_onednn():
        retraced = program.run_decompositions(decompositions.for_retracing())
        return _rewritten(retraced, decompositions)


def _without_onednn() -> AbstractContextManager[None]:
    return torch.backends.mkldnn.flags(enabled=False)


def _rewritten(program: ExportedProgram, decompositions: Decompositions) -> ExportedProgram:
    graph_module = program.graph_module
    rewriter = GraphRewriter(graph_module, fake_mode_of(graph_module.graph), decompositions)
    return edge_program(program, rewriter.run())


def _refuse_control_flow(graph_module: GraphModule) -> None:
    for node in graph_module.graph.nodes:
        if isinstance(node.target, HigherOrderOperator):
            raise NotLocal("a higher-order operator", node)

"""Lowers the graph of `torch.export` to functional core ATen operators.

Each operator is decomposed separately (`exir.decomposition.record`), so the cost is that of the few
operators that need it. Programs with control flow, `vmap` or mutated views need a retrace of the whole
program by `run_decompositions`, which is several times slower.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeAlias

import torch
from torch._ops import HigherOrderOperator, OpOverload
from torch.export import ExportedProgram
from torch.fx import GraphModule

from exir.decomposition.compile_time import evaluate_unsupported
from exir.decomposition.decompositions import Decompositions, NodeFilter, core_aten
from exir.decomposition.explicit_copies import with_explicit_copies
from exir.decomposition.gradients import reject_lost_derivatives
from exir.decomposition.inline_grad_modes import inline_grad_modes
from exir.decomposition.lift_constants import lift_inner_constants
from exir.decomposition.merge_aliases import merge_aliases
from exir.decomposition.recurrence import dynamic_recurrence, has_dynamic_length
from exir.decomposition.rewrite import GraphRewriter
from exir.decomposition.separate_operands import separate_operands
from exir.decomposition.size_arithmetic import lower_size_arithmetic
from exir.decomposition.unsupported import reject_unsupported
from exir.decomposition.unwrap_subclasses import unwrap_subclasses
from exir.delegate import executorch_call_delegate
from exir.error import NotLocal, UnsupportedOperatorError
from exir.graph.fake_mode import fake_mode_of
from exir.graph.program_update import edge_program

PreservedOps: TypeAlias = Callable[[ExportedProgram], Mapping[OpOverload, NodeFilter]]
# `torch.export` marks the start and the end of `vmap`, `grad` and `jvp` with such calls.
_TRANSFORMS = "torch._functorch.predispatch"


def to_core_aten(
    program: ExportedProgram,
    preserve: Mapping[OpOverload, NodeFilter],
    attention: bool = False,
    preserved_ops: PreservedOps | None = None,
) -> ExportedProgram:
    """Return a new program of core ATen operators in the edge dialect.

    Before: any exported program, which is not modified. After: every operator is core ATen, or
    preserved, or has no decomposition and depends on inputs. No operator mutates its arguments. Views
    are copies. Writes to buffers and inputs are outputs. Mutated parameters are buffers.

    preserve: operators that are not decomposed, each at the nodes for which its function returns true.
    attention: keep supported SDPA calls as one operator.
    preserved_ops: returns further preserved operators for the program when it is rewritten.
    """
    reject_lost_derivatives(program)
    reject_unsupported(program)
    decompositions = core_aten(preserve, attention)
    program = lift_inner_constants(merge_aliases(inline_grad_modes(program)))
    program = unwrap_subclasses(separate_operands(program))
    try:
        lowered = decompose_locally(program, decompositions, preserved_ops)
    except NotLocal:
        lowered = _decompose_whole_graph(program, decompositions, preserved_ops)
    return evaluate_unsupported(lower_size_arithmetic(lowered), preserve.keys())


def _decompose_whole_graph(
    program: ExportedProgram, decompositions: Decompositions, preserved_ops: PreservedOps | None
) -> ExportedProgram:
    try:
        return decompose_by_retracing(program, decompositions, preserved_ops)
    except NotLocal as reason:
        error = UnsupportedOperatorError(
            f"{reason.message}; compute the value out of place, or use other operators"
        )
        error.node_name, error.source = reason.node_name, reason.source
        raise error from reason


def decompose_locally(
    program: ExportedProgram, decompositions: Decompositions, preserved_ops: PreservedOps | None = None
) -> ExportedProgram:
    """Run `to_core_aten` operator by operator; raise `NotLocal` if that is unsound."""
    _reject_spanning_values(program.graph_module)
    with _without_onednn():
        return _rewrite_program(program, _without_preserved(decompositions, preserved_ops, program))


def decompose_by_retracing(
    program: ExportedProgram, decompositions: Decompositions, preserved_ops: PreservedOps | None = None
) -> ExportedProgram:
    """Run `to_core_aten` by retracing the whole program."""
    with _without_onednn(), dynamic_recurrence():
        remaining = _without_preserved(decompositions, preserved_ops, program)
        retraced = _retrace(with_explicit_copies(program), remaining)
        return _rewrite_program(retraced, _without_preserved(decompositions, preserved_ops, retraced))


def _retrace(program: ExportedProgram, remaining: Decompositions) -> ExportedProgram:
    """Retrace without the example's sizes, or with them if a broadcast needs them.

    torch.export may have assumed that a size is 1 because it is 1 for the example. Without the
    example's sizes, torch does not know this when it retraces the program.
    """
    try:
        with _without_size_hints():
            return program.run_decompositions(remaining.for_retracing())
    except RuntimeError:
        return program.run_decompositions(remaining.for_retracing())


def _without_size_hints() -> AbstractContextManager[None]:
    """Do not evaluate optional comparisons of sizes for the example.

    Functional tensors compare sizes with 0 and 1 to classify their layout. If the example has such a
    size, the comparison would make the size static.
    """
    config: Any = torch.fx.experimental._config
    return config.patch(backed_size_oblivious=True)


def _without_preserved(
    decompositions: Decompositions, preserved_ops: PreservedOps | None, program: ExportedProgram
) -> Decompositions:
    return decompositions if preserved_ops is None else decompositions.preserving(preserved_ops(program))


@contextmanager
def _without_onednn() -> Iterator[None]:
    """Disable oneDNN, because not every PyTorch build has its operators."""
    enabled = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(enabled)


def _rewrite_program(program: ExportedProgram, decompositions: Decompositions) -> ExportedProgram:
    graph_module = program.graph_module
    rewriter = GraphRewriter(graph_module, fake_mode_of(graph_module.graph), decompositions)
    return edge_program(program, rewriter.run())


def _reject_spanning_values(graph_module: GraphModule) -> None:
    for node in graph_module.graph.nodes:
        target = node.target
        if isinstance(target, HigherOrderOperator) and target is not executorch_call_delegate:
            raise NotLocal("a higher-order operator needs the whole program retraced", node)
        if has_dynamic_length(node):
            raise NotLocal("a recurrent layer of dynamic length needs the whole program retraced", node)
        if getattr(target, "__module__", None) == _TRANSFORMS:
            raise NotLocal("a function transform spans several operators", node)

"""Steps that one step can do at once: an activation or a sum after a product or a convolution."""

from dataclasses import replace

from backends.cpu.compiler.graph import Step, StepGraph, Value
from backends.cpu.compiler.kinds.activated import Activated
from backends.cpu.compiler.kinds.activation import NONE, Activation
from backends.cpu.compiler.kinds.map import Map
from backends.cpu.compiler.rewrite import Rewriter


def fuse(graph: StepGraph) -> None:
    """Let products and convolutions add residuals and apply activations themselves.

    After: no `map` that is one of these alone reads a value that such a step computes only for it.
    """
    rewriter = Rewriter(graph)
    for step in rewriter.steps():
        if isinstance(step.operation, Map):
            _fuse_sum(rewriter, step)
            _fuse_activation(rewriter, step)
    rewriter.finish()


def _fuse_activation(rewriter: Rewriter, step: Step) -> None:
    assert isinstance(step.operation, Map)
    activation = step.operation.activation
    if activation is None:
        return
    writer = _fusable_writer(rewriter, step.inputs[0])
    if writer is not None:
        rewriter.merge([writer], step, _activated(writer, step, activation))


def _activated(writer: Step, step: Step, activation: Activation) -> Step:
    operation = writer.operation
    assert isinstance(operation, Activated)
    fused = operation.with_activation(activation)
    return replace(writer, operation=fused, outputs=step.outputs, nodes=writer.nodes + step.nodes)


def _fuse_sum(rewriter: Rewriter, step: Step) -> None:
    assert isinstance(step.operation, Map)
    if not step.operation.is_sum or step.inputs[0].dims != step.inputs[1].dims:
        return
    for computed, residual in (step.inputs, step.inputs[::-1]):
        writer = _fusable_writer(rewriter, computed)
        if writer is not None and _takes_residual(writer) and rewriter.comes_after(writer, residual):
            inputs, nodes = (*writer.inputs, residual), writer.nodes + step.nodes
            rewriter.merge([writer], step, replace(writer, inputs=inputs, outputs=step.outputs, nodes=nodes))
            return


def _takes_residual(writer: Step) -> bool:
    operation = writer.operation
    return isinstance(operation, Activated) and len(writer.inputs) == operation.without_residual


def _fusable_writer(rewriter: Rewriter, value: Value) -> Step | None:
    """The product or convolution without activation that computes `value` for one reader."""
    writer = rewriter.writer(value)
    if writer is None or not rewriter.sole_use(value):
        return None
    operation = writer.operation
    plain = isinstance(operation, Activated) and operation.activation == NONE
    return writer if plain else None

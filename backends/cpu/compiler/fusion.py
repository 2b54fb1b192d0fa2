"""Fuse activations and residual additions into GEMMs and convolutions."""

from dataclasses import replace

from backends.cpu.compiler.graph import Op, OpGraph, Value
from backends.cpu.compiler.rewrite import Rewriter
from backends.cpu.schema.elementwise import ElementwiseF32
from backends.cpu.schema.records import NONE, Activated, Activation


def fuse(graph: OpGraph) -> None:
    """Fuse elementwise activations and sums into the GEMM or convolution before them.

    After: no such op is the only reader of a GEMM or convolution that could apply it.
    """
    rewriter = Rewriter(graph)
    for op in rewriter.ops():
        if isinstance(op.spec, ElementwiseF32):
            _fuse_sum(rewriter, op)
            _fuse_activation(rewriter, op)
    rewriter.finish()


def _fuse_activation(rewriter: Rewriter, op: Op) -> None:
    assert isinstance(op.spec, ElementwiseF32)
    activation = op.spec.activation
    if activation is None:
        return
    writer = _fusable_writer(rewriter, op.inputs[0])
    if writer is not None:
        rewriter.merge([writer], op, _activated(writer, op, activation))


def _activated(writer: Op, op: Op, activation: Activation) -> Op:
    spec = writer.spec
    assert isinstance(spec, Activated)
    fused = spec.with_activation(activation)
    return replace(writer, spec=fused, outputs=op.outputs, nodes=writer.nodes + op.nodes)


def _fuse_sum(rewriter: Rewriter, op: Op) -> None:
    assert isinstance(op.spec, ElementwiseF32)
    if not op.spec.is_sum or op.inputs[0].dims != op.inputs[1].dims:
        return
    for computed, residual in (op.inputs, op.inputs[::-1]):
        writer = _fusable_writer(rewriter, computed)
        if writer is not None and _takes_residual(writer) and rewriter.comes_after(writer, residual):
            inputs, nodes = (*writer.inputs, residual), writer.nodes + op.nodes
            rewriter.merge([writer], op, replace(writer, inputs=inputs, outputs=op.outputs, nodes=nodes))
            return


def _takes_residual(writer: Op) -> bool:
    spec = writer.spec
    return isinstance(spec, Activated) and len(writer.inputs) == spec.without_residual


def _fusable_writer(rewriter: Rewriter, value: Value) -> Op | None:
    """Return the op that writes `value`, or None if it cannot apply an activation.

    The op must not have an activation, and `value` must have only one reader.
    """
    writer = rewriter.writer(value)
    if writer is None or not rewriter.sole_use(value):
        return None
    spec = writer.spec
    plain = isinstance(spec, Activated) and spec.activation == NONE
    return writer if plain else None

"""Join low-bit GEMMs of the same row into one op, which prepares the row once."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from backends.cpu.compiler.dims import product
from backends.cpu.compiler.graph import Op, OpGraph
from backends.cpu.compiler.rewrite import Rewriter
from backends.cpu.schema.gemm import GemmF32Qbw
from backends.cpu.schema.kernel_sizes import QBW_MAX_OUTPUTS

_X, _SCALES = 0, 2


def share_rows(graph: OpGraph) -> None:
    """Join low-bit GEMMs that read the same row.

    Examples are queries, keys and values, or gate and up projections.

    After: GEMMs of one row that differ only in weights, biases and outputs are one op with up to
    `QBW_MAX_OUTPUTS` outputs.
    """
    rewriter = Rewriter(graph)
    for ops in _alike(graph):
        for some in _in_parts(ops):
            rewriter.merge(some[1:], some[0], _joined(some))
    rewriter.finish()


def _alike(graph: OpGraph) -> list[list[Op]]:
    """Return groups of ops that can be joined, in order.

    Rows never change, because an op that updates a buffer creates a new value.
    """
    found: dict[Any, list[Op]] = defaultdict(list)
    for op in graph.ops:
        if _takes_one_row(op):
            row, groups = op.inputs[_X], op.inputs[_SCALES].dims[1]
            found[row.storage, row.dims, op.spec, groups].append(op)
    return list(found.values())


def _takes_one_row(op: Op) -> bool:
    """Return whether `op` is a low-bit GEMM of one row without a residual.

    The joined op runs at the position of the first one, where the residual of a later one might not
    be available yet.
    """
    spec = op.spec
    is_product = isinstance(spec, GemmF32Qbw) and len(op.inputs) == spec.without_residual
    return is_product and product(op.inputs[_X].dims[:-1]) == 1


def _in_parts(ops: list[Op]) -> Iterator[list[Op]]:
    for first in range(0, len(ops), QBW_MAX_OUTPUTS):
        some = ops[first : first + QBW_MAX_OUTPUTS]
        if len(some) > 1:
            yield some


def _joined(ops: list[Op]) -> Op:
    first = ops[0]
    inputs = [first.inputs[_X], *(value for op in ops for value in op.inputs[_X + 1 :])]
    nodes = tuple(node for op in ops for node in op.nodes)
    return Op(first.spec, tuple(inputs), tuple(op.output for op in ops), nodes=nodes)

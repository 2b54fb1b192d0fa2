"""Which products are computed by Strassen's algorithm, of all partitions of a program together."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from backends.cpu.compiler import cost
from backends.cpu.compiler.dims import Bounds, Dim
from backends.cpu.compiler.graph import Op, OpGraph, Value
from backends.cpu.compiler.options import Options
from backends.cpu.schema.gemm import STRASSEN_MULTIPLE, GemmF32, StrassenF32

# Of two dims the first one may count rows of one example or examples of one row.
_LEAST_RANK = 3


def choose_strassen(parts: Sequence[tuple[OpGraph, Options]]) -> None:
    """Replace products that gain by it, as the options of their graph say.

    "auto" leaves those whose weights another op of any of the graphs reads as they are: a program that takes many
    tokens by one method and one token by another has its weights once.
    """
    others = _weights_of([op for graph, options in parts for op in graph.ops if not _gains(graph, op, options)])
    for graph, options in parts:
        graph.ops = [
            _with_strassen(graph, op, options) if _is_taken(graph, op, options, others) else op for op in graph.ops
        ]


def _is_taken(graph: OpGraph, op: Op, options: Options, others: Sequence[Tensor]) -> bool:
    return _gains(graph, op, options) and not (options.strassen == "auto" and _is_among(op.inputs[1], others))


def _gains(graph: OpGraph, op: Op, options: Options) -> bool:
    """Whether `op` alone is faster by it, and its weights worth their bytes."""
    if options.strassen == "never" or type(op.spec) is not GemmF32 or op.inputs[1].dtype != torch.float32:
        return False
    dims, columns = op.inputs[0].dims, op.output.dims[-1]
    rows = _rows(graph.bounds, dims, options)
    fits = dims[-1] % STRASSEN_MULTIPLE == columns % STRASSEN_MULTIPLE == 0
    return fits and cost.prefers_strassen(rows, dims[-1], columns, options.strassen)


def _rows(bounds: Bounds, dims: Sequence[Dim], options: Options) -> int:
    """Rows of an example that there are at least; where it is asked for, at most."""
    if options.strassen == "always":
        return bounds.most(StrassenF32.rows(dims))
    return bounds.least(StrassenF32.rows(dims)) if len(dims) >= _LEAST_RANK else 1


def _weights_of(ops: Sequence[Op]) -> list[Tensor]:
    """Each once, those that are the same tensor."""
    values = dict.fromkeys(value for op in ops for value in op.inputs)
    return [value.constant for value in values if value.constant is not None]


def _is_among(weight: Value, others: Sequence[Tensor]) -> bool:
    own = weight.constant
    return own is not None and any(
        other.dtype == own.dtype and other.shape == own.shape and torch.equal(other, own) for other in others
    )


def _with_strassen(graph: OpGraph, op: Op, options: Options) -> Op:
    assert isinstance(op.spec, GemmF32)
    dims = op.inputs[0].dims
    pairs = -(-graph.bounds.most(StrassenF32.rows(dims)) // 2)
    chosen = StrassenF32(op.spec.activation, min(pairs, cost.STRASSEN_PAIRS))
    workspaces = (
        Value(torch.float32, chosen.sums(dims)),
        Value(torch.float32, (options.threads, chosen.workspace())),
    )
    return replace(op, spec=chosen, workspaces=workspaces)

"""Choose the GEMMs of a program that use Strassen's algorithm."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from backends.cpu.compiler import cost
from backends.cpu.compiler.dims import Bounds, Dim
from backends.cpu.compiler.graph import Op, OpGraph, Value
from backends.cpu.compiler.options import Options
from backends.cpu.schema.cost_model import STRASSEN_MAX_PAIRS, STRASSEN_MULTIPLE
from backends.cpu.schema.gemm import GemmF32, StrassenF32

# With fewer dims, the first one may be the batch size, so the number of rows per example is
# unknown.
_LEAST_RANK = 3


def choose_strassen(parts: Sequence[tuple[OpGraph, Options]]) -> None:
    """Replace GEMMs with `strassen_f32`, according to the options of their graph.

    With "auto", a GEMM is not replaced if another op in any of the graphs reads its weights. A
    program with one method for many tokens and one for a single token therefore stores its weights
    once.
    """
    others = _weights_of([op for graph, options in parts for op in graph.ops if not _gains(graph, op, options)])
    for graph, options in parts:
        graph.ops = [
            _with_strassen(graph, op, options) if _is_taken(graph, op, options, others) else op for op in graph.ops
        ]


def _is_taken(graph: OpGraph, op: Op, options: Options, others: Sequence[Tensor]) -> bool:
    return _gains(graph, op, options) and not (options.strassen == "auto" and _is_among(op.inputs[1], others))


def _gains(graph: OpGraph, op: Op, options: Options) -> bool:
    """Return whether `op` gains enough from Strassen's algorithm.

    The algorithm must be faster, and the gain must justify its larger weights.
    """
    if options.strassen == "never" or type(op.spec) is not GemmF32 or op.inputs[1].dtype != torch.float32:
        return False
    dims, columns = op.inputs[0].dims, op.output.dims[-1]
    rows = _rows(graph.bounds, dims, options)
    fits = dims[-1] % STRASSEN_MULTIPLE == columns % STRASSEN_MULTIPLE == 0
    return fits and cost.prefers_strassen(rows, dims[-1], columns, options.strassen)


def _rows(bounds: Bounds, dims: Sequence[Dim], options: Options) -> int:
    """Return the number of rows that selects the algorithm.

    With the option "always", this is the maximum number; otherwise, the minimum.
    """
    if options.strassen == "always":
        return bounds.most(StrassenF32.rows(dims))
    return bounds.least(StrassenF32.rows(dims)) if len(dims) >= _LEAST_RANK else 1


def _weights_of(ops: Sequence[Op]) -> list[Tensor]:
    """Return the constant inputs of `ops`, without duplicates."""
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
    chosen = StrassenF32(op.spec.activation, min(pairs, STRASSEN_MAX_PAIRS))
    workspaces = (
        Value(torch.float32, chosen.sums(dims)),
        Value(torch.float32, (options.threads, chosen.workspace())),
    )
    return replace(op, spec=chosen, workspaces=workspaces)

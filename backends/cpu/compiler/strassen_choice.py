"""Which products are computed by Strassen's algorithm, of all partitions of a program together."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from backends.cpu.compiler import cost
from backends.cpu.compiler.dims import Bounds, Dim
from backends.cpu.compiler.graph import Step, StepGraph, Value
from backends.cpu.compiler.kinds.product import Product
from backends.cpu.compiler.kinds.strassen import MULTIPLE, Strassen
from backends.cpu.compiler.options import Options

# Of two dims the first one may count rows of one example or examples of one row.
_LEAST_RANK = 3


def choose_strassen(parts: Sequence[tuple[StepGraph, Options]]) -> None:
    """Replace products that gain by it, as the options of their graph say.

    "auto" leaves those whose weights another step of any of the graphs reads as they are: a program that takes many
    tokens by one method and one token by another has its weights once.
    """
    others = _weights_of([step for graph, options in parts for step in graph.steps if not _gains(graph, step, options)])
    for graph, options in parts:
        graph.steps = [
            _with_strassen(graph, step, options) if _is_taken(graph, step, options, others) else step
            for step in graph.steps
        ]


def _is_taken(graph: StepGraph, step: Step, options: Options, others: Sequence[Tensor]) -> bool:
    return _gains(graph, step, options) and not (options.strassen == "auto" and _is_among(step.inputs[1], others))


def _gains(graph: StepGraph, step: Step, options: Options) -> bool:
    """Whether `step` alone is faster by it, and its weights worth their bytes."""
    if options.strassen == "never" or type(step.operation) is not Product or step.inputs[1].dtype != torch.float32:
        return False
    dims, columns = step.inputs[0].dims, step.output.dims[-1]
    rows = _rows(graph.bounds, dims, options)
    fits = dims[-1] % MULTIPLE == columns % MULTIPLE == 0
    return fits and cost.prefers_strassen(rows, dims[-1], columns, options.strassen)


def _rows(bounds: Bounds, dims: Sequence[Dim], options: Options) -> int:
    """Rows of an example that there are at least; where it is asked for, at most."""
    if options.strassen == "always":
        return bounds.most(Strassen.rows(dims))
    return bounds.least(Strassen.rows(dims)) if len(dims) >= _LEAST_RANK else 1


def _weights_of(steps: Sequence[Step]) -> list[Tensor]:
    """Each once, those that are the same tensor."""
    values = dict.fromkeys(value for step in steps for value in step.inputs)
    return [value.constant for value in values if value.constant is not None]


def _is_among(weight: Value, others: Sequence[Tensor]) -> bool:
    own = weight.constant
    return own is not None and any(
        other.dtype == own.dtype and other.shape == own.shape and torch.equal(other, own) for other in others
    )


def _with_strassen(graph: StepGraph, step: Step, options: Options) -> Step:
    assert isinstance(step.operation, Product)
    dims = step.inputs[0].dims
    pairs = -(-graph.bounds.most(Strassen.rows(dims)) // 2)
    chosen = Strassen(min(pairs, cost.STRASSEN_PAIRS), step.operation.activation)
    workspaces = (
        Value(torch.float32, chosen.sums(dims)),
        Value(torch.float32, (options.threads, chosen.workspace())),
    )
    return replace(step, operation=chosen, workspaces=workspaces)

"""One step for products of the same row, which is made ready for codes of few bits once."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from backends.cpu.compiler.dims import product
from backends.cpu.compiler.graph import Step, StepGraph
from backends.cpu.compiler.kinds.product_q import MOST_PRODUCTS, ProductQ
from backends.cpu.compiler.rewrite import Rewriter

_X, _SCALES = 0, 2


def share_rows(graph: StepGraph) -> None:
    """Join products by weights of few bits that read the same row: queries, keys and values, or a gate and what it gates.

    After: no two of them that are alike but for weights, biases and results read one row, unless they are `MOST_PRODUCTS`.
    """
    rewriter = Rewriter(graph)
    for steps in _alike(graph):
        for some in _in_parts(steps):
            rewriter.merge(some[1:], some[0], _joined(some))
    rewriter.finish()


def _alike(graph: StepGraph) -> list[list[Step]]:
    """Steps that may be one, in order. A buffer that was updated is another value than before, so that a row is the same wherever it is read."""
    found: dict[Any, list[Step]] = defaultdict(list)
    for step in graph.steps:
        if _takes_one_row(step):
            row, groups = step.inputs[_X], step.inputs[_SCALES].dims[1]
            found[row.storage, row.dims, step.operation, groups].append(step)
    return list(found.values())


def _takes_one_row(step: Step) -> bool:
    """And nothing that is not there yet when the first such step runs."""
    operation = step.operation
    is_product = isinstance(operation, ProductQ) and len(step.inputs) == operation.without_residual
    return is_product and product(step.inputs[_X].dims[:-1]) == 1


def _in_parts(steps: list[Step]) -> Iterator[list[Step]]:
    for first in range(0, len(steps), MOST_PRODUCTS):
        some = steps[first : first + MOST_PRODUCTS]
        if len(some) > 1:
            yield some


def _joined(steps: list[Step]) -> Step:
    first = steps[0]
    inputs = [first.inputs[_X], *(value for step in steps for value in step.inputs[_X + 1 :])]
    nodes = tuple(node for step in steps for node in step.nodes)
    return Step(first.operation, tuple(inputs), tuple(step.output for step in steps), nodes=nodes)

"""Outputs that take the bytes of an input that nobody needs any more."""

from collections.abc import Mapping
from dataclasses import replace

from backends.cpu.compiler.graph import Scratch, Step, StepGraph, Value
from backends.cpu.compiler.kinds.map import Map
from backends.cpu.compiler.plan import lifetimes
from exir.planning.liveness import Lifetime


def write_in_place(graph: StepGraph) -> None:
    """Let maps write over an operand of their output's sizes that ends with them.

    After: such an output is a view of that operand, which is operand 0.
    """
    alive = lifetimes(graph)
    for place, step in enumerate(graph.steps):
        operand = _ending_operand(step, place, alive)
        if operand is not None:
            graph.steps[place] = _with_operand_first(step, operand)
            output, target = step.output, step.inputs[operand]
            output.base = target
            ended = alive.pop(output)
            alive[target.storage] = Lifetime(alive[target.storage].first, ended.last)


def _ending_operand(step: Step, place: int, alive: Mapping[Value, Lifetime]) -> int | None:
    if not isinstance(step.operation, Map) or not _is_own_scratch(step.output):
        return None
    storages = [value.storage for value in step.inputs]
    for index, value in enumerate(step.inputs):
        fits = value.dims == step.output.dims and value.dtype == step.output.dtype
        is_alone = storages.count(value.storage) == 1  # no other operand is a view of it, or both of a third
        if fits and is_alone and isinstance(value.storage.place, Scratch) and alive[value.storage].last == place:
            return index
    return None


def _is_own_scratch(value: Value) -> bool:
    return value.base is None and isinstance(value.place, Scratch)


def _with_operand_first(step: Step, operand: int) -> Step:
    """The same map with `operand` as its operand 0."""
    assert isinstance(step.operation, Map)
    order = [operand, *(index for index in range(len(step.inputs)) if index != operand)]
    inputs = tuple(step.inputs[index] for index in order)
    return replace(step, operation=step.operation.with_operands_in(order), inputs=inputs)

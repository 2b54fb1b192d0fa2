"""Let elementwise ops overwrite an operand that has no later reader."""

from collections.abc import Mapping
from dataclasses import replace

from backends.cpu.compiler.graph import Op, OpGraph, Scratch, Value
from backends.cpu.compiler.plan import lifetimes
from backends.cpu.schema.elementwise import ElementwiseF32
from exir.planning.liveness import Lifetime


def write_in_place(graph: OpGraph) -> None:
    """Let elementwise ops overwrite an operand that has no later reader.

    The operand must have the dtype and the sizes of the output.
    After: the output of such an op is a view of that operand, which is operand 0.
    """
    alive = lifetimes(graph)
    for place, op in enumerate(graph.ops):
        operand = _ending_operand(op, place, alive)
        if operand is not None:
            graph.ops[place] = _with_operand_first(op, operand)
            output, target = op.output, op.inputs[operand]
            output.base = target
            ended = alive.pop(output)
            alive[target.storage] = Lifetime(alive[target.storage].first, ended.last)


def _ending_operand(op: Op, place: int, alive: Mapping[Value, Lifetime]) -> int | None:
    if not isinstance(op.spec, ElementwiseF32) or not _is_own_scratch(op.output):
        return None
    storages = [value.storage for value in op.inputs]
    for index, value in enumerate(op.inputs):
        fits = value.dims == op.output.dims and value.dtype == op.output.dtype
        is_alone = storages.count(value.storage) == 1  # no other operand shares its memory
        if fits and is_alone and isinstance(value.storage.place, Scratch) and alive[value.storage].last == place:
            return index
    return None


def _is_own_scratch(value: Value) -> bool:
    return value.base is None and isinstance(value.place, Scratch)


def _with_operand_first(op: Op, operand: int) -> Op:
    """Return the same op with `operand` as its operand 0."""
    assert isinstance(op.spec, ElementwiseF32)
    order = [operand, *(index for index in range(len(op.inputs)) if index != operand)]
    inputs = tuple(op.inputs[index] for index in order)
    return replace(op, spec=op.spec.with_operands_in(order), inputs=inputs)

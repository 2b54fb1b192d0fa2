"""Maps that follow each other become one, which goes over memory once."""

from dataclasses import replace

from backends.cpu.compiler.graph import Step, StepGraph, Value
from backends.cpu.compiler.kinds.map import MAX_OPERANDS, MAX_REGISTERS, Instruction, Map
from backends.cpu.compiler.rewrite import Rewriter


def join_maps(graph: StepGraph) -> None:
    """Join each map with those before it that compute something for it alone, of its own sizes."""
    rewriter = Rewriter(graph)
    for step in rewriter.steps():
        while (joined := _joined_with_one(rewriter, step)) is not None:
            step = joined
    rewriter.finish()


def _joined_with_one(rewriter: Rewriter, step: Step) -> Step | None:
    if not isinstance(step.operation, Map):
        return None
    for value in step.inputs:
        writer = rewriter.writer(value)
        if writer is None or not isinstance(writer.operation, Map) or not rewriter.sole_use(value):
            continue
        joined = _join(writer, step) if value.dims == step.output.dims else None
        if joined is not None:
            rewriter.merge([writer], step, joined)
            return joined
    return None


def _join(first: Step, last: Step) -> Step | None:
    """Both as one step; None when it would have too many operands or registers."""
    one, two = first.operation, last.operation
    assert isinstance(one, Map) and isinstance(two, Map)
    inputs = list(dict.fromkeys([*first.inputs, *(each for each in last.inputs if each is not first.output)]))
    count = len(inputs) + len(one.instructions) + len(two.instructions)
    if len(inputs) > MAX_OPERANDS or count > MAX_REGISTERS:
        return None
    before = _renumbered(first, inputs, len(inputs), {})
    result = len(inputs) + len(before) - 1
    after = _renumbered(last, inputs, len(inputs) + len(before), {first.output: result})
    joined = Map(len(inputs), (*before, *after))
    return replace(last, operation=joined, inputs=tuple(inputs), nodes=first.nodes + last.nodes)


def _renumbered(step: Step, inputs: list[Value], start: int, computed: dict[Value, int]) -> list[Instruction]:
    """The instructions of a map where its operands stand among `inputs` or are registers in `computed`, and
    its results go from register `start` on."""
    assert isinstance(step.operation, Map)
    operands = [computed[each] if each in computed else inputs.index(each) for each in step.inputs]
    count = len(step.operation.instructions)
    registers = [*operands, *range(start, start + count)]
    return [
        replace(each, registers=tuple(registers[register] for register in each.registers))
        for each in step.operation.instructions
    ]

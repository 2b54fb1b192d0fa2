"""Fusion of consecutive elementwise ops, so that memory is accessed once."""

from dataclasses import replace

from backends.cpu.compiler.graph import Op, OpGraph, Value
from backends.cpu.compiler.rewrite import Rewriter
from backends.cpu.schema.elementwise import ElementwiseF32, InstructionF32
from backends.cpu.schema.kernel_sizes import ELEMENTWISE_MAX_OPERANDS, ELEMENTWISE_MAX_REGISTERS


def join_maps(graph: OpGraph) -> None:
    """Fuse each elementwise op with preceding elementwise ops of equal size.

    The preceding ops must not have other readers.
    """
    rewriter = Rewriter(graph)
    for op in rewriter.ops():
        while (joined := _joined_with_one(rewriter, op)) is not None:
            op = joined
    rewriter.finish()


def _joined_with_one(rewriter: Rewriter, op: Op) -> Op | None:
    if not isinstance(op.spec, ElementwiseF32):
        return None
    for value in op.inputs:
        writer = rewriter.writer(value)
        if writer is None or not isinstance(writer.spec, ElementwiseF32) or not rewriter.sole_use(value):
            continue
        joined = _join(writer, op) if value.dims == op.output.dims else None
        if joined is not None:
            rewriter.merge([writer], op, joined)
            return joined
    return None


def _join(first: Op, last: Op) -> Op | None:
    """Return one op that computes both.

    Return None if it would need too many operands or registers.
    """
    one, two = first.spec, last.spec
    assert isinstance(one, ElementwiseF32) and isinstance(two, ElementwiseF32)
    inputs = list(dict.fromkeys([*first.inputs, *(each for each in last.inputs if each is not first.output)]))
    count = len(inputs) + len(one.instructions) + len(two.instructions)
    if len(inputs) > ELEMENTWISE_MAX_OPERANDS or count > ELEMENTWISE_MAX_REGISTERS:
        return None
    before = _renumbered(first, inputs, len(inputs), {})
    result = len(inputs) + len(before) - 1
    after = _renumbered(last, inputs, len(inputs) + len(before), {first.output: result})
    joined = ElementwiseF32(len(inputs), (*before, *after))
    return replace(last, spec=joined, inputs=tuple(inputs), nodes=first.nodes + last.nodes)


def _renumbered(op: Op, inputs: list[Value], start: int, computed: dict[Value, int]) -> list[InstructionF32]:
    """Return the instructions of `op` with renumbered registers.

    Operands become positions in `inputs` or registers in `computed`. Results are consecutive
    registers from `start`.
    """
    assert isinstance(op.spec, ElementwiseF32)
    operands = [computed[each] if each in computed else inputs.index(each) for each in op.inputs]
    count = len(op.spec.instructions)
    registers = [*operands, *range(start, start + count)]
    return [each.on([registers[register] for register in each.operands]) for each in op.spec.instructions]

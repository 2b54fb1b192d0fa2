"""Reference semantics of `elementwise_f32` and `elementwise_i64`."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from backends.cpu.compiler.ops.activation import activate
from backends.cpu.compiler.ops.reference import Sizes, check_shapes, evaluate, expect
from backends.cpu.schema.elementwise import Elementwise, ElementwiseF32, ElementwiseI64, Opcode
from backends.cpu.schema.kernel_sizes import ELEMENTWISE_MAX_OPERANDS, ELEMENTWISE_MAX_REGISTERS

_FUNCTIONS: dict[Opcode, Callable[..., Tensor]] = {
    Opcode.ADD: torch.add,
    Opcode.SUB: torch.sub,
    Opcode.MUL: torch.mul,
    Opcode.DIV: torch.div,
    Opcode.MAX: torch.maximum,
    Opcode.MIN: torch.minimum,
    Opcode.POW: torch.pow,
    Opcode.NEG: torch.neg,
    Opcode.ABS: torch.abs,
    Opcode.EXP: torch.exp,
    Opcode.LOG: torch.log,
    Opcode.SQRT: torch.sqrt,
    Opcode.RSQRT: torch.rsqrt,
    Opcode.RECIPROCAL: torch.reciprocal,
    Opcode.SIN: torch.sin,
    Opcode.COS: torch.cos,
    Opcode.ERF: torch.erf,
    Opcode.FLOOR: torch.floor,
    Opcode.CEIL: torch.ceil,
    Opcode.ROUND: torch.round,
    Opcode.EQ: torch.eq,
    Opcode.NE: torch.ne,
    Opcode.LT: torch.lt,
    Opcode.LE: torch.le,
    Opcode.GT: torch.gt,
    Opcode.GE: torch.ge,
    Opcode.WHERE: lambda condition, a, b: torch.where(condition != 0, a, b),
    Opcode.AND: torch.logical_and,
    Opcode.OR: torch.logical_or,
    Opcode.NOT: torch.logical_not,
}


@check_shapes.register
def _check_f32(spec: ElementwiseF32, sizes: Sizes) -> None:
    _check_elementwise(spec, sizes)


@check_shapes.register
def _check_i64(spec: ElementwiseI64, sizes: Sizes) -> None:
    _check_elementwise(spec, sizes)
    unsupported = [each.opcode.name for each in spec.instructions if not each.opcode.is_integer]
    expect(spec, not unsupported, f"{unsupported} of integers is not supported")


def _check_elementwise(spec: Elementwise, sizes: Sizes) -> None:
    *inputs, y = sizes
    expect(
        spec,
        len(inputs) == spec.operands <= ELEMENTWISE_MAX_OPERANDS,
        f"{len(inputs)} inputs, expected {spec.operands}, at most {ELEMENTWISE_MAX_OPERANDS}",
    )
    expect(spec, spec.operands + len(spec.instructions) <= ELEMENTWISE_MAX_REGISTERS, "too many registers")
    padded = [(1,) * (len(y) - len(each)) + tuple(each) for each in inputs]
    found = tuple(_broadcast([each[dim] for each in padded]) for dim in range(len(y)))
    expect(spec, found == y, f"inputs of sizes {inputs} are broadcast to {found}, but the output is {y}")


def _broadcast(sizes: Sequence[Any]) -> Any:
    return next((size for size in sizes if size != 1), 1)


@evaluate.register
def _evaluate_f32(
    spec: ElementwiseF32, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]
) -> None:
    outputs[0].copy_(_result(spec, inputs, torch.float32))


@evaluate.register
def _evaluate_i64(
    spec: ElementwiseI64, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]
) -> None:
    outputs[0].copy_(_result(spec, inputs, torch.int64))


def _result(spec: Elementwise, inputs: Sequence[Tensor], dtype: torch.dtype) -> Tensor:
    registers = [each.to(dtype) for each in inputs]
    for instruction in spec.instructions:
        operands = [registers[index] for index in instruction.operands]
        if instruction.opcode is Opcode.CONSTANT:
            result = torch.tensor(instruction.value, dtype=dtype)
        elif instruction.opcode is Opcode.ACTIVATE:
            result = activate(instruction.activation, *operands)
        else:
            result = _FUNCTIONS[instruction.opcode](*operands).to(dtype)
        registers.append(result)
    return registers[-1]

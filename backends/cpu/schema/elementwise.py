"""Elementwise ops that run a program of instructions for each element."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, cast

from backends.cpu.schema.declarations import (
    F32,
    INDEX,
    Dtype,
    Int64,
    OpSpec,
    Record,
    Tensor,
    at_word,
    bounds,
    many,
    only_if,
)
from backends.cpu.schema.kernel_sizes import ELEMENTWISE_MAX_OPERANDS
from backends.cpu.schema.records import NONE, Activation

if TYPE_CHECKING:
    from typing import Self

_INTEGERS = (*INDEX, Dtype.BOOL)

Registers = tuple[int, int, int, int]


class Opcode(IntEnum):
    """Instructions of elementwise programs.

    Comparisons and logical functions return 1 or 0. Any nonzero value is true.
    """

    CONSTANT = 0
    ACTIVATE = 1
    ADD = 2
    SUB = 3
    MUL = 4
    DIV = 5
    MAX = 6
    MIN = 7
    POW = 8
    NEG = 9
    ABS = 10
    EXP = 11
    LOG = 12
    SQRT = 13
    RSQRT = 14
    RECIPROCAL = 15
    SIN = 16
    COS = 17
    ERF = 18
    FLOOR = 19
    CEIL = 20
    ROUND = 21
    EQ = 22
    NE = 23
    LT = 24
    LE = 25
    GT = 26
    GE = 27
    WHERE = 28
    AND = 29
    OR = 30
    NOT = 31

    @property
    def arity(self) -> int:
        """The number of registers that the instruction reads."""
        if self is Opcode.CONSTANT:
            return 0
        if self is Opcode.WHERE:
            return 3
        is_binary = Opcode.ADD <= self <= Opcode.POW or Opcode.EQ <= self <= Opcode.OR
        return 2 if is_binary else 1

    @property
    def is_integer(self) -> bool:
        """Whether `elementwise_i64` supports the instruction."""
        return self in _INTEGER_OPCODES


_INTEGER_OPCODES = (
    *(Opcode.CONSTANT, Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.MAX, Opcode.MIN, Opcode.NEG),
    *(Opcode.EQ, Opcode.NE, Opcode.LT, Opcode.LE, Opcode.GT, Opcode.GE),
    *(Opcode.WHERE, Opcode.AND, Opcode.OR, Opcode.NOT),
)


@dataclass(frozen=True)
class Instruction(Record):
    """An instruction without the operands that depend on the opcode.

    registers: the registers that the instruction reads, padded with zeros. Register i < n is
        operand i of n. Register n + k is the result of instruction k.
    """

    opcode: Opcode
    registers: Registers = (0, 0, 0, 0)

    @classmethod
    def of(cls, opcode: Opcode, *registers: int) -> "Self":
        """Return the instruction that reads `registers`."""
        return cls(opcode, _padded(registers))

    @classmethod
    def constant(cls, value: float) -> "Self":
        """Return the instruction whose result is `value`."""
        raise NotImplementedError

    @classmethod
    def read(cls, words: Sequence[int]) -> "Self":
        found = super().read(words)
        return found.on(found.operands)

    @property
    def operands(self) -> tuple[int, ...]:
        """The registers that the instruction reads."""
        return self.registers[: self.opcode.arity]

    def on(self, registers: Sequence[int]) -> "Self":
        """Return the same instruction with the given registers."""
        return replace(self, registers=_padded(registers))


@dataclass(frozen=True)
class InstructionF32(Instruction):
    """An instruction on float32 registers.

    value: result of CONSTANT.
    activation: function of ACTIVATE.
    """

    value: float = field(default=0.0, metadata={**at_word(1), **only_if(opcode=Opcode.CONSTANT)})
    activation: Activation = field(default=NONE, metadata={**at_word(2), **only_if(opcode=Opcode.ACTIVATE)})

    @classmethod
    def constant(cls, value: float) -> "Self":
        return cls(Opcode.CONSTANT, value=value)

    @classmethod
    def activate(cls, register: int, activation: Activation) -> "Self":
        """Return the instruction that applies `activation`."""
        return cls(Opcode.ACTIVATE, _padded((register,)), activation=activation)


@dataclass(frozen=True)
class InstructionI64(Instruction):
    """An instruction on int64 registers.

    value: result of CONSTANT.
    """

    value: Int64 = field(default=Int64(0), metadata={**at_word(1), **only_if(opcode=Opcode.CONSTANT)})

    @classmethod
    def constant(cls, value: float) -> "Self":
        return cls(Opcode.CONSTANT, value=Int64(value))


def _padded(registers: Sequence[int]) -> Registers:
    first, second, third, fourth, *_ = (*registers, 0, 0, 0, 0)
    return first, second, third, fourth


class Elementwise(OpSpec):
    """Run `instructions` for each element of y. The result of the last one is y.

    Inputs are broadcast to the sizes of y as in PyTorch.

    operands: number of inputs.
    """

    operands: int
    instructions: tuple[Any, ...]
    instruction: ClassVar[type[Instruction]]

    @classmethod
    def make(cls, operands: int, instructions: Sequence[Instruction]) -> "Self":
        """Return the op that runs `instructions`."""
        return cast(Any, cls)(operands, tuple(instructions))

    @classmethod
    def call(cls, opcode: Opcode, *arguments: float | None) -> "Self":
        """Return the op that applies `opcode` to `arguments`.

        Each None is replaced by the next input.
        """
        count = arguments.count(None)
        constants = [cls.instruction.constant(value) for value in arguments if value is not None]
        tensors, scalars = iter(range(count)), iter(range(count, len(arguments)))
        registers = (next(tensors if each is None else scalars) for each in arguments)
        return cls.make(count, (*constants, cls.instruction.of(opcode, *registers)))

    def as_call(self) -> "tuple[Opcode, tuple[int | float, ...]] | None":
        """Return the opcode and arguments if `call` could have created the op, or None.

        Arguments are indices of inputs and values of constants.
        """
        *constants, last = self.instructions
        is_call = last.opcode not in (Opcode.CONSTANT, Opcode.ACTIVATE)
        if not is_call or any(each.opcode is not Opcode.CONSTANT for each in constants):
            return None
        values = [*range(self.operands), *(each.value for each in constants)]
        return last.opcode, tuple(values[register] for register in last.operands)

    def with_operands_in(self, order: Sequence[int]) -> "Self":
        """Return the op with permuted inputs: its input i is input `order[i]` of this op."""
        registers = [order.index(operand) for operand in range(self.operands)]
        registers += range(self.operands, self.operands + len(self.instructions))
        moved = (each.on([registers[register] for register in each.operands]) for each in self.instructions)
        return self.make(self.operands, tuple(moved))


@dataclass(frozen=True)
class ElementwiseF32(Elementwise):
    """An elementwise program on float32.

    Integers are rounded to float32. Booleans are 1 or 0. The inputs are broadcast to the sizes of
    y.

    operands: number of inputs.
    instructions: the program. Its last result is y.
    """

    operands: int = field(metadata=bounds(1, ELEMENTWISE_MAX_OPERANDS))
    instructions: tuple[InstructionF32, ...]

    code: ClassVar[int] = 9
    inputs: ClassVar[tuple[Tensor, ...]] = (many("inputs", (1, ELEMENTWISE_MAX_OPERANDS), "[...]", (*F32, *_INTEGERS)),)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[...]", (*F32, Dtype.BOOL)),)
    in_place: ClassVar[int | None] = 0
    instruction: ClassVar[type[Instruction]] = InstructionF32

    @staticmethod
    def of(activation: Activation) -> "ElementwiseF32":
        """Return the op that applies `activation` to one input."""
        return ElementwiseF32(1, (InstructionF32.activate(0, activation),))

    @property
    def activation(self) -> Activation | None:
        """The activation, if the op only applies one to its single input; otherwise, None."""
        if self.operands != 1 or len(self.instructions) != 1:
            return None
        (only,) = self.instructions
        return only.activation if only.opcode is Opcode.ACTIVATE else None

    @property
    def is_sum(self) -> bool:
        """Whether the op only adds its two inputs."""
        return self == ElementwiseF32.call(Opcode.ADD, None, None)


@dataclass(frozen=True)
class ElementwiseI64(Elementwise):
    """An elementwise program on int64, with the opcodes that integers support.

    Overflow wraps around. The inputs are broadcast to the sizes of y. An int32 output keeps the
    lower bits.

    operands: number of inputs.
    instructions: the program. Its last result is y.
    """

    operands: int = field(metadata=bounds(1, ELEMENTWISE_MAX_OPERANDS))
    instructions: tuple[InstructionI64, ...]

    code: ClassVar[int] = 27
    inputs: ClassVar[tuple[Tensor, ...]] = (many("inputs", (1, ELEMENTWISE_MAX_OPERANDS), "[...]", _INTEGERS),)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[...]", _INTEGERS),)
    in_place: ClassVar[int | None] = 0
    instruction: ClassVar[type[Instruction]] = InstructionI64

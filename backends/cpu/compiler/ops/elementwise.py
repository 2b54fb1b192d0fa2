"""`elementwise_f32` and `elementwise_i64`: a small program for each element of an output.

Operands are broadcast as PyTorch does, right-aligned. Registers hold float32 or int64: the operands
first, then the result of each instruction; the last one is the output. What is true or not is 1 or 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, ClassVar, Self

import torch
from torch import Tensor

from backends.cpu.compiler.ops.activation import activate
from backends.cpu.compiler.ops.spec import OpSpec, Sizes
from backends.cpu.schema.records import NONE, Activation
from backends.cpu.schema.words import float_of_word, int64_of_words, word_of_float, words_of_int64

MAX_OPERANDS = 8
MAX_REGISTERS = 32
_WORDS = 5


class Opcode(IntEnum):
    """Instructions, by their numbers in payloads."""

    CONSTANT = 0  # bits of a float32
    ACTIVATE = 1  # register, then the three words of an activation
    ADD = 2  # from here on one, two or three registers
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


_FUNCTIONS: dict[Opcode, tuple[int, Callable[..., Tensor]]] = {
    Opcode.ADD: (2, torch.add),
    Opcode.SUB: (2, torch.sub),
    Opcode.MUL: (2, torch.mul),
    Opcode.DIV: (2, torch.div),
    Opcode.MAX: (2, torch.maximum),
    Opcode.MIN: (2, torch.minimum),
    Opcode.POW: (2, torch.pow),
    Opcode.NEG: (1, torch.neg),
    Opcode.ABS: (1, torch.abs),
    Opcode.EXP: (1, torch.exp),
    Opcode.LOG: (1, torch.log),
    Opcode.SQRT: (1, torch.sqrt),
    Opcode.RSQRT: (1, torch.rsqrt),
    Opcode.RECIPROCAL: (1, torch.reciprocal),
    Opcode.SIN: (1, torch.sin),
    Opcode.COS: (1, torch.cos),
    Opcode.ERF: (1, torch.erf),
    Opcode.FLOOR: (1, torch.floor),
    Opcode.CEIL: (1, torch.ceil),
    Opcode.ROUND: (1, torch.round),
    Opcode.EQ: (2, torch.eq),
    Opcode.NE: (2, torch.ne),
    Opcode.LT: (2, torch.lt),
    Opcode.LE: (2, torch.le),
    Opcode.GT: (2, torch.gt),
    Opcode.GE: (2, torch.ge),
    Opcode.WHERE: (3, lambda condition, a, b: torch.where(condition != 0, a, b)),
    Opcode.AND: (2, torch.logical_and),
    Opcode.OR: (2, torch.logical_or),
    Opcode.NOT: (1, torch.logical_not),
}

# What there is of whole numbers.
WHOLE_OPCODES = frozenset(
    (
        *(Opcode.CONSTANT, Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.MAX, Opcode.MIN, Opcode.NEG),
        *(Opcode.EQ, Opcode.NE, Opcode.LT, Opcode.LE, Opcode.GT, Opcode.GE),
        *(Opcode.WHERE, Opcode.AND, Opcode.OR, Opcode.NOT),
    )
)


@dataclass(frozen=True)
class Instruction:
    """registers: read; they are operands of the op or results of earlier instructions.
    value: of a CONSTANT, of the registers' type. activation: of an ACTIVATE.
    """

    opcode: Opcode
    registers: tuple[int, ...] = ()
    value: float = 0.0
    activation: Activation = NONE

    def words(self) -> tuple[int, ...]:
        """As the payload has it: five words."""
        if self.opcode is Opcode.CONSTANT:
            found = self._constant()
        elif self.opcode is Opcode.ACTIVATE:
            found = (*self.registers, *self.activation.words())
        else:
            found = self.registers
        return (self.opcode, *found, *[0] * (_WORDS - 1 - len(found)))

    def _constant(self) -> tuple[int, ...]:
        return words_of_int64(self.value) if isinstance(self.value, int) else (word_of_float(self.value),)

    @staticmethod
    def read(words: Sequence[int], dtype: torch.dtype) -> "Instruction":
        """The instruction of five words, on registers of `dtype`."""
        opcode = Opcode(words[0])
        if opcode is Opcode.CONSTANT:
            whole = dtype is torch.int64
            return Instruction(opcode, value=int64_of_words(*words[1:3]) if whole else float_of_word(words[1]))
        if opcode is Opcode.ACTIVATE:
            return Instruction(opcode, (words[1],), activation=Activation.read(words[2:]))
        return Instruction(opcode, tuple(words[1 : 1 + _FUNCTIONS[opcode][0]]))

    def run(self, registers: Sequence[Tensor], dtype: torch.dtype) -> Tensor:
        """Its result, in torch."""
        if self.opcode is Opcode.CONSTANT:
            return torch.tensor(self.value, dtype=dtype)
        operands = [registers[index] for index in self.registers]
        if self.opcode is Opcode.ACTIVATE:
            return activate(self.activation, *operands)
        return _FUNCTIONS[self.opcode][1](*operands).to(dtype)


@dataclass(frozen=True)
class MapProgram(OpSpec):
    """One to eight operands to an output of their broadcast sizes.

    Operand 0, when it has the sizes and dtype of the output, may be written over.

    dtype: of the registers.
    """

    operands: int
    instructions: tuple[Instruction, ...]

    dtype: ClassVar[torch.dtype]
    in_place = 0

    @classmethod
    def call(cls, opcode: Opcode, *operands: "float | None") -> Self:
        """One instruction on operands of the op, in order, those that are None, and numbers."""
        count = operands.count(None)
        numbers = [value for value in operands if value is not None]
        constants = [Instruction(Opcode.CONSTANT, value=value) for value in numbers]
        tensors, scalars = iter(range(count)), iter(range(count, len(operands)))
        registers = tuple(next(tensors if each is None else scalars) for each in operands)
        return cls(count, (*constants, Instruction(opcode, registers)))

    def as_call(self) -> "tuple[Opcode, tuple[int | float, ...]] | None":
        """The opcode and operands (numbers of inputs, or constants) that `call` would make this of, or None."""
        *constants, last = self.instructions
        if any(each.opcode is not Opcode.CONSTANT for each in constants) or last.opcode not in _FUNCTIONS:
            return None
        values = [*range(self.operands), *(each.value for each in constants)]
        return last.opcode, tuple(values[register] for register in last.registers)

    def with_operands_in(self, order: Sequence[int]) -> Self:
        """The same when operand `order[i]` is given as operand i."""
        registers = [order.index(operand) for operand in range(self.operands)]
        registers += range(self.operands, self.operands + len(self.instructions))
        moved = (
            replace(each, registers=tuple(registers[register] for register in each.registers))
            for each in self.instructions
        )
        return replace(self, instructions=tuple(moved))

    def words(self) -> tuple[int, ...]:
        flat = (word for instruction in self.instructions for word in instruction.words())
        return (self.operands, *flat)

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        starts = range(1, len(words), _WORDS)
        return cls(words[0], tuple(Instruction.read(words[at : at + _WORDS], cls.dtype) for at in starts))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == self.operands + 1 <= MAX_OPERANDS + 1, "takes one to eight operands")
        self.expect(self.operands + len(self.instructions) <= MAX_REGISTERS, "has too many registers")
        *operands, output = sizes
        rank = len(output)
        padded = [(1,) * (rank - len(each)) + tuple(each) for each in operands]
        found = tuple(_broadcast([each[dim] for each in padded]) for dim in range(rank))
        self.expect(found == output, f"operands of sizes {operands} do not give {output}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        registers = [each.to(self.dtype) for each in inputs]
        for instruction in self.instructions:
            registers.append(instruction.run(registers, self.dtype))
        outputs[0].copy_(registers[-1])


@dataclass(frozen=True)
class ElementwiseF32(MapProgram):
    """Operands of float32, bool, int64 or int32, each read as the nearest float, to float32 or bool."""

    code = 9
    dtype = torch.float32

    @staticmethod
    def of(activation: Activation) -> "ElementwiseF32":
        """One activation of one operand."""
        return ElementwiseF32(1, (Instruction(Opcode.ACTIVATE, (0,), activation=activation),))

    @property
    def activation(self) -> Activation | None:
        """The activation that this is and nothing else, or None."""
        if self.operands != 1 or len(self.instructions) != 1:
            return None
        (only,) = self.instructions
        return only.activation if only.opcode is Opcode.ACTIVATE else None

    @property
    def is_sum(self) -> bool:
        """Whether it adds its two operands and does nothing else."""
        return self == ElementwiseF32.call(Opcode.ADD, None, None)


@dataclass(frozen=True)
class ElementwiseI64(MapProgram):
    """Operands and output are of int64, int32 or bool. It knows `WHOLE_OPCODES`."""

    code = 27
    dtype = torch.int64

    def check(self, sizes: Sizes) -> None:
        super().check(sizes)
        self.expect({each.opcode for each in self.instructions} <= WHOLE_OPCODES, "computes with whole numbers only")


def _broadcast(sizes: Sequence[Any]) -> Any:
    return next((size for size in sizes if size != 1), 1)

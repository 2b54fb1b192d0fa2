"""Programs of `elementwise_f32` written as formulas."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from backends.cpu.compiler.ops.elementwise import Instruction, MapProgram, Opcode
from backends.cpu.schema.records import Activation

_Number: TypeAlias = "Expression | float"


class _Code:
    """The instructions of a formula so far."""

    def __init__(self, operands: int) -> None:
        self._operands = operands
        self.instructions: list[Instruction] = []

    def add(self, instruction: Instruction) -> "Expression":
        """The result of `instruction`, which comes next."""
        self.instructions.append(instruction)
        return Expression(self, self._operands + len(self.instructions) - 1)

    def given(self, value: _Number) -> "Expression":
        """`value`, as a constant where it is a number."""
        return value if isinstance(value, Expression) else self.add(Instruction(Opcode.CONSTANT, value=value))


class Expression:
    """A number that a program computes for each element: what is written with it becomes instructions."""

    def __init__(self, code: _Code, register: int) -> None:
        self._code = code
        self._register = register

    def apply(self, opcode: Opcode, *others: _Number) -> "Expression":
        """`opcode` of this and what else it takes."""
        operands = [self, *(self._code.given(each) for each in others)]
        return self._code.add(Instruction(opcode, tuple(each._register for each in operands)))

    def activate(self, activation: Activation) -> "Expression":
        """What `activation` makes of it."""
        return self._code.add(Instruction(Opcode.ACTIVATE, (self._register,), activation=activation))

    def where(self, yes: _Number, no: _Number) -> "Expression":
        """`yes` where this is true, else `no`."""
        return self.apply(Opcode.WHERE, yes, no)

    def exp(self) -> "Expression":
        """e to this."""
        return self.apply(Opcode.EXP)

    def log(self) -> "Expression":
        """The natural logarithm."""
        return self.apply(Opcode.LOG)

    def floor(self) -> "Expression":
        """The whole number below."""
        return self.apply(Opcode.FLOOR)

    def ceil(self) -> "Expression":
        """The whole number above."""
        return self.apply(Opcode.CEIL)

    def equals(self, other: _Number) -> "Expression":
        """Whether both are the same number."""
        return self.apply(Opcode.EQ, other)

    def __add__(self, other: _Number) -> "Expression":
        return self.apply(Opcode.ADD, other)

    def __sub__(self, other: _Number) -> "Expression":
        return self.apply(Opcode.SUB, other)

    def __mul__(self, other: _Number) -> "Expression":
        return self.apply(Opcode.MUL, other)

    def __truediv__(self, other: _Number) -> "Expression":
        return self.apply(Opcode.DIV, other)

    def __neg__(self) -> "Expression":
        return self.apply(Opcode.NEG)

    def __lt__(self, other: _Number) -> "Expression":
        return self.apply(Opcode.LT, other)

    def __gt__(self, other: _Number) -> "Expression":
        return self.apply(Opcode.GT, other)


Formula: TypeAlias = Callable[..., Expression]


def program(kind: type[MapProgram], formula: Formula, numbers: Sequence[float | None]) -> MapProgram:
    """`formula` of the op's operands, in order, where `numbers` has None, and of numbers."""
    count = len([each for each in numbers if each is None])
    code = _Code(count)
    tensors = iter(range(count))
    operands = [code.given(each) if each is not None else Expression(code, next(tensors)) for each in numbers]
    formula(*operands)
    return kind(count, tuple(code.instructions))

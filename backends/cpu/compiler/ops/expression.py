"""Builds elementwise programs from formulas in Python."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from backends.cpu.schema.elementwise import Elementwise, Instruction, InstructionF32, Opcode
from backends.cpu.schema.records import Activation

_Number: TypeAlias = "Expression | float"


class _Code:
    """Collects the instructions of a formula."""

    def __init__(self, kind: type[Elementwise], operands: int) -> None:
        self._operands = operands
        self.instruction = kind.instruction
        self.instructions: list[Instruction] = []

    def add(self, instruction: Instruction) -> "Expression":
        """Append `instruction` and return its result."""
        self.instructions.append(instruction)
        return Expression(self, self._operands + len(self.instructions) - 1)

    def given(self, value: _Number) -> "Expression":
        """Return `value` as an expression. A number becomes a constant."""
        return value if isinstance(value, Expression) else self.add(self.instruction.constant(value))


class Expression:
    """A value that a program computes for each element.

    Its operators append instructions.
    """

    def __init__(self, code: _Code, register: int) -> None:
        self._code = code
        self._register = register

    def apply(self, opcode: Opcode, *others: _Number) -> "Expression":
        """Return the result of `opcode` for this value and `others`."""
        operands = [self, *(self._code.given(each) for each in others)]
        return self._code.add(self._code.instruction.of(opcode, *(each._register for each in operands)))

    def activate(self, activation: Activation) -> "Expression":
        """Apply `activation`."""
        return self._code.add(InstructionF32.activate(self._register, activation))

    def where(self, yes: _Number, no: _Number) -> "Expression":
        """Return `yes` if this value is true and `no` otherwise."""
        return self.apply(Opcode.WHERE, yes, no)

    def exp(self) -> "Expression":
        """Return the exponential function."""
        return self.apply(Opcode.EXP)

    def log(self) -> "Expression":
        """Return the natural logarithm."""
        return self.apply(Opcode.LOG)

    def floor(self) -> "Expression":
        """Round toward negative infinity."""
        return self.apply(Opcode.FLOOR)

    def ceil(self) -> "Expression":
        """Round toward positive infinity."""
        return self.apply(Opcode.CEIL)

    def equals(self, other: _Number) -> "Expression":
        """Return 1 if both values are equal; otherwise, 0."""
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


def program(kind: type[Elementwise], formula: Formula, numbers: Sequence[float | None]) -> Elementwise:
    """Return the op that computes `formula`.

    kind: type of the op.
    numbers: arguments of the formula. Each None is replaced by the next input.
    """
    count = len([each for each in numbers if each is None])
    code = _Code(kind, count)
    tensors = iter(range(count))
    operands = [code.given(each) if each is not None else Expression(code, next(tensors)) for each in numbers]
    formula(*operands)
    return kind.make(count, code.instructions)

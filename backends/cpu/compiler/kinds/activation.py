"""What a fused step applies to each element that it computes."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import inf

import torch
import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.kinds.words import float_of_word, word_of_float


class Function(IntEnum):
    """Activation functions, by their numbers in payloads."""

    NONE = 0
    CLAMP = 1
    GELU = 2
    GELU_TANH = 3
    SILU = 4
    HARDSWISH = 5
    SIGMOID = 6
    TANH = 7
    HARDSIGMOID = 8
    LEAKY_RELU = 9
    ELU = 10


_PLAIN = {
    Function.NONE: lambda x: x,
    Function.GELU: F.gelu,
    Function.GELU_TANH: lambda x: F.gelu(x, approximate="tanh"),
    Function.SILU: F.silu,
    Function.HARDSWISH: F.hardswish,
    Function.SIGMOID: torch.sigmoid,
    Function.TANH: torch.tanh,
    Function.HARDSIGMOID: F.hardsigmoid,
}


@dataclass(frozen=True)
class Activation:
    """A function of one number; `low` and `high` are its parameters where it has any."""

    function: Function = Function.NONE
    low: float = 0.0
    high: float = 0.0

    def words(self) -> tuple[int, ...]:
        """As the payload has it."""
        return (int(self.function), word_of_float(self.low), word_of_float(self.high))

    @staticmethod
    def read(words: Sequence[int]) -> "Activation":
        """The activation of three words."""
        return Activation(Function(words[0]), float_of_word(words[1]), float_of_word(words[2]))

    def __call__(self, x: Tensor) -> Tensor:
        match self.function:
            case Function.CLAMP:
                return x.clamp(self.low, self.high)
            case Function.LEAKY_RELU:
                return F.leaky_relu(x, self.low)
            case Function.ELU:
                return F.elu(x, self.low)
        return _PLAIN[self.function](x)


NONE = Activation()
RELU = Activation(Function.CLAMP, 0.0, inf)

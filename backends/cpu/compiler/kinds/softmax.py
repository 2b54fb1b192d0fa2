"""`softmax`: rows of probabilities, or their logarithms."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.kinds.operation import Operation, Sizes


@dataclass(frozen=True)
class Softmax(Operation):
    """x [..., N] to an output of its sizes, over the last dimension."""

    logarithm: bool = False

    code = 11
    in_place = 0

    def words(self) -> tuple[int, ...]:
        return (int(self.logarithm),)

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(bool(words[0]))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 2 and sizes[0] == sizes[1], "takes one input, gives one output of its sizes")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        function = F.log_softmax if self.logarithm else F.softmax
        outputs[0].copy_(function(inputs[0], -1))

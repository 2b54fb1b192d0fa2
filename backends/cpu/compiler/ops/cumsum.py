"""`cumsum`: running sums over the middle one of three dims."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from backends.cpu.compiler.ops.spec import NoAttributes, Sizes


@dataclass(frozen=True)
class Cumsum(NoAttributes):
    """x [outer, count, columns] of floats, or of whole numbers or bools, to as many floats or int64."""

    code = 41

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 2, "takes one input, gives one output")
        x, y = sizes
        self.expect(len(x) == 3 and x == y, f"{x} does not become {y}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        outputs[0].copy_(inputs[0].cumsum(1))

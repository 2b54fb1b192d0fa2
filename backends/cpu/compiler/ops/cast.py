"""`cast`: numbers of one dtype as those of another."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from backends.cpu.compiler.dims import product
from backends.cpu.compiler.ops.spec import NoAttributes, Sizes

# Numbers of two bytes, which are computed with as floats.
HALVES = (torch.float16, torch.bfloat16)


@dataclass(frozen=True)
class Cast(NoAttributes):
    """x to y of as many elements: of `HALVES` to floats, or floats to one of them, or to int64 or int32."""

    code = 32

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 2, "takes one input, gives one output")
        self.expect(product(sizes[0]) == product(sizes[1]), f"{sizes[0]} and {sizes[1]} differ")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        outputs[0].copy_(inputs[0].reshape(outputs[0].shape))

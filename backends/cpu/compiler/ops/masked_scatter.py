"""`masked_scatter`: elements that a mask selects take those of a source in turn."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from backends.cpu.compiler.dims import product
from backends.cpu.compiler.ops.spec import NoAttributes, Sizes


@dataclass(frozen=True)
class MaskedScatter(NoAttributes):
    """x of any dtype, a boolean mask of as many elements, and a source of x's dtype, to the changed x.

    A mask that selects more elements than the source has ends the call.
    """

    code = 50
    in_place = 0

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 4, "takes three inputs, gives one output")
        x, mask, _, y = sizes
        self.expect(x == y, f"{x} does not become {y}")
        self.expect(product(x) == product(mask), f"a mask of {mask} is not one of {x}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, mask, source = inputs
        outputs[0].copy_(x.masked_scatter(mask.view(x.shape), source))

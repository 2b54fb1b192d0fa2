"""`block`: expand, filter each channel, project: in strips, so that what lies between never leaves the cache."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from torch import Tensor

from backends.cpu.compiler.dims import Dim
from backends.cpu.compiler.kinds.convolution import Convolution
from backends.cpu.compiler.kinds.depthwise import Depthwise
from backends.cpu.compiler.kinds.operation import Operation, Sizes
from backends.cpu.compiler.kinds.product import Product
from backends.cpu.compiler.packing import WIDTH

_EXPAND_WORDS = 15
_FILTER_WORDS = 13
# Of the inputs: x, then weight and bias of each of the three, then perhaps a residual.
WEIGHTS = 6


@dataclass(frozen=True)
class Block(Operation):
    """x, and the weights of all three, optional residual to [B, Ho, Wo, N].

    rows: of the filtered picture, that are made and projected at once. The workspace has a row a thread.
    """

    rows: int
    expand: Convolution
    filter: Depthwise
    project: Product

    code = 5

    @property
    def ring(self) -> int:
        """Rows of the expanded picture that those of a strip need."""
        window = self.filter.window
        return (self.rows - 1) * window.stride[0] + (window.kernel[0] - 1) * window.dilation[0] + 1

    def workspace(self, width: Dim, filtered_width: Dim, channels: int) -> Dim:
        """Numbers that a thread needs: rows of the expanded and of the filtered picture."""
        return (self.ring * width + self.rows * filtered_width) * (-(-channels // WIDTH) * WIDTH)

    def words(self) -> tuple[int, ...]:
        return (self.rows, *self.expand.words(), *self.filter.words(), *self.project.words())

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        expand, rest = words[1 : 1 + _EXPAND_WORDS], words[1 + _EXPAND_WORDS :]
        filtering, project = rest[:_FILTER_WORDS], rest[_FILTER_WORDS:]
        return cls(words[0], Convolution.read(expand), Depthwise.read(filtering), Product.read(project))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) in (9, 10), "takes seven or eight inputs and a workspace, gives one output")
        x, y = sizes[0], sizes[-2]
        self.expect(len(x) == len(y) == 4 and x[0] == y[0], f"{x} and {y} are no pictures of one batch")
        self.expect(len(sizes) == 9 or sizes[7] == y, "the residual is of another size than the output")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, expand, expand_bias, taps, tap_bias, project, bias, *residual = inputs
        batch, height, width, _ = outputs[0].shape
        channels = taps.shape[0] * WIDTH
        before = self._expanded_size(x)
        expanded = x.new_empty(batch, *before, channels)
        filtered = x.new_empty(batch, height, width, channels)
        self.expand.run([x, expand, expand_bias], [expanded], [])
        self.filter.run([expanded, taps, tap_bias], [filtered], [])
        self.project.run([filtered[..., : project.shape[1]], project, bias, *residual], outputs, [])

    def _expanded_size(self, x: Tensor) -> tuple[int, int]:
        window = self.expand.window
        first = 2 if self.expand.planes else 1
        return window.output_size((x.shape[first], x.shape[first + 1]))

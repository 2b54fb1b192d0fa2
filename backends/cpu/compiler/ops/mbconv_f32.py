"""`mbconv_f32`: expand, filter each channel, project: in strips, so that what lies between never leaves the cache."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from torch import Tensor

from backends.cpu.compiler.dims import Dim
from backends.cpu.compiler.ops.conv_f32 import ConvF32
from backends.cpu.compiler.ops.dwconv_f32 import DwconvF32
from backends.cpu.compiler.ops.reference import evaluate
from backends.cpu.compiler.ops.spec import OpSpec, Sizes
from backends.cpu.compiler.packing import WIDTH
from backends.cpu.schema.gemm import GemmF32

_EXPAND_WORDS = 15
_FILTER_WORDS = 13
_PART_WORDS = 31
# Weight and bias of each of the three of a part.
WEIGHTS = 6
# Most parts of a block (`ET_CPU_CHAINED_BLOCKS` of ops/block.h).
MOST_PARTS = 4


@dataclass(frozen=True)
class Part:
    """What expands, what filters each channel, what projects. All parts but the first expand products."""

    expand: ConvF32
    filter: DwconvF32
    project: GemmF32

    def ring(self, rows: int) -> int:
        """Rows of the expanded picture that so many filtered ones need."""
        window = self.filter.window
        return (rows - 1) * window.stride[0] + (window.kernel[0] - 1) * window.dilation[0] + 1

    def workspace(self, rows: int, width: Dim, filtered_width: Dim, channels: int) -> Dim:
        """Numbers that a thread needs for so many rows at once: of the expanded and of the filtered picture."""
        return (self.ring(rows) * width + rows * filtered_width) * (-(-channels // WIDTH) * WIDTH)

    def words(self) -> tuple[int, ...]:
        """Its attributes."""
        return (*self.expand.words(), *self.filter.words(), *self.project.words())

    @staticmethod
    def read(words: Sequence[int]) -> "Part":
        """The part of attributes that `words` gave."""
        expand, rest = words[:_EXPAND_WORDS], words[_EXPAND_WORDS:]
        filtering, project = rest[:_FILTER_WORDS], rest[_FILTER_WORDS:]
        return Part(ConvF32.read(expand), DwconvF32.read(filtering), GemmF32.read(project))

    def run(self, x: Tensor, weights: Sequence[Tensor], residual: Sequence[Tensor], out: Tensor) -> None:
        """Compute `out`."""
        expand, expand_bias, taps, tap_bias, project, bias = weights
        channels = taps.shape[0] * WIDTH
        expanded = x.new_empty(len(x), *self._expanded_size(x), channels)
        filtered = x.new_empty(*out.shape[:3], channels)
        evaluate(self.expand, [x, expand, expand_bias], [expanded], [])
        evaluate(self.filter, [expanded, taps, tap_bias], [filtered], [])
        evaluate(self.project, [filtered[..., : project.shape[1]], project, bias, *residual], [out], [])

    def output_size(self, x: Tensor) -> tuple[int, int]:
        """Height and width of what it makes of `x`."""
        return self.filter.window.output_size(self._expanded_size(x))

    def _expanded_size(self, x: Tensor) -> tuple[int, int]:
        first = 2 if self.expand.planes else 1
        return self.expand.window.output_size((x.shape[first], x.shape[first + 1]))


@dataclass(frozen=True)
class MbconvF32(OpSpec):
    """x, and the weights of all three of each part, optional residual to [B, Ho, Wo, N].

    rows: of the last filtered picture, that are made and projected at once. The workspace has a row a thread.
    parts: of which each reads what the one before makes, row by row.
    """

    rows: int
    parts: tuple[Part, ...]

    code = 5

    @property
    def ring(self) -> int:
        """Rows of the last expanded picture that those of a strip need."""
        return self.parts[-1].ring(self.rows)

    @property
    def without_residual(self) -> int:
        """Inputs of a block that adds nothing."""
        return 1 + WEIGHTS * len(self.parts)

    def words(self) -> tuple[int, ...]:
        return (self.rows, *(word for part in self.parts for word in part.words()))

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        starts = range(1, len(words), _PART_WORDS)
        return cls(words[0], tuple(Part.read(words[start : start + _PART_WORDS]) for start in starts))

    def check(self, sizes: Sizes) -> None:
        inputs = len(sizes) - 2
        self.expect(1 <= len(self.parts) <= MOST_PARTS, f"has 1 to {MOST_PARTS} parts")
        self.expect(
            inputs - self.without_residual in (0, 1),
            f"takes {self.without_residual} inputs or one more, and a workspace",
        )
        x, y = sizes[0], sizes[-2]
        self.expect(len(x) == len(y) == 4 and x[0] == y[0], f"{x} and {y} are no pictures of one batch")
        self.expect(
            inputs == self.without_residual or sizes[-3] == y, "the residual is of another size than the output"
        )

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x = inputs[0]
        weights = [inputs[start : start + WEIGHTS] for start in range(1, self.without_residual, WEIGHTS)]
        for part, own, following in zip(self.parts, weights, weights[1:]):
            made = x.new_empty(len(x), *part.output_size(x), following[0].shape[2])
            part.run(x, own, [], made)
            x = made
        self.parts[-1].run(x, weights[-1], inputs[self.without_residual :], outputs[0])

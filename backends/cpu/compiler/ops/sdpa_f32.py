"""`sdpa_f32`: softmax(scale * q k^T + mask) v for heads that lie side by side in rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.dims import Dim
from backends.cpu.compiler.ops.spec import OpSpec, Sizes
from backends.cpu.compiler.packing import WIDTH
from backends.cpu.schema.words import float_of_word, word_of_float

# Keys that are worked on together, and room for scores (`microkernels/sdpa.h`).
_KEYS = 512
_SCORES = 6144

Offsets = tuple[int, int, int]


@dataclass(frozen=True)
class SdpaF32(OpSpec):
    """q [B, S, ...], k and v [B, T, ...] or [B, groups, T, ...], optional mask [1 or B, 1 or heads, 1 or S, T] to [B, S, heads * width].

    k and v are floats, or both of one dtype of two bytes.
    groups: of heads that share keys and values.
    offsets: where in rows of q, k and v the first head begins.
    causal: query i sees keys up to `dims[0]` + i.
    """

    heads: int
    groups: int
    depth: int
    causal: bool
    scale: float
    offsets: Offsets = (0, 0, 0)

    code = 14

    def workspace(self, queries: Dim, width: int, is_half: bool) -> Dim:
        """Numbers that a thread needs: keys and values in panels, scores, maxima and sums; of halves, those as floats."""
        padded = -(-width // WIDTH) * WIDTH
        widened = self.depth + width if is_half else 0
        return _KEYS * (self.depth + padded + widened) + _SCORES + 2 * queries * (self.heads // self.groups)

    def words(self) -> tuple[int, ...]:
        return (
            self.heads,
            self.groups,
            self.depth,
            *self.offsets,
            int(self.causal),
            word_of_float(self.scale),
        )

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        heads, groups, depth, q, k, v, causal, scale = words
        return cls(heads, groups, depth, bool(causal), float_of_word(scale), (q, k, v))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) in (5, 6), "takes three or four inputs, gives one output, has one workspace")
        q, y = sizes[0], sizes[-2]
        k, v = ((each[0], *each[-2:]) for each in sizes[1:3])
        self.expect(q[:2] == y[:2] and k[:2] == v[:2] and q[0] == k[0], f"rows of {q}, {k}, {v} do not give {y}")
        self.expect(y[2] % self.heads == 0 and self.heads % self.groups == 0, f"heads do not divide {y}")
        self.expect(len(sizes) == 5 or sizes[3][3] == k[1], f"a mask {sizes[3]} is not of {k[1]} keys")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        q, k, v, *masks = (each.float() for each in inputs)
        width = outputs[0].shape[-1] // self.heads
        counts = ((self.heads, self.depth), (self.groups, self.depth), (self.groups, width))
        query, key, value = (
            _heads(x[..., offset:], heads, size)
            for x, offset, (heads, size) in zip((q, k, v), self.offsets, counts, strict=True)
        )
        mask = self._mask(masks, q.shape[1], k.shape[-2], dims[0])
        y = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=self.scale, enable_gqa=True)
        outputs[0].copy_(y.transpose(1, 2).flatten(2))

    def _mask(self, masks: Sequence[Tensor], queries: int, keys: int, position: int) -> Tensor:
        mask = masks[0] if masks else torch.zeros(queries, keys)
        if not self.causal:
            return mask
        hidden = torch.ones(queries, keys, dtype=torch.bool).triu(position + 1)
        return mask.masked_fill(hidden, float("-inf"))


def _heads(x: Tensor, heads: int, size: int) -> Tensor:
    """[B, heads, rows, size], of heads side by side or each in rows of its own."""
    if x.dim() == 4:
        return x[..., :size]
    return x[..., : heads * size].unflatten(-1, (heads, size)).transpose(1, 2)

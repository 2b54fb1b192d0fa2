"""`gemm_qd8_qbw`: x [..., K], whose rows become bytes by their own ranges, times a constant matrix of few bits, plus bias."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.ops.activation import activate
from backends.cpu.compiler.ops.gemm_f32_qbw import FewBits
from backends.cpu.compiler.ops.spec import Sizes
from backends.cpu.compiler.packing import dequantized_panels
from exir.dialects.quantized_weight_ops import quantized_rows

MOST_GROUP = 512


@dataclass(frozen=True)
class GemmQd8Qbw(FewBits):
    """x, words, scales, bias and zero points as `gemm_f32_qbw` has them, sums to [..., N]: with 8 bits of a group's codes,
    [ceil(N / 16), groups, 16], with 4 of a column's weights, as the bias. A group has at most `MOST_GROUP` codes."""

    code = 19

    def check(self, sizes: Sizes) -> None:
        count = 6 if self.shift else 5
        self.expect(len(sizes) == count + 1, f"takes {count} inputs, gives one output")
        self.expect(sizes[0][:-1] == sizes[-1][:-1], f"rows of {sizes[0]} and {sizes[-1]} differ")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, packed, scales, bias, *others = inputs
        n = outputs[0].shape[-1]
        points = others[0] if self.shift else None
        weight = dequantized_panels(packed, scales, points, n, self.bits)
        outputs[0].copy_(activate(self.activation, F.linear(quantized_rows(x), weight, bias.flatten()[:n])))

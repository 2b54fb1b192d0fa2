"""Linear layers with low-bit weights."""

import torch
from torch import Tensor, nn

import exir.dialects.quantized_weight_ops  # noqa: F401  (registers the operator used below)
from exir.weights.quantized_weights import packed

LIMITS = {2: (-2, 1), 4: (-8, 7), 8: (-128, 127)}


class Weight(nn.Module):
    """A matrix of 2-bit, 4-bit or 8-bit values, with scales and optional zero points."""

    def __init__(self, bits: int, rows: int, columns: int, groups: int, shifted: bool) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(bits)
        low, high = LIMITS[bits]
        codes = torch.randint(low, high + 1, (rows, columns), generator=generator).to(torch.int8)
        self.register_buffer("codes", packed(codes, bits))
        self.register_buffer("scales", torch.rand(rows, groups, generator=generator) / (8 * high))
        points = torch.randint(low, high + 1, (rows, groups), generator=generator).float()
        self.register_buffer("points", points if shifted else None)
        self.bits = bits

    @property
    def parts(self) -> tuple[Tensor, Tensor, Tensor | None]:
        return self.codes, self.scales, self.points


class Layer(Weight):
    bias: Tensor | None

    def __init__(self, bits: int, rows: int, columns: int, groups: int, shifted: bool, bias: bool) -> None:
        super().__init__(bits, rows, columns, groups, shifted)
        self.register_buffer("bias", torch.randn(rows) if bias else None)

    def forward(self, x: Tensor) -> Tensor:
        return torch.ops.quantized_weight.linear(x, *self.parts, self.bias, self.bits)

"""Networks: convolutions, recurrence, attention, dtypes and dynamic sizes.

Programs that the official exporter lowered for XNNPACK are portable here.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.export import Dim

from tests.oracle.rebuilt.rebuilt import Make, Rebuilt, rebuild
from tests.oracle.rebuilt.tutorial import SimpleConv


class _Upsampling(nn.Module):
    """Transposed convolution, interpolation, padding, pixel shuffle."""

    def __init__(self) -> None:
        super().__init__()
        self.rise = nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1, output_padding=1)
        self.row = nn.Conv1d(3, 5, 3)

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        y = self.rise(x)
        nearest = nn.functional.interpolate(y, scale_factor=2, mode="nearest")
        bilinear = nn.functional.interpolate(y, size=(9, 7), mode="bilinear", align_corners=False)
        padded = nn.functional.pad(y, (1, 2, 0, 1), value=3.0)
        return nearest, bilinear, self.row(y.flatten(2)), padded, nn.functional.pixel_shuffle(x, 2)


class _Lstm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(8, 16, 2, batch_first=True)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        outputs, (hidden, cell) = self.lstm(x)
        return outputs, hidden, cell


class _Dtypes(nn.Module):
    def forward(
        self, half: Tensor, brain: Tensor, double: Tensor, int8: Tensor, uint8: Tensor, int16: Tensor, int32: Tensor
    ) -> tuple[Tensor, ...]:
        floating = half * 2 + 1, brain.float() + 1, brain @ brain.t(), double.sin() + 1
        integers = int8 + 1, uint8 // 2, int16 * 3
        return *floating, *integers, int32.to(torch.float64), half.to(torch.bfloat16), half @ half.t()


class _NonZero(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.nonzero(x > 0)


class _Square(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * x


def mlp(*widths: int) -> nn.Sequential:
    """Return two linear layers with a ReLU between them."""
    first, hidden, last = widths
    return nn.Sequential(nn.Linear(first, hidden), nn.ReLU(), nn.Linear(hidden, last)).eval()


def _channels_last() -> Rebuilt:
    order = torch.channels_last
    module = SimpleConv().to(memory_format=order)  # type: ignore[call-overload]
    return rebuild(module, (torch.randn(1, 3, 16, 16).to(memory_format=order),))


def _pooled() -> Rebuilt:
    layers = [nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU6(), nn.MaxPool2d(2)]
    layers += [nn.Conv2d(8, 8, 3, groups=8, padding=1), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return rebuild(nn.Sequential(*layers, nn.Linear(8, 10), nn.Softmax(-1)), (torch.randn(2, 3, 32, 32),))


def _encoder() -> Rebuilt:
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, norm_first=True, activation="gelu")
    # Disable PyTorch's fused inference operator.
    torch.backends.mha.set_fastpath_enabled(False)
    return rebuild(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), (torch.randn(2, 10, 32),))


def _dynamic_mlp() -> Rebuilt:
    module = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4))
    return rebuild(module, (torch.randn(4, 8),), ({0: Dim("batch", min=1, max=32)},))


def _dtypes() -> Rebuilt:
    floating = torch.randn(3, 4).half(), torch.randn(3, 4).bfloat16(), torch.randn(3).double()
    limits = {torch.int8: 9, torch.uint8: 200, torch.int16: 99, torch.int32: 99}
    return rebuild(
        _Dtypes(), (*floating, *(torch.randint(0, limit, (4,), dtype=dtype) for dtype, limit in limits.items()))
    )


def _nonzero() -> Rebuilt:
    """Build a program with `nonzero`; the official runtime returns a different result."""
    module = _NonZero()
    return replace(rebuild(module, (torch.randn(3, 4),)), eager={"forward": module})


def _half_mlp() -> Rebuilt:
    module = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4)).half()
    return rebuild(module, (torch.randn(2, 16).half(),))


PROGRAMS: dict[str, Make] = {
    "conv_channels_last": _channels_last,
    "conv_bn_relu_pool_xnn": _pooled,
    "convt_upsample": lambda: rebuild(_Upsampling(), (torch.randn(1, 4, 6, 5),)),
    "lstm": lambda: rebuild(_Lstm(), (torch.randn(2, 5, 8),)),
    "transformer_encoder_xnn": _encoder,
    "dyn_mlp": _dynamic_mlp,
    "dyn_mlp_xnn": _dynamic_mlp,
    "dyn_nonzero": _nonzero,
    "dtypes_mixed": _dtypes,
    "noconst_mul": lambda: rebuild(_Square(), (torch.randn(2, 16),)),
    "mlp_fp16_portable": _half_mlp,
    "mlp_fp16_xnn": _half_mlp,
    "bundled_linear_plain": lambda: rebuild(nn.Linear(4, 3), (torch.randn(2, 4),)),
}

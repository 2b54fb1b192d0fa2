"""Layers of image networks: convolution, inverted residual, pooling, resizing."""

from __future__ import annotations

import random

import torch.nn.functional as F
from torch import Tensor, nn

from tests.random_networks.network import Family, Shape, Step, layer, one_of


class SqueezeExcite(nn.Module):
    def __init__(self, channels: int, inner: int) -> None:
        super().__init__()
        self.reduce, self.expand = nn.Conv2d(channels, inner, 1), nn.Conv2d(inner, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        return x * F.hardsigmoid(self.expand(F.relu(self.reduce(F.adaptive_avg_pool2d(x, 1)))))


class InvertedResidual(nn.Module):
    """Inverted residual: expand, depthwise filter, project; adds x if `residual`."""

    def __init__(self, channels: int, factor: int, kernel: int, activation: str, residual: bool) -> None:
        super().__init__()
        inner = channels * factor
        made = getattr(nn, activation)
        self.residual = residual
        self.layers = nn.Sequential(
            nn.Conv2d(channels, inner, 1, bias=False),
            nn.BatchNorm2d(inner),
            made(),
            nn.Conv2d(inner, inner, kernel, 1, kernel // 2, groups=inner, bias=False),
            nn.BatchNorm2d(inner),
            made(),
            nn.Conv2d(inner, channels, 1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.layers(x) if self.residual else self.layers(x)


_IMAGE_EXPRESSIONS = (
    *("F.max_pool2d({0}, 2)", "F.max_pool2d({0}, 3, 1, 1)", "F.max_pool2d({0}, (3, 2), 2, 1, ceil_mode=True)"),
    *("F.avg_pool2d({0}, 2)", "F.avg_pool2d({0}, 3, 1, 1, count_include_pad=False)", "F.avg_pool2d({0}, 3, 2)"),
    *(
        "F.avg_pool2d({0}, 3, 2, 1, ceil_mode=True)",
        "F.adaptive_avg_pool2d({0}, (3, 2))",
        "F.adaptive_max_pool2d({0}, 2)",
    ),
    *("F.adaptive_avg_pool2d({0}, 1)", "F.lp_pool2d({0}.abs() + 0.1, 2, 2)", "{0} + {0}.mean((2, 3), keepdim=True)"),
    *("F.interpolate({0}, scale_factor=2, mode='nearest')", "F.interpolate({0}, scale_factor=2, mode='bilinear')"),
    *(
        "F.interpolate({0}, size=(7, 9), mode='bilinear', align_corners=True)",
        "F.interpolate({0}, size=(6, 11), mode='bicubic')",
    ),
    *("F.interpolate({0}, scale_factor=1.5, mode='bilinear')", "F.interpolate({0}, size=(5, 8), mode='area')"),
    *(
        "F.pad({0}, (1, 2, 0, 1))",
        "F.pad({0}, (1, 1, 1, 1), mode='reflect')",
        "F.pad({0}, (1, 2, 0, 1), mode='replicate')",
    ),
    *(
        "F.pad({0}, (1, 1, 1, 0), mode='circular')",
        "torch.roll({0}, (1, -1), (2, 3))",
        "{0}[:, :, 1:]",
        "{0}[:, :, :, :-1]",
    ),
    *("{0}.transpose(2, 3)", "{0}.permute(0, 1, 3, 2)", "torch.cumsum({0}, 2)", "{0}.amax(1, keepdim=True) + {0}"),
    *(
        "{0}.var((2, 3), keepdim=True) + {0}",
        "{0}.contiguous(memory_format=torch.channels_last)",
        "torch.cat([{0}, {0}], 2)",
    ),
    *(
        "{0}.to(memory_format=torch.contiguous_format)",
        "{0}.permute(0, 2, 3, 1).permute(0, 3, 1, 2)",
        "F.pixel_unshuffle({0}, 1)",
    ),
    *(
        "{0}.permute(0, 2, 3, 1).flatten(1, 2).transpose(1, 2).reshape({0}.shape)",
        "F.unfold({0}, 1).reshape({0}.shape) + {0}",
    ),
    *(
        "F.fold(F.unfold({0}, 3, padding=1), {0}.shape[2:], 3, padding=1)",
        "F.local_response_norm({0}, 3)",
        "{0}.rot90(1, (2, 3))",
    ),
    *(
        "F.grid_sample({0}, F.affine_grid({0}.new_tensor([[[0.8, 0.1, 0.0], [-0.1, 0.9, 0.1]]]).expand({0}.shape[0], 2, 3), [{0}.shape[0], 1, 5, 6], align_corners=False), align_corners=False)",
    ),
)


def _convolution(rng: random.Random, shape: Shape) -> Step | None:
    if len(shape) != 4:
        return None
    channels = shape[1]
    groups = rng.choice([divisor for divisor in (1, 1, 1, 2, channels) if channels % divisor == 0])
    out = channels * rng.choice([1, 1, 2]) if groups == channels else groups * rng.randint(1, 9)
    kernel = (rng.choice([1, 2, 3, 3, 5]), rng.choice([1, 3, 3]))
    options = f"stride={rng.choice([1, 1, 2, (2, 1)])}, groups={groups}, bias={rng.random() < 0.7}"
    if rng.random() < 0.15:
        return layer(f"nn.ConvTranspose2d({channels}, {out}, {kernel}, padding={rng.choice([0, 1])}, {options})")
    padding, dilation = rng.choice([0, 1, 1, (0, 1), 2]), rng.choice([1, 1, 1, 2])
    conv = f"nn.Conv2d({channels}, {out}, {kernel}, padding={padding}, dilation={dilation}, {options})"
    after = [f"nn.BatchNorm2d({out})"] if rng.random() < 0.3 else []
    after += rng.choice([[], [], ["nn.ReLU()"], ["nn.ReLU6()"], ["nn.Hardtanh(-0.2, 0.3)"], ["nn.SiLU()"]])
    return layer(f"nn.Sequential({', '.join([conv, *after])})")


def _image_layer(rng: random.Random, shape: Shape) -> Step | None:
    if len(shape) != 4:
        return None
    channels = shape[1]
    groups = rng.choice([divisor for divisor in (1, 2, 4, channels) if channels % divisor == 0])
    activation = rng.choice(["ReLU6", "Hardswish", "SiLU", "ReLU"])
    layers = [
        f"images.InvertedResidual({channels}, {rng.choice([1, 3, 6])}, {rng.choice([3, 5])}, '{activation}', {rng.random() < 0.6})",
        f"images.SqueezeExcite({channels}, {max(1, channels // 4)})",
        f"nn.GroupNorm({groups}, {channels})",
        f"nn.InstanceNorm2d({channels}, affine=True)",
        f"nn.BatchNorm2d({channels})",
        f"nn.PReLU({channels})",
        f"nn.ChannelShuffle({groups})",
        f"nn.Linear({shape[-1]}, {rng.choice([3, 8, 16])})",
    ]
    return layer(rng.choice(layers + [layers[0]] * 3 + (["nn.PixelShuffle(2)"] if channels % 4 == 0 else [])))


FAMILY: Family = [(4, _convolution), (2.5, _image_layer), (2.5, one_of(_IMAGE_EXPRESSIONS, (4,)))]

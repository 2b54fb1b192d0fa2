"""Quantized networks, in the form that converters of trained networks export.

Between quantized tensors, operators compute in float on dequantized values.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
import torch.ao.quantization.fx._decomposed  # registers the operators used below
import torch.nn.functional as F
from torch import Tensor, nn

_OPS = torch.ops.quantized_decomposed
_CODES = {torch.int8: (-128, 127), torch.uint8: (0, 255)}


class Affine(nn.Module):
    """Quantizes a tensor, q = round(x / scale) + zero_point, and dequantizes it."""

    def __init__(self, example: Tensor, dtype: torch.dtype) -> None:
        super().__init__()
        low, high = min(float(example.min()), 0.0), max(float(example.max()), 1e-3)
        self.scale = (high - low) / 255
        self.codes = _CODES[dtype]
        self.zero_point = self.codes[0] - round(low / self.scale)
        self.dtype = dtype

    def forward(self, x: Tensor) -> Tensor:
        parameters = self.scale, self.zero_point, *self.codes, self.dtype
        return _OPS.dequantize_per_tensor(_OPS.quantize_per_tensor(x, *parameters), *parameters)


class Weight(nn.Module):
    """An int8 weight with a scale per row, or per tensor."""

    def __init__(self, weight: Tensor, per_channel: bool) -> None:
        super().__init__()
        flat = weight.detach().reshape(weight.shape[0] if per_channel else 1, -1)
        scales = flat.abs().amax(1) / 127
        self.register_buffer(
            "codes", (flat / scales[:, None]).round().to(torch.int8).reshape(weight.shape)
        )
        self.scale = None if per_channel else float(scales)
        if per_channel:
            self.register_buffer("scales", scales)
            self.register_buffer("zero_points", torch.zeros(len(scales), dtype=torch.int64))

    def forward(self) -> Tensor:
        if self.scale is not None:
            return _OPS.dequantize_per_tensor(self.codes, self.scale, 0, -127, 127, torch.int8)
        return _OPS.dequantize_per_channel(
            self.codes, self.scales, self.zero_points, 0, -127, 127, torch.int8
        )


class Layer(nn.Module):
    """A convolution or linear layer with an int8 weight."""

    def __init__(self, layer: nn.Conv2d | nn.Conv3d | nn.Linear, per_channel: bool) -> None:
        super().__init__()
        self.layer = layer
        self.weight = Weight(layer.weight, per_channel)
        layer.register_parameter("weight", None)

    def forward(self, x: Tensor) -> Tensor:
        layer, weight = self.layer, self.weight()
        if isinstance(layer, nn.Linear):
            return F.linear(x, weight, layer.bias)
        convolve = F.conv3d if isinstance(layer, nn.Conv3d) else F.conv2d
        return convolve(x, weight, layer.bias, layer.stride, layer.padding, layer.dilation, layer.groups)


class Residual(nn.Module):
    """A residual block: the input plus the result of the body."""

    def __init__(self, *body: nn.Module) -> None:
        super().__init__()
        self.body = nn.Sequential(*body)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.body(x)


@dataclass(frozen=True)
class Recipe:
    """The dtype of activations, and whether each row of a weight has a scale."""

    dtype: torch.dtype = torch.int8
    per_channel: bool = True


def quantized(network: nn.Sequential, x: Tensor, recipe: Recipe = Recipe()) -> nn.Sequential:
    """Quantize `network` with ranges measured on `x`. Modifies `network`."""
    with torch.no_grad():
        return nn.Sequential(Affine(x, recipe.dtype), *_convert_network(network, x, recipe)).eval()


def _convert_network(network: nn.Sequential, x: Tensor, recipe: Recipe) -> Iterator[nn.Module]:
    for group in _with_activations(list(network)):
        layers = nn.Sequential(*(_quantize_layer(layer, x, recipe) for layer in group))
        x = layers(x)
        yield layers
        yield Affine(x, recipe.dtype)


def _with_activations(layers: Sequence[nn.Module]) -> Iterator[Sequence[nn.Module]]:
    """Yield each layer with the activation that follows it."""
    for place, layer in enumerate(layers):
        after = layers[place + 1 : place + 2]
        if not isinstance(layer, (nn.ReLU, nn.ReLU6)):
            yield [layer, *(layer for layer in after if isinstance(layer, (nn.ReLU, nn.ReLU6)))]


def _quantize_layer(layer: nn.Module, x: Tensor, recipe: Recipe) -> nn.Module:
    if isinstance(layer, Residual):
        return Residual(*_convert_network(layer.body, x, recipe))
    if isinstance(layer, (nn.Conv2d, nn.Conv3d, nn.Linear)):
        return Layer(layer, recipe.per_channel)
    return layer


def mlp() -> tuple[nn.Sequential, Tensor]:
    """Return three linear layers, and an input."""
    layers = nn.Linear(20, 33), nn.ReLU(), nn.Linear(33, 40), nn.ReLU(), nn.Linear(40, 10)
    return nn.Sequential(*layers), torch.randn(7, 20)


def cnn() -> tuple[nn.Sequential, Tensor]:
    """Return a CNN with all kinds of convolutions, a residual block and a head.

    The second result is a batch of images.
    """
    block = (
        nn.Conv2d(16, 48, 1),
        nn.ReLU6(),
        nn.Conv2d(48, 48, 3, padding=1, groups=48),
        nn.ReLU6(),
        nn.Conv2d(48, 16, 1),
    )
    head = nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(24, 10)
    stem = nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.ReLU()
    layers = (
        *stem,
        Residual(*block),
        nn.Conv2d(16, 24, 3, stride=2, padding=1, groups=2),
        nn.ReLU6(),
        *head,
    )
    return nn.Sequential(*layers), torch.randn(2, 3, 17, 15)

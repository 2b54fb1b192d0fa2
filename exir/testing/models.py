"""Small seeded models for tests, with example inputs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram


@dataclass(frozen=True)
class Example:
    """A model in eval mode, example inputs and optional dynamic shapes."""

    module: nn.Module
    inputs: tuple[Any, ...]
    dynamic_shapes: Any = field(default=None)

    def export(self) -> ExportedProgram:
        """Return the exported program of the model."""
        return torch.export.export(
            self.module, self.inputs, dynamic_shapes=self.dynamic_shapes, strict=False
        )


class SimpleConv(nn.Module):
    """[1, 3, H, W] → [1, 16, H, W]."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 16, kernel_size=3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.conv(x))


class ConvBnRelu(nn.Module):
    """Strided and depthwise convolutions with batch norm and an in-place ReLU6.

    [1, 3, H, W] → [1, 8, H/2, W/2].
    """

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(8),
            nn.ReLU6(inplace=True),
            nn.Conv2d(8, 8, 3, padding=1, groups=8, bias=True),
            nn.BatchNorm2d(8),
            nn.ReLU6(inplace=True),
        )
        for layer in self.layers:
            if isinstance(layer, nn.BatchNorm2d):
                assert layer.running_mean is not None and layer.running_var is not None
                nn.init.uniform_(layer.running_mean, -0.5, 0.5)
                nn.init.uniform_(layer.running_var, 0.5, 2.0)
                nn.init.uniform_(layer.weight, 0.5, 1.5)
                nn.init.uniform_(layer.bias, -0.5, 0.5)

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


class MLP(nn.Module):
    """Two linear layers over the last dimension: [..., 8] → [..., 4]."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 4))

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


class Counter(nn.Module):
    """Adds its input to a mutable buffer of shape [4], and returns the buffer plus 1."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x: Tensor) -> Tensor:
        self.total.add_(x)
        return self.total + 1.0


class KvCache(nn.Module):
    """Writes a row at `position` of a [16, 8] cache, and returns the sum over rows."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("cache", torch.zeros(16, 8))

    def forward(self, row: Tensor, position: Tensor) -> Tensor:
        self.cache.index_put_((position,), row)
        return self.cache.sum(dim=0)


class DynamicAdd(nn.Module):
    """Computes x + 2·y with a dynamic first dimension: [n, 4], [n, 4] → [n, 4]."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x + 2 * y


class Codec(nn.Module):
    """Two methods that share a weight: `encode` [n, 8] → [n, 4], and `decode` back."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8, 4) / 4)

    def encode(self, x: Tensor) -> Tensor:
        return torch.relu(x @ self.weight)

    def decode(self, code: Tensor) -> Tensor:
        return code @ self.weight.t()


class Method(nn.Module):
    """Wraps one method of a module as a module that shares its parameters."""

    def __init__(self, owner: nn.Module, name: str) -> None:
        super().__init__()
        self.owner = owner
        self.name = name

    def forward(self, *args: Tensor) -> Any:
        return getattr(self.owner, self.name)(*args)


def simple_conv() -> Example:
    """`SimpleConv` on a 16 × 16 image."""
    return _make_example(SimpleConv, torch.randn(1, 3, 16, 16))


def conv_bn_relu() -> Example:
    """`ConvBnRelu` on a 16 × 16 image."""
    return _make_example(ConvBnRelu, torch.randn(1, 3, 16, 16))


def mlp() -> Example:
    """`MLP` on a batch of three."""
    return _make_example(MLP, torch.randn(3, 8))


def counter() -> Example:
    """`Counter`."""
    return _make_example(Counter, torch.ones(4))


def kv_cache() -> Example:
    """`KvCache` with a write at position 3."""
    return _make_example(KvCache, torch.randn(1, 8), torch.tensor([3]))


def dynamic_add() -> Example:
    """`DynamicAdd` with n from 2 to 16."""
    n = Dim("n", min=2, max=16)
    shapes = {"x": {0: n}, "y": {0: n}}
    return _make_example(DynamicAdd, torch.randn(4, 4), torch.randn(4, 4), dynamic_shapes=shapes)


def codec() -> dict[str, Example]:
    """The two methods of `Codec`, which share a weight."""
    torch.manual_seed(0)
    owner = Codec().eval()
    return {
        "encode": Example(Method(owner, "encode").eval(), (torch.randn(2, 8),)),
        "decode": Example(Method(owner, "decode").eval(), (torch.randn(2, 4),)),
    }


def _make_example(make: Callable[[], nn.Module], *inputs: Tensor, dynamic_shapes: Any = None) -> Example:
    torch.manual_seed(0)
    return Example(make().eval(), inputs, dynamic_shapes)


# All models with one method, by name.
ALL: dict[str, Callable[[], Example]] = {
    "simple_conv": simple_conv,
    "conv_bn_relu": conv_bn_relu,
    "mlp": mlp,
    "counter": counter,
    "kv_cache": kv_cache,
    "dynamic_add": dynamic_add,
}

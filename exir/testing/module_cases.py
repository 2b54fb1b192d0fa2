"""Typical modules of neural networks."""

import torch
from torch import Tensor, nn

from exir.testing.case import Cases, case

CASES: Cases = {}


@case(CASES, (2, 8, 16))
class _TransformerLayer(nn.TransformerEncoderLayer):
    def __init__(self) -> None:
        super().__init__(16, 4, 32, batch_first=True)


@case(CASES, (4, 5, 8), batch=True)
class _DynamicTransformerLayer(nn.TransformerEncoderLayer):
    def __init__(self) -> None:
        super().__init__(8, 2, 32, batch_first=True)


@case(CASES, (2, 5, 8))
class _Lstm(nn.LSTM):
    def __init__(self) -> None:
        super().__init__(8, 6, 2, batch_first=True)


@case(CASES, (2, 5, 8))
class _Gru(nn.GRU):
    def __init__(self) -> None:
        super().__init__(8, 6, batch_first=True, bidirectional=True)


@case(CASES, torch.tensor([[1, 2, 3]]))
class _TiedEmbedding(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, 8)
        self.head = nn.Linear(8, 10, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.embedding(tokens))


@case(CASES, (1, 4, 8, 8))
class _ResidualBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(4)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(self.conv(x))
        y += x
        return self.relu(y)


@case(CASES, (1, 4, 5, 5))
class _TransposedConvolution(nn.Sequential):
    def __init__(self) -> None:
        conv = nn.ConvTranspose2d(4, 6, 3, stride=2, groups=2)
        super().__init__(conv, nn.BatchNorm2d(6), nn.SiLU(inplace=True))


@case(CASES, (1, 4, 8))
class _Convolution1d(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(nn.Conv1d(4, 6, 3, groups=2), nn.BatchNorm1d(6), nn.Hardswish())


@case(CASES, (3, 8))
class _NormalizedLinear(nn.Sequential):
    def __init__(self) -> None:
        hidden = (nn.Linear(8, 6), nn.BatchNorm1d(6))
        super().__init__(*hidden, nn.Linear(6, 5, bias=False), nn.BatchNorm1d(5, affine=False))


@case(CASES, (1, 4, 8, 8))
class _SharedConvolution(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 3, padding=1)
        self.first, self.second = nn.BatchNorm2d(4), nn.BatchNorm2d(4)

    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.conv(self.first(self.conv(x))))


@case(CASES, (4, 3, 8, 8), batch=True)
class _DynamicConvolution(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(True))
        self.head = nn.Linear(4 * 64, 5)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(torch.flatten(self.conv(x), 1))


@case(CASES, (4, 5, 8), batch=True)
class _DynamicLinear(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4, bias=False))


@case(CASES, (2, 4, 8))
class _Normalizations(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer, self.group = nn.LayerNorm(8), nn.GroupNorm(2, 4)
        self.instance, self.rms = nn.InstanceNorm1d(4), nn.RMSNorm(8)

    def forward(self, x: Tensor) -> list[Tensor]:
        return [self.layer(x), self.group(x), self.instance(x), self.rms(x)]


@case(CASES, (1, 8, 4, 4))
class _SlicedCache(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("keys", torch.zeros(1, 8, 6, 4))

    def forward(self, x: Tensor) -> Tensor:
        self.keys[:, :, 1:5] = x
        return self.keys.sum(2)


@case(CASES, (4,))
class _Counters(nn.Module):
    calls: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(4))
        self.register_buffer("calls", torch.zeros(1, dtype=torch.int64), persistent=False)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        self.total.copy_(x + self.total)
        self.calls += 1
        return self.total * 2, self.calls

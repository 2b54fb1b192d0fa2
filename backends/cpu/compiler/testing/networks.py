"""Small networks of published families, with random weights."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

WIDTH, HEADS, GROUPS, SIZE, CACHE, WORDS = 32, 4, 2, 8, 24, 40


class RmsNorm(nn.Module):
    """RMS norm, composed of elementary operators as in published models."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(WIDTH) + 0.5)

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5))


class RotaryAttention(nn.Module):
    """Grouped-query attention with rotary position embedding.

    It uses a cache if positions are given.
    """

    def __init__(self, cached: bool) -> None:
        super().__init__()
        self.query, self.output = (nn.Linear(WIDTH, HEADS * SIZE, bias=False) for _ in range(2))
        self.key, self.value = (nn.Linear(WIDTH, GROUPS * SIZE, bias=False) for _ in range(2))
        if cached:
            self.register_buffer("keys", torch.zeros(1, GROUPS, CACHE, SIZE))
            self.register_buffer("values", torch.zeros(1, GROUPS, CACHE, SIZE))

    def forward(self, x: Tensor, angles: tuple[Tensor, Tensor], mask: Tensor, positions: Tensor | None) -> Tensor:
        q, k, v = (part(x).unflatten(-1, (-1, SIZE)).transpose(1, 2) for part in (self.query, self.key, self.value))
        q, k = (_turned(each, *angles) for each in (q, k))
        if positions is not None:
            self.keys.index_copy_(2, positions, k)
            self.values.index_copy_(2, positions, v)
            k, v = self.keys, self.values
        k, v = (each[:, :, None].expand(-1, -1, HEADS // GROUPS, -1, -1).flatten(1, 2) for each in (k, v))
        scores = q @ k.transpose(2, 3) / SIZE**0.5 + mask
        return self.output((F.softmax(scores, dim=-1) @ v).transpose(1, 2).flatten(2))


def _turned(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return x * cosine + torch.cat((-second, first), -1) * sine


class DecoderLayer(nn.Module):
    """Attention and a gated feed-forward network, each after a norm."""

    def __init__(self, cached: bool) -> None:
        super().__init__()
        self.first, self.second = RmsNorm(), RmsNorm()
        self.attention = RotaryAttention(cached)
        self.gate, self.rise = (nn.Linear(WIDTH, 2 * WIDTH, bias=False) for _ in range(2))
        self.fall = nn.Linear(2 * WIDTH, WIDTH, bias=False)

    def forward(self, x: Tensor, angles: tuple[Tensor, Tensor], mask: Tensor, positions: Tensor | None) -> Tensor:
        x = x + self.attention(self.first(x), angles, mask, positions)
        y = self.second(x)
        return x + self.fall(F.silu(self.gate(y)) * self.rise(y))


class Decoder(nn.Module):
    """A Llama-style decoder that maps tokens [1, n] to logits [1, n, words].

    With a cache, it also takes positions [n]. Each call computes the mask from positions and the
    ends of packed sequences, by indexing in two dimensions.
    """

    def __init__(self, cached: bool) -> None:
        super().__init__()
        self.cached = cached
        self.words, self.norm = nn.Embedding(WORDS, WIDTH), RmsNorm()
        self.layers = nn.ModuleList(DecoderLayer(cached) for _ in range(2))
        self.register_buffer("frequencies", 10000.0 ** (-torch.arange(0, SIZE, 2) / SIZE))

    def forward(self, tokens: Tensor, places: Tensor | None = None) -> Tensor:
        positions = torch.arange(tokens.shape[1]) if places is None else places
        mask = self._mask(positions[None])
        angles = positions[None, :, None].float() * self.frequencies
        turns = torch.cat((angles, angles), -1)
        x = self.words(tokens)
        for layer in self.layers:
            x = layer(x, (turns.cos(), turns.sin()), mask, places)
        return F.linear(self.norm(x), self.words.weight)

    def _mask(self, positions: Tensor) -> Tensor:
        rows, columns = torch.arange(1)[:, None, None, None], torch.arange(positions.shape[1])[None, None, :, None]
        at = positions[rows, columns]
        keys = torch.arange(CACHE if self.cached else positions.shape[1])[None, None, None]
        seen = keys <= at
        if not self.cached:
            begins = (positions - torch.cat((positions[:, :1] - 1, positions[:, :-1]), -1)) != 1
            sequence = begins.cumsum(-1)
            seen = seen & (sequence[rows, columns] == sequence[rows, keys])
        return torch.where(seen, 0.0, torch.finfo(torch.float32).min)


class Encoder(nn.Module):
    """A BERT-style encoder that maps tokens and a padding mask to features.

    Both inputs are [1, n].
    """

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places, self.kinds = (
            nn.Embedding(WORDS, WIDTH),
            nn.Embedding(64, WIDTH),
            nn.Embedding(2, WIDTH),
        )
        self.norm = nn.LayerNorm(WIDTH)
        self.layers = nn.TransformerEncoder(_encoder_layer(), 2, enable_nested_tensor=False)
        self.pooler = nn.Linear(WIDTH, WIDTH)
        self.register_buffer("kind", torch.zeros(1, 64, dtype=torch.int64))

    def forward(self, tokens: Tensor, kept: Tensor) -> tuple[Tensor, Tensor]:
        places = kept.cumsum(1) * kept
        kinds = self.kind.gather(1, places)
        x = self.norm(self.words(tokens) + self.places(places) + self.kinds(kinds))
        for layer in self.layers.layers:
            x = layer(x, src_key_padding_mask=kept == 0)
        return x, torch.tanh(self.pooler(x[:, 0]))


def _encoder_layer() -> nn.TransformerEncoderLayer:
    return nn.TransformerEncoderLayer(WIDTH, HEADS, 2 * WIDTH, 0.0, F.gelu, batch_first=True)


class VisionTransformer(nn.Module):
    """A classifier that maps images [n, 3, 16, 16] to logits."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, WIDTH, 4, 4)
        self.token, self.places = nn.Parameter(torch.randn(1, 1, WIDTH)), nn.Parameter(torch.randn(1, 17, WIDTH))
        self.layers = nn.Sequential(*(_encoder_layer() for _ in range(2)))
        self.head = nn.Linear(WIDTH, 10)

    def forward(self, x: Tensor) -> Tensor:
        patches = self.patches(x).flatten(2).transpose(1, 2)
        tokens = torch.cat((self.token.expand(x.shape[0], -1, -1), patches), 1) + self.places
        return self.head(self.layers(tokens)[:, 0])


class ConvNeXtBlock(nn.Module):
    """ConvNeXt block for images [n, 8, h, w].

    It has a depthwise convolution, a norm, two linear layers and a scale per channel.
    """

    def __init__(self) -> None:
        super().__init__()
        self.filter = nn.Conv2d(8, 8, 7, padding=3, groups=8)
        self.norm, self.rise, self.fall = nn.LayerNorm(8), nn.Linear(8, 32), nn.Linear(32, 8)
        self.scale = nn.Parameter(torch.rand(8, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(self.filter(x).permute(0, 2, 3, 1))
        return x + self.scale * self.fall(F.gelu(self.rise(y))).permute(0, 3, 1, 2)


class StandardizedBlock(nn.Module):
    """A block for [n, 8, h, w] images.

    It standardizes its weights on each forward pass. Normalizer-free networks use such blocks.
    """

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = (nn.Parameter(torch.randn(8, 8, 3, 3)) for _ in range(2))
        self.gain = nn.Parameter(torch.rand(8) + 0.5)

    def forward(self, x: Tensor) -> Tensor:
        for weight in (self.first, self.second):
            rows = weight.reshape(1, 8, -1)
            normed = F.batch_norm(rows, None, None, weight=self.gain * 0.1, training=True, momentum=0.0, eps=1e-6)
            x = x + 0.2 * F.silu(F.conv2d(x, normed.reshape_as(weight), padding=1)) * 1.7
        return x

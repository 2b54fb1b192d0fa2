"""Networks for sequences, tables and graphs."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.nn import functional

from tests.architectures.architecture import Subject

_WIDTH, _HEADS = 32, 4


def _heads(x: Tensor) -> Tensor:
    return x.unflatten(-1, (_HEADS, -1)).transpose(1, 2)


def _joined(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)


class Recurrent(nn.Module):
    """Two bidirectional recurrent layers; returns outputs and last states."""

    def __init__(self, kind: type[nn.Module]) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 16)
        self.layers = kind(16, 24, num_layers=2, bidirectional=True, batch_first=True)
        self.tags = nn.Linear(48, 7)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        outputs, state = self.layers(self.words(words))
        return self.tags(outputs).log_softmax(-1), state[0] if isinstance(state, tuple) else state


class AttentiveDecoder(nn.Module):
    """A recurrent translation decoder that attends to the source at each step."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.cell = nn.GRU(16, _WIDTH, batch_first=True), nn.LSTMCell(16 + _WIDTH, _WIDTH)
        self.key, self.energy = nn.Linear(2 * _WIDTH, _WIDTH), nn.Linear(_WIDTH, 1)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, last = self.encoder(source)
        hidden, cell, outputs = last[0], torch.zeros_like(last[0]), []
        for position in range(target.shape[1]):
            both = torch.cat((memory, hidden[:, None].expand(-1, memory.shape[1], -1)), -1)
            weights = self.energy(torch.tanh(self.key(both))).softmax(1)
            seen = (weights * memory).sum(1)
            hidden, cell = self.cell(torch.cat((target[:, position], seen), -1), (hidden, cell))
            outputs.append(hidden)
        return torch.stack(outputs, 1)


class SlidingWindow(nn.Module):
    """Attention to the previous eight tokens, with ALiBi slopes and grouped queries."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key_value = nn.Linear(_WIDTH, _WIDTH), nn.Linear(_WIDTH, _WIDTH)
        self.register_buffer("slopes", 2.0 ** -torch.arange(1, _HEADS + 1))

    def forward(self, x: Tensor) -> Tensor:
        query = _heads(self.query(x))
        key, value = (part.unflatten(-1, (2, -1)).transpose(1, 2) for part in self.key_value(x).chunk(2, -1))
        key, value = (part.repeat_interleave(2, 1) for part in (key, value))
        places = torch.arange(x.shape[1])
        distance = places[:, None] - places[None]
        allowed = (distance >= 0) & (distance < 8)
        bias = -self.slopes[:, None, None] * distance
        mask = torch.where(allowed, bias, float("-inf"))
        return _joined(functional.scaled_dot_product_attention(query, key[..., :8], value, attn_mask=mask))


class RotaryVariants(nn.Module):
    """Rotary embeddings: split, interleaved as complex values, partial, and scaled."""

    def __init__(self) -> None:
        super().__init__()
        frequencies = 10000.0 ** (-torch.arange(0, 8, 2) / 8)
        self.register_buffer("frequencies", frequencies)
        self.register_buffer("stretched", torch.where(frequencies < 0.05, frequencies / 8, frequencies))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        angles = torch.outer(torch.arange(x.shape[2]).float(), self.frequencies)
        first, second = x.chunk(2, -1)
        halves = torch.cat(
            (first * angles.cos() - second * angles.sin(), second * angles.cos() + first * angles.sin()), -1
        )
        turns = torch.polar(torch.ones_like(angles), angles)
        pairs = torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2))) * turns).flatten(3)
        long = torch.outer(torch.arange(x.shape[2]).float(), self.stretched)[..., :2].repeat(1, 2)
        part, rest = x.split((4, 4), -1)
        turned = torch.stack((-part[..., 1::2], part[..., ::2]), -1).flatten(-2)
        return halves, pairs, torch.cat((part * long.cos() + turned * long.sin(), rest), -1)


class Experts(nn.Module):
    """A mixture of experts: two of four experts per token, with gather and scatter."""

    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(_WIDTH, 4, bias=False)
        self.rise, self.fall = (
            nn.Parameter(torch.randn(4, _WIDTH, 48) * 0.1),
            nn.Parameter(torch.randn(4, 48, _WIDTH) * 0.1),
        )

    def forward(self, x: Tensor) -> Tensor:
        weights, chosen = self.router(x).softmax(-1).topk(2, -1)
        order = chosen.flatten().argsort(stable=True)
        ends = functional.one_hot(chosen.flatten(), 4).sum(0).cumsum(0)
        rows = torch.ops.grouped.mm(x[order // 2], self.rise, ends)
        rows = torch.ops.grouped.mm(functional.gelu(rows), self.fall, ends) * weights.flatten()[order, None]
        return torch.zeros_like(x).index_add(0, order // 2, rows)


class SelectiveScan(nn.Module):
    """Mamba's recurrence, with one set of `torch` operators per step."""

    def __init__(self) -> None:
        super().__init__()
        self.into, self.out = nn.Linear(_WIDTH, 2 * _WIDTH), nn.Linear(_WIDTH, _WIDTH)
        self.local, self.choice = nn.Conv1d(_WIDTH, _WIDTH, 4, padding=3, groups=_WIDTH), nn.Linear(_WIDTH, 1 + 16)
        self.decay = nn.Parameter(torch.arange(1, 9).float().log().repeat(_WIDTH, 1))

    def forward(self, x: Tensor) -> Tensor:
        x, gate = self.into(x).chunk(2, -1)
        x = functional.silu(self.local(x.transpose(1, 2))[..., : x.shape[1]].transpose(1, 2))
        step, write, read = self.choice(x).split((1, 8, 8), -1)
        step = functional.softplus(step)[..., None]
        kept = torch.exp(-step * self.decay.exp())
        added = step * write[:, :, None] * x[..., None]
        state, outputs = torch.zeros_like(added[:, 0]), []
        for position in range(x.shape[1]):
            state = kept[:, position] * state + added[:, position]
            outputs.append((state * read[:, position, None]).sum(-1))
        return self.out(torch.stack(outputs, 1) * functional.silu(gate))


class TimeMixing(nn.Module):
    """RWKV's time mixing: a decaying weighted mean with stabilized exponents."""

    def __init__(self) -> None:
        super().__init__()
        self.mix, self.decay, self.first = (nn.Parameter(torch.rand(_WIDTH)) for _ in range(3))
        self.parts, self.out = nn.Linear(_WIDTH, 3 * _WIDTH), nn.Linear(_WIDTH, _WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        before = functional.pad(x, (0, 0, 1, -1))
        key, value, gate = self.parts(x * self.mix + before * (1 - self.mix)).chunk(3, -1)
        above = torch.zeros_like(x[:, 0])
        below, top, outputs = above, above - 1e38, []
        for k, v in zip(key.unbind(1), value.unbind(1)):
            most = torch.maximum(top, self.first + k)
            old, new = torch.exp(top - most), torch.exp(self.first + k - most)
            outputs.append((old * above + new * v) / (old * below + new))
            most = torch.maximum(top - self.decay.exp(), k)
            old, new = torch.exp(top - self.decay.exp() - most), torch.exp(k - most)
            above, below, top = old * above + new * v, old * below + new, most
        return self.out(gate.sigmoid() * torch.stack(outputs, 1))


class LinearAttention(nn.Module):
    """Linear attention: cumulative sums store the past as one matrix per head."""

    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        query, key = functional.elu(query) + 1, functional.elu(key) + 1
        state = torch.cumsum(torch.einsum("bhld,bhle->bhlde", key, value), 2)
        norm = (query * key.cumsum(2)).sum(-1, keepdim=True)
        return torch.einsum("bhld,bhlde->bhle", query, state) / norm.clamp(min=1e-6)


class TabularTransformer(nn.Module):
    """Table columns as tokens: embeddings for categories, linear layers for scalars."""

    def __init__(self) -> None:
        super().__init__()
        self.categories, self.numbers = nn.Embedding(30, _WIDTH), nn.Parameter(torch.randn(2, 5, _WIDTH))
        self.register_buffer("offsets", torch.tensor([0, 10, 20]))
        self.first = nn.Parameter(torch.randn(1, 1, _WIDTH))
        layer = nn.TransformerEncoderLayer(_WIDTH, _HEADS, 64, activation="gelu", batch_first=True, norm_first=True)
        self.layers, self.answer = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(_WIDTH, 2)

    def forward(self, categories: Tensor, numbers: Tensor) -> Tensor:
        tokens = torch.cat(
            (
                self.first.expand(len(numbers), -1, -1),
                self.categories(categories + self.offsets),
                numbers[..., None] * self.numbers[0] + self.numbers[1],
            ),
            1,
        )
        return self.answer(self.layers(tokens)[:, 0])


class TabularTrees(nn.Module):
    """Soft decision trees of depth three with sparse feature weights."""

    def __init__(self) -> None:
        super().__init__()
        self.choice, self.limits = nn.Parameter(torch.randn(9, 3, 6)), nn.Parameter(torch.randn(6, 3))
        self.leaves = nn.Parameter(torch.randn(6, 8))
        self.register_buffer("codes", torch.tensor([[(leaf >> level) & 1 for leaf in range(8)] for level in range(3)]))

    def forward(self, x: Tensor) -> Tensor:
        chosen = torch.einsum("bf,fdt->btd", x, self.choice.softmax(0))
        right = torch.stack((1 - (chosen - self.limits).sigmoid(), (chosen - self.limits).sigmoid()), -1)
        paths = torch.stack([right[:, :, level, self.codes[level]] for level in range(3)], 2).prod(2)
        return (paths * self.leaves).sum((1, 2))


class Recommender(nn.Module):
    """DLRM: embedding bags, and dot products of all pairs."""

    def __init__(self) -> None:
        super().__init__()
        self.bags = nn.ModuleList(nn.EmbeddingBag(40, 8, mode="sum") for _ in range(3))
        self.dense, self.top = nn.Linear(5, 8), nn.Linear(8 + 6, 1)

    def forward(self, numbers: Tensor, categories: Tensor) -> Tensor:
        dense = self.dense(numbers).relu()
        parts = torch.stack([dense, *(bag(category) for bag, category in zip(self.bags, categories.unbind(1)))], 1)
        products = parts @ parts.transpose(1, 2)
        rows, columns = torch.tril_indices(4, 4, -1)
        return self.top(torch.cat((dense, products[:, rows, columns]), 1)).sigmoid()


class GraphConvolution(nn.Module):
    """Graph convolution: messages along edges, normalized by degree, with scatter."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        source, target = edges
        degree = torch.ones(x.shape[0]).scatter_add(0, target, torch.ones(edges.shape[1]))
        weight = (degree[source] * degree[target]).rsqrt()[:, None]
        for layer in (self.first, self.second):
            x = layer(x)
            x = x.div(degree[:, None]).index_add(0, target, x[source] * weight).relu()
        return x


class GraphAttention(nn.Module):
    """Graph attention: a stable softmax over each node's edges, and a mean per graph."""

    def __init__(self) -> None:
        super().__init__()
        self.values, self.scores = nn.Linear(8, 12), nn.Linear(24, 1)

    def forward(self, x: Tensor, edges: Tensor, graph: Tensor) -> Tensor:
        x, (source, target) = self.values(x), edges
        score = functional.leaky_relu(self.scores(torch.cat((x[source], x[target]), -1)), 0.2)[:, 0]
        empty = torch.full((x.shape[0],), float("-inf"))
        largest = empty.scatter_reduce(0, target, score, "amax")
        weight = torch.exp(score - largest[target])
        total = torch.zeros(x.shape[0]).scatter_add(0, target, weight)
        nodes = torch.zeros_like(x).index_add(0, target, x[source] * (weight / total[target])[:, None])
        return torch.zeros(2, 12).scatter_reduce(0, graph[:, None].expand(-1, 12), nodes, "mean", include_self=False)


class PointNet(nn.Module):
    """PointNet: nearest neighbors in a point cloud, and the maximum of their features."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(6, 16, 1), nn.BatchNorm2d(16), nn.ReLU())
        self.answer = nn.Linear(16, 5)

    def forward(self, points: Tensor) -> Tensor:
        near = torch.cdist(points, points).topk(4, largest=False).indices
        batch = torch.arange(points.shape[0])[:, None, None]
        around = points[batch, near] - points[:, :, None]
        features = torch.cat((around, points[:, :, None].expand_as(around)), -1).permute(0, 3, 1, 2)
        return self.answer(self.features(features).amax((2, 3)))


class StateSpace(nn.Module):
    """S4: a long convolution by Fourier transforms."""

    def __init__(self) -> None:
        super().__init__()
        self.rate, self.turn = nn.Parameter(torch.rand(_WIDTH, 8)), nn.Parameter(torch.rand(_WIDTH, 8))

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[-1]
        powers = torch.exp(-self.rate[..., None] * torch.arange(length)) * torch.cos(
            self.turn[..., None] * torch.arange(length)
        )
        kernel = torch.fft.rfft(powers.sum(1), n=2 * length)
        return torch.fft.irfft(torch.fft.rfft(x, n=2 * length) * kernel, n=2 * length)[..., :length]


class Crf(nn.Module):
    """A conditional random field with Viterbi decoding and backtracking."""

    def __init__(self) -> None:
        super().__init__()
        self.scores, self.steps = nn.Linear(8, 5), nn.Parameter(torch.randn(5, 5))

    def forward(self, x: Tensor) -> Tensor:
        scores = self.scores(x)
        best, backs = scores[:, 0], []
        for score in scores[:, 1:].unbind(1):
            best, back = (best[:, :, None] + self.steps).max(1)
            best = best + score
            backs.append(back)
        tags = [best.argmax(-1)]
        for back in reversed(backs):
            tags.append(back.gather(1, tags[-1][:, None])[:, 0])
        return torch.stack(tags[::-1], 1)


class TimeSeries(nn.Module):
    """PatchTST and N-BEATS: patches of a normalized series, and periods by FFT."""

    def __init__(self) -> None:
        super().__init__()
        self.patch, self.answer = nn.Linear(8, 16), nn.Linear(16 * 11, 12)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        mean, deviation = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False).add(1e-5).sqrt()
        x = (x - mean) / deviation
        patches = self.patch(x.unfold(-1, 8, 4))
        strength = torch.fft.rfft(x).abs()
        return self.answer(patches.flatten(-2)) * deviation + mean, strength.topk(3).indices


def _words(length: int) -> Tensor:
    return torch.randint(0, 50, (1, length))


def _edges() -> Tensor:
    return torch.randint(0, 10, (2, 30))


def _varying() -> Subject:
    shapes = ({1: Dim("length", min=2, max=40)},)
    return Subject(SlidingWindow(), ((torch.randn(1, 20, _WIDTH),), (torch.randn(1, 33, _WIDTH),)), shapes)


def _tokens(length: int = 6) -> tuple[Tensor]:
    return (torch.randn(1, length, _WIDTH),)


SUBJECTS = {
    "Recurrent, LSTM": lambda: Subject(Recurrent(nn.LSTM), ((_words(9),),)),
    "Recurrent, GRU": lambda: Subject(Recurrent(nn.GRU), ((_words(9),),)),
    "Recurrent, RNN": lambda: Subject(Recurrent(nn.RNN), ((_words(9),),)),
    "AttentiveDecoder": lambda: Subject(AttentiveDecoder(), ((torch.randn(2, 7, 16), torch.randn(2, 4, 16)),)),
    "SlidingWindow": lambda: Subject(SlidingWindow(), (_tokens(20),)),
    "SlidingWindow, varying length": _varying,
    "RotaryVariants": lambda: Subject(RotaryVariants(), ((torch.randn(1, 2, 10, 8),),)),
    "Experts": lambda: Subject(Experts(), ((torch.randn(9, _WIDTH),),)),
    "SelectiveScan": lambda: Subject(SelectiveScan(), (_tokens(),)),
    "TimeMixing": lambda: Subject(TimeMixing(), (_tokens(),)),
    "LinearAttention": lambda: Subject(LinearAttention(), (tuple(torch.randn(1, 2, 9, 8) for _ in range(3)),)),
    "TabularTransformer": lambda: Subject(TabularTransformer(), ((torch.randint(0, 10, (4, 3)), torch.randn(4, 5)),)),
    "TabularTrees": lambda: Subject(TabularTrees(), ((torch.randn(7, 9),),)),
    "Recommender": lambda: Subject(Recommender(), ((torch.randn(4, 5), torch.randint(0, 40, (4, 3, 6))),)),
    "GraphConvolution": lambda: Subject(GraphConvolution(), ((torch.randn(10, 8), _edges()),)),
    "GraphAttention": lambda: Subject(GraphAttention(), ((torch.randn(10, 8), _edges(), torch.arange(10) // 6),)),
    "PointNet": lambda: Subject(PointNet(), ((torch.randn(2, 30, 3),),)),
    "StateSpace": lambda: Subject(StateSpace(), ((torch.randn(2, _WIDTH, 48),),)),
    "Crf": lambda: Subject(Crf(), ((torch.randn(2, 7, 8),),)),
    "TimeSeries": lambda: Subject(TimeSeries(), ((torch.randn(3, 48),),)),
}

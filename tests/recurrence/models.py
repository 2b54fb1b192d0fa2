"""Models with recurrent layers over a sequence of dynamic length."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim

MAX_LENGTH, MAX_BATCH = 12, 4
_INPUT, _HIDDEN, _PROJECTED = 4, 6, 3
_KINDS: dict[str, tuple[Callable[..., nn.RNNBase], dict[str, Any]]] = {
    "lstm": (nn.LSTM, {}),
    "projected_lstm": (nn.LSTM, {"proj_size": _PROJECTED}),
    "gru": (nn.GRU, {}),
    "tanh": (nn.RNN, {}),
    "relu": (nn.RNN, {"nonlinearity": "relu"}),
}


@dataclass(frozen=True)
class Case:
    """A model, its dynamic shapes and its calls; the first call is the export example."""

    module: nn.Module
    calls: list[tuple[Tensor, ...]]
    dynamic_shapes: Any


class Layer(nn.Module):
    """A recurrent layer, optionally with its initial state as inputs."""

    def __init__(self, layer: nn.RNNBase) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor, *state: Tensor) -> Any:
        if not state:
            return self.layer(x)
        return self.layer(x, state if isinstance(self.layer, nn.LSTM) else state[0])


@dataclass(frozen=True)
class Variant:
    """The options of one recurrent layer and of its inputs."""

    kind: str
    layers: int
    bidirectional: bool
    batch_first: bool
    bias: bool
    gives_state: bool
    batch: str
    dtype: torch.dtype

    def __str__(self) -> str:
        words = [self.kind, str(self.layers), self.batch, str(self.dtype).removeprefix("torch.")]
        flags = ("bidirectional", "batch_first", "bias", "gives_state")
        return "-".join(words + [flag for flag in flags if getattr(self, flag)])

    def case(self) -> Case:
        """Return the model and its calls, at several lengths from 1 to the maximum."""
        torch.manual_seed(0)
        make, options = _KINDS[self.kind]
        layer = make(
            _INPUT,
            _HIDDEN,
            self.layers,
            bias=self.bias,
            batch_first=self.batch_first,
            dropout=0.5 if self.layers > 1 else 0.0,
            bidirectional=self.bidirectional,
            **options,
        )
        sizes = [(3, 6), (3, 1), (3, MAX_LENGTH), (3, 5)]
        if self.batch == "dynamic":
            sizes += [(1, 1), (MAX_BATCH, MAX_LENGTH), (1, 7)]
        calls = [self._inputs(batch, length) for batch, length in sizes]
        return Case(Layer(layer).to(self.dtype), calls, self._shapes())

    def _inputs(self, batch: int, length: int) -> tuple[Tensor, ...]:
        x = torch.randn((batch, length, _INPUT) if self.batch_first else (length, batch, _INPUT))
        outputs = _PROJECTED if self.kind == "projected_lstm" else _HIDDEN
        states = [torch.randn(self._rows, batch, size) for size in (outputs, _HIDDEN)[: self._state_count]]
        if self.batch == "none":
            x, states = x.select(0 if self.batch_first else 1, 0), [state[:, 0] for state in states]
        return tuple(tensor.to(self.dtype) for tensor in (x, *states))

    def _shapes(self) -> Any:
        time = 1 if self.batch_first and self.batch != "none" else 0
        x: dict[int, Any] = {time: Dim("length", min=1, max=MAX_LENGTH)}
        state = None
        if self.batch == "dynamic":
            batch = Dim("batch", min=1, max=MAX_BATCH)
            x[1 - time], state = batch, {1: batch}
        return (x, (state,) * self._state_count) if self.gives_state else (x,)

    @property
    def _rows(self) -> int:
        return self.layers * (1 + self.bidirectional)

    @property
    def _state_count(self) -> int:
        return 0 if not self.gives_state else 2 if "lstm" in self.kind else 1


def variants(count: int) -> list[Variant]:
    """Return `count` different variants, with each kind equally often."""
    rng, found = random.Random(0), dict[Variant, None]()
    while len(found) < count:
        kind = list(_KINDS)[len(found) % len(_KINDS)]
        variant = Variant(
            kind,
            layers=rng.choice([1, 1, 2, 3]),
            bidirectional=rng.random() < 0.5,
            batch_first=rng.random() < 0.5,
            bias=rng.random() < 0.5,
            gives_state=rng.random() < 0.5,
            batch=rng.choice(["dynamic", "dynamic", "fixed", "none"]),
            dtype=rng.choice([torch.float32, torch.float32, torch.float16]),
        )
        found[variant] = None
    return list(found)


class Tagger(nn.Module):
    """Maps tokens to scores: an embedding, a bidirectional LSTM, and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.layer = nn.LSTM(8, 6, batch_first=True, bidirectional=True)
        self.scores = nn.Linear(12, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.scores(self.layer(self.words(tokens))[0])


class Listener(nn.Module):
    """Maps a spectrogram [1, 4, length] to a class: strided convolution and GRU."""

    def __init__(self) -> None:
        super().__init__()
        self.filter = nn.Conv1d(4, 8, 3, stride=2, padding=1)
        self.layer = nn.GRU(8, 6, 2, batch_first=True)
        self.scores = nn.Linear(6, 5)

    def forward(self, x: Tensor) -> Tensor:
        _, last = self.layer(self.filter(x).relu().transpose(1, 2))
        return self.scores(last[-1]).softmax(-1)


class Twice(nn.Module):
    """One layer applied to a sequence and to its result."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.LSTM(4, 4)

    def forward(self, x: Tensor) -> Any:
        y, state = self.layer(x)
        return self.layer(y, state)


class Encoder(nn.Module):
    """An encoder whose last state starts a decoder with a fixed number of steps."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.GRU(4, 4), nn.GRU(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        _, last = self.encoder(x)
        return self.decoder(torch.ones(3, 1, 4), last)[0]


class Streamed(nn.Module):
    """A layer that keeps its state in buffers between calls."""

    h: Tensor
    c: Tensor

    def __init__(self, layer: nn.RNNBase) -> None:
        super().__init__()
        self.layer = layer
        rows = layer.num_layers * (1 + layer.bidirectional)
        self.register_buffer("h", torch.zeros(rows, 1, layer.hidden_size))
        self.register_buffer("c", torch.zeros(rows, 1, layer.hidden_size))

    def forward(self, x: Tensor) -> Tensor:
        if isinstance(self.layer, nn.LSTM):
            y, (h, c) = self.layer(x, (self.h, self.c))
            self.c.copy_(c)
        else:
            y, h = self.layer(x, self.h)
        self.h.copy_(h)
        return y


def _sequences(*lengths: int) -> list[tuple[Tensor, ...]]:
    return [(torch.randn(length, 1, 4),) for length in lengths]


def _tokens(length: int) -> tuple[Tensor]:
    return (torch.randint(0, 20, (1, length)),)


def _of(module: nn.Module, calls: Sequence[tuple[Tensor, ...]], dim: int = 0, **bounds: Any) -> Case:
    length = Dim("length", **{"min": 1, "max": MAX_LENGTH, **bounds})
    return Case(module, list(calls), ({dim: length},))


NETWORKS: dict[str, Callable[[], Case]] = {
    "tagger": lambda: _of(Tagger(), [_tokens(n) for n in (5, 1, MAX_LENGTH)], 1),
    "listener": lambda: _of(Listener(), [(torch.randn(1, 4, n),) for n in (8, 3, 4, 11)], 2, min=3),
    "twice": lambda: _of(Twice(), _sequences(5, 1, MAX_LENGTH)),
    "encoder": lambda: _of(Encoder(), _sequences(5, 1, MAX_LENGTH)),
    "length_of_at_least_three": lambda: _of(nn.GRU(4, 3), _sequences(5, 3, MAX_LENGTH), min=3),
    "length_without_minimum": lambda: Case(
        nn.GRU(4, 3), _sequences(5, 1, MAX_LENGTH), ({0: Dim("length", max=MAX_LENGTH)},)
    ),
    "length_of_pairs": lambda: Case(
        nn.GRU(4, 3), _sequences(6, 2, MAX_LENGTH), ({0: 2 * Dim("pairs", min=1, max=MAX_LENGTH // 2)},)
    ),
    "automatic_length": lambda: Case(nn.LSTM(4, 3), _sequences(6, 2, MAX_LENGTH), ({0: Dim.AUTO(max=MAX_LENGTH)},)),
    "streamed_lstm": lambda: _of(Streamed(nn.LSTM(4, 5, 2)), _sequences(3, 1, 7, 2)),
    "streamed_gru": lambda: _of(Streamed(nn.GRU(4, 5)), _sequences(3, 1, 7, 2)),
    "streamed_rnn": lambda: _of(Streamed(nn.RNN(4, 5, bidirectional=True)), _sequences(3, 1, 7, 2)),
}

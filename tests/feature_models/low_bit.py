"""A Llama-like decoder in int4, and a BERT-like encoder in int8.

The encoder quantizes activations dynamically.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.nn import functional as F
from torchao.quantization import Int8DynamicActivationIntxWeightConfig, IntxWeightOnlyConfig, quantize_
from torchao.quantization.granularity import PerAxis, PerGroup

from exir.model.spec import ModelSpec

_INT4 = torch.__dict__["int4"]  # PyTorch's type hints do not include it
TOKENS, _WIDTH, _HIDDEN, _HEADS, _LAYERS = 512, 128, 256, 4, 2


class _Layer(nn.Module):
    """Attention, then a gated feed-forward block; `causal` as in decoders."""

    def __init__(self, causal: bool) -> None:
        super().__init__()
        norm = nn.RMSNorm if causal else nn.LayerNorm
        self.causal = causal
        self.before, self.between = norm(_WIDTH), norm(_WIDTH)
        self.query, self.key, self.value, self.output = (nn.Linear(_WIDTH, _WIDTH, bias=not causal) for _ in range(4))
        self.gate, self.up = (nn.Linear(_WIDTH, _HIDDEN, bias=not causal) for _ in range(2))
        self.down = nn.Linear(_HIDDEN, _WIDTH, bias=not causal)

    def forward(self, x: Tensor) -> Tensor:
        y = self.before(x)
        q, k, v = (part(y).unflatten(-1, (_HEADS, -1)).transpose(1, 2) for part in (self.query, self.key, self.value))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        x = x + self.output(mixed.transpose(1, 2).flatten(2))
        y = self.between(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Network(nn.Module):
    """Maps token ids [1, n] to logits; the output layer is tied to the embedding."""

    def __init__(self, causal: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(TOKENS, _WIDTH)
        self.layers = nn.Sequential(*(_Layer(causal) for _ in range(_LAYERS)))
        self.scores = nn.Linear(_WIDTH, TOKENS, bias=False)
        self.scores.weight = self.embedding.weight

    def forward(self, tokens: Tensor) -> Tensor:
        return self.scores(self.layers(self.embedding(tokens)))


def quantized_decoder(network: Network) -> Network:
    """Quantize layers and the embedding to int4 in groups of 32. Modifies `network`."""
    config = IntxWeightOnlyConfig(weight_dtype=_INT4, granularity=PerGroup(32))
    quantize_(network, config, lambda module, _: isinstance(module, (nn.Linear, nn.Embedding)))
    return network


def quantized_encoder(network: Network) -> Network:
    """Quantize to int8 per row, with dynamic activations. Modifies `network`."""
    embedding = IntxWeightOnlyConfig(weight_dtype=torch.int8, granularity=PerAxis(0))
    quantize_(network, embedding, lambda module, _: isinstance(module, nn.Embedding))
    layers = Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int8, weight_granularity=PerAxis(0))
    quantize_(network, layers)
    return network


def example() -> Tensor:
    """Return token ids."""
    return torch.arange(7, 1000, 83).remainder(TOKENS)[None]


def decoder() -> ModelSpec:
    """Entry point: 2 to 40 tokens."""
    shapes = {"tokens": {1: Dim("n", min=2, max=40)}}
    return ModelSpec(quantized_decoder(Network(causal=True)).eval(), (example(),), dynamic_shapes=shapes)


def encoder() -> ModelSpec:
    """Entry point."""
    return ModelSpec(quantized_encoder(Network(causal=False)).eval(), (example(),))

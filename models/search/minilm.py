"""all-MiniLM-L6-v2: sentence embeddings that are close for similar meanings.

The model is a BERT encoder of six layers, followed by mean pooling and normalization. Parameters are named as
in the published file, whose `pooler` is not used.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from exir.model.spec import ModelSpec

LONGEST = 256
WIDTH = 384
_VOCABULARY = 30522
_POSITIONS = 512
_LAYERS = 6
_HEADS = 12
_INNER = 1536
_EXAMPLE = (101, 2023, 2003, 1037, 6251, 102)


class Embeddings(nn.Module):
    """Sum of token, position and token type embeddings."""

    def __init__(self) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(_VOCABULARY, WIDTH)
        self.position_embeddings = nn.Embedding(_POSITIONS, WIDTH)
        self.token_type_embeddings = nn.Embedding(2, WIDTH)
        self.LayerNorm = _norm()
        self.register_buffer("position_ids", torch.arange(_POSITIONS).unsqueeze(0))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        positions = self.position_embeddings.weight[: tokens.shape[1]]
        return self.LayerNorm(self.word_embeddings(tokens) + positions + self.token_type_embeddings.weight[0])


class SelfAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = (_heads(layer(x)) for layer in (self.query, self.key, self.value))
        return functional.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)


class Projection(nn.Module):
    """A projection to the encoder's width, with a residual connection."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.dense = nn.Linear(inputs, WIDTH)
        self.LayerNorm = _norm()

    def forward(self, x: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
        return self.LayerNorm(self.dense(x) + before)


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.ModuleDict({"self": SelfAttention(), "output": Projection(WIDTH)})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(WIDTH, _INNER)})
        self.output = Projection(_INNER)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.attention["output"](self.attention["self"](x), x)
        return self.output(functional.gelu(self.intermediate["dense"](x)), x)


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.ModuleList(Layer() for _ in range(_LAYERS))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layer:
            x = layer(x)
        return x


class MiniLM(nn.Module):
    """Convert the (1, n) int64 tokens of a sentence, [CLS] to [SEP], to its embedding.

    The embedding is float32 (1, 384) of length 1.
    """

    def __init__(self) -> None:
        super().__init__()
        self.embeddings = Embeddings()
        self.encoder = Encoder()
        self.pooler = nn.ModuleDict({"dense": nn.Linear(WIDTH, WIDTH)})

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.encoder(self.embeddings(tokens))
        return functional.normalize(x.mean(1), dim=1)


def _norm() -> nn.LayerNorm:
    return nn.LayerNorm(WIDTH, eps=1e-12)


def _heads(x: torch.Tensor) -> torch.Tensor:
    return x.unflatten(2, (_HEADS, WIDTH // _HEADS)).transpose(1, 2)


def minilm() -> ModelSpec:
    """Entry point: the encoder in evaluation mode, for 1 to 256 tokens."""
    length = torch.export.Dim("length", min=1, max=LONGEST)
    return ModelSpec(MiniLM().eval(), (torch.tensor([_EXAMPLE]),), dynamic_shapes={"tokens": {1: length}})

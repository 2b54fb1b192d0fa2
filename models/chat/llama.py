"""Llama-like decoders in GGUF files: SmolLM2, Llama 3.2, Qwen 2.5 and others.

The file's metadata configures the model. Parameters have the same names as in the file. `prefill`
takes several tokens, `decode` the next one. Both write the keys and values of their tokens to one
cache, and return the scores of the token after the last one. Parameters are on the meta device
until the file is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.nn import functional as F

import exir

# Maximum number of tokens in one prefill. Longer prompts are split.
CHUNK = 128

# Maximum number of tokens in the cache. The model's context length can be a lower limit.
CONTEXT = 2048

# Supported architectures, as files name them. Mistral and SmolLM are `llama` as well.
_FAMILIES = ("llama", "qwen2")

# Llama 3 divides the frequencies of rotary position embeddings by this tensor.
_SLOWING = "rope_freqs.weight"

_Angles = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Shape:
    """Hyperparameters of a model.

    `head` is the head size, `groups` the number of KV heads, and `length` the cache size in tokens.
    """

    layers: int
    width: int
    hidden: int
    heads: int
    groups: int
    head: int
    vocabulary: int
    length: int
    epsilon: float
    base: float
    biased: bool
    tied: bool


def shape_of(weights: exir.WeightsFile) -> Shape:
    """Read the hyperparameters from a file. Raise ValueError if they are missing."""
    kind = weights.metadata.get("general.architecture")
    if kind not in _FAMILIES:
        raise ValueError(
            f"the weights file has architecture '{kind}'; pass a GGUF file of one of: {', '.join(_FAMILIES)}"
        )

    def setting(name: str, default: Any = None) -> Any:
        value = weights.metadata.get(f"{kind}.{name}", default)
        if value is None:
            raise ValueError(f"the weights file does not have '{kind}.{name}'; download a complete GGUF file")
        return value

    heads, width = setting("attention.head_count"), setting("embedding_length")
    return Shape(
        layers=setting("block_count"),
        width=width,
        hidden=setting("feed_forward_length"),
        heads=heads,
        groups=setting("attention.head_count_kv", heads),
        head=setting("attention.key_length", width // heads),
        vocabulary=weights.tensors["token_embd.weight"].shape[0],
        length=min(CONTEXT, setting("context_length")),
        epsilon=setting("attention.layer_norm_rms_epsilon"),
        base=setting("rope.freq_base", 10000.0),
        biased="blk.0.attn_q.bias" in weights.tensors,
        tied="output.weight" not in weights.tensors,
    )


class Block(nn.Module):
    """Attention over the KV cache and a gated feed-forward layer, with residuals."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.size = shape.head
        queries, keys = shape.heads * shape.head, shape.groups * shape.head
        self.attn_norm = nn.RMSNorm(shape.width, shape.epsilon, device="meta")
        self.attn_q = nn.Linear(shape.width, queries, shape.biased, device="meta")
        self.attn_k = nn.Linear(shape.width, keys, shape.biased, device="meta")
        self.attn_v = nn.Linear(shape.width, keys, shape.biased, device="meta")
        self.attn_output = nn.Linear(queries, shape.width, bias=False, device="meta")
        self.ffn_norm = nn.RMSNorm(shape.width, shape.epsilon, device="meta")
        self.ffn_gate = nn.Linear(shape.width, shape.hidden, bias=False, device="meta")
        self.ffn_up = nn.Linear(shape.width, shape.hidden, bias=False, device="meta")
        self.ffn_down = nn.Linear(shape.hidden, shape.width, bias=False, device="meta")
        cache = torch.zeros(1, shape.groups, shape.length, shape.head)
        self.register_buffer("keys", cache, persistent=False)
        self.register_buffer("values", cache.clone(), persistent=False)

    def forward(self, x: Tensor, positions: Tensor, angles: _Angles, mask: Tensor) -> Tensor:
        x = x + self._attended(self.attn_norm(x), positions, angles, mask)
        y = self.ffn_norm(x)
        return x + self.ffn_down(F.silu(self.ffn_gate(y)) * self.ffn_up(y))

    def _attended(self, x: Tensor, positions: Tensor, angles: _Angles, mask: Tensor) -> Tensor:
        q, k, v = (self._heads(part(x)) for part in (self.attn_q, self.attn_k, self.attn_v))
        self.keys.index_copy_(2, positions, turned(k, angles))
        self.values.index_copy_(2, positions, v)
        mixed = F.scaled_dot_product_attention(turned(q, angles), self.keys, self.values, mask, enable_gqa=True)
        return self.attn_output(mixed.transpose(1, 2).flatten(2))

    def _heads(self, x: Tensor) -> Tensor:
        """Reshape [1, tokens, heads * head] to [1, heads, tokens, head]."""
        return x.unflatten(-1, (-1, self.size)).transpose(1, 2)


def turned(x: Tensor, angles: _Angles) -> Tensor:
    """Apply rotary position embeddings (Su et al., 2021).

    Elements i and i + head / 2 form a pair that is rotated.
    """
    cosine, sine = angles
    first, second = x.chunk(2, -1)
    return torch.cat((first * cosine - second * sine, second * cosine + first * sine), -1)


class Llama(nn.Module):
    """A decoder.

    Inputs: tokens, int64 [1, n], and their consecutive positions, int64 [n]. Output: scores, float32 [1,
    vocabulary].
    """

    def __init__(self, shape: Shape, slowing: Tensor | None = None) -> None:
        super().__init__()
        self.token_embd = nn.Embedding(shape.vocabulary, shape.width, device="meta")
        self.blk = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.output_norm = nn.RMSNorm(shape.width, shape.epsilon, device="meta")
        self.output = None if shape.tied else nn.Linear(shape.width, shape.vocabulary, bias=False, device="meta")
        turns = angles_of(shape, slowing)
        self.register_buffer("cosines", turns.cos(), persistent=False)
        self.register_buffer("sines", turns.sin(), persistent=False)
        self.register_buffer("cache_positions", torch.arange(shape.length), persistent=False)

    def prefill(self, tokens: Tensor, positions: Tensor) -> Tensor:
        return self.scores(self.vectors(tokens, positions)[:, -1])

    decode = prefill

    def vectors(self, tokens: Tensor, positions: Tensor) -> Tensor:
        """Return the hidden states after the last block: [1, n, width]."""
        angles = self.cosines[positions], self.sines[positions]
        mask = self.cache_positions <= positions[:, None]
        x = self.token_embd(tokens)
        for block in self.blk:
            x = block(x, positions, angles, mask)
        return x

    def scores(self, vectors: Tensor) -> Tensor:
        normed = self.output_norm(vectors)
        return F.linear(normed, self.token_embd.weight) if self.output is None else self.output(normed)


def angles_of(shape: Shape, slowing: Tensor | None) -> Tensor:
    """Return rotation angles by position and pair; `slowing` divides the frequencies."""
    speeds = shape.base ** (-torch.arange(0, shape.head, 2, dtype=torch.float64) / shape.head)
    if slowing is not None:
        speeds = speeds / slowing.double()
    return torch.outer(torch.arange(shape.length, dtype=torch.float64), speeds).float()


def half_turns(tensors: Mapping[str, Tensor], shape: Shape) -> Mapping[str, Tensor]:
    """Permute query and key weights of `llama` files, which pair adjacent elements.

    This model pairs elements i and i + head / 2.
    """

    def reordered(name: str, tensor: Tensor) -> Tensor:
        if ".attn_q." not in name and ".attn_k." not in name:
            return tensor
        rows = torch.arange(tensor.shape[0]).reshape(-1, shape.head // 2, 2)
        return tensor.index_select(0, rows.transpose(1, 2).flatten())

    return {name: reordered(name, tensor) for name, tensor in tensors.items()}


def chat(weights: exir.WeightsFile) -> exir.ModelSpec:
    """Entry point: methods `prefill` and `decode` of the model in a GGUF file."""
    shape = shape_of(weights)

    def named(tensors: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        own = {name: tensor for name, tensor in tensors.items() if name != _SLOWING}
        return half_turns(own, shape) if weights.metadata["general.architecture"] == "llama" else own

    n = Dim("n", min=2, max=CHUNK)
    many = (torch.ones(1, 5, dtype=torch.int64), torch.arange(5))
    one = (torch.ones(1, 1, dtype=torch.int64), torch.tensor([5]))
    methods = {
        "prefill": exir.MethodSpec(many, dynamic_shapes={"tokens": {1: n}, "positions": {0: n}}),
        "decode": exir.MethodSpec(one),
    }
    return exir.ModelSpec(Llama(shape, weights.tensors.get(_SLOWING)), methods=methods, map_weights=named)

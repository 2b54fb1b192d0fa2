"""A decoder as a PyTorch module. Parameters have the names of GGUF files.

`prefill` takes several tokens, `decode` the next one. Both write the keys and values of their tokens
to one cache, and return the scores of the token after the last one. Parameters are on the meta device
until a weights file is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from llm.decoder.config import DecoderConfig, LayerConfig
from llm.decoder.kv_cache import KvCache
from llm.decoder.rotary import Rotary, rotate, rotation_tables

_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"silu": F.silu, "gelu": partial(F.gelu, approximate="tanh")}

_Angles = tuple[Tensor, Tensor] | None


class Decoder(nn.Module):
    """A decoder.

    Inputs: tokens, int64 [1, n], and their consecutive positions, int64 [n]. Output: scores, float32 [1,
    vocabulary].
    """

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.token_embd = nn.Embedding(config.vocabulary, config.width, device="meta")
        self.blk = nn.ModuleList(Block(config, layer) for layer in config.layers)
        self.output_norm = _norm(config, config.width)
        self.output = None if config.tied else _linear(config, "output", config.width, config.vocabulary)
        self.rotations = nn.ModuleDict()
        for layer in config.layers:
            if layer.rotary is not None:
                self.rotations[_rotation_name(config, layer.rotary)] = Rotation(layer.rotary, config.context)
        self.register_buffer("cache_positions", torch.arange(config.context), persistent=False)
        self.rings = nn.ModuleDict({str(window): Ring(size, config.context) for window, size in config.rings.items()})

    def prefill(self, tokens: Tensor, positions: Tensor) -> Tensor:
        return self.scores(self.vectors(tokens, positions)[:, -1])

    decode = prefill

    def vectors(self, tokens: Tensor, positions: Tensor) -> Tensor:
        """Return the hidden states after the last block: [1, n, width]."""
        config = self.config
        angles: dict[str | None, _Angles] = {None: None}
        angles |= {name: rotation(positions) for name, rotation in self.rotations.items()}
        caches = {window: self._cache(positions, window) for window in {layer.window for layer in config.layers}}
        x = _scaled(self.token_embd(tokens), config.scales.embedding)
        for block, layer in zip(self.blk, config.layers, strict=True):
            name = None if layer.rotary is None else _rotation_name(config, layer.rotary)
            x = block(x, angles[name], *caches[layer.window])
        return x

    def scores(self, vectors: Tensor) -> Tensor:
        """Return the scores of the next token for hidden states."""
        normed = self.output_norm(vectors)
        scores = F.linear(normed, self.token_embd.weight) if self.output is None else self.output(normed)
        return _capped(_scaled(scores, self.config.scales.logits), self.config.softcaps.logits)

    def _cache(self, positions: Tensor, window: int | None) -> tuple[Tensor, Tensor]:
        """Return the cache rows of the tokens, and which rows each token sees.

        They are int64 [n] and bool [n, rows].
        """
        ends = positions[:, None]
        if window not in self.config.rings:
            seen = self.cache_positions <= ends
            return positions, seen if window is None else seen & (self.cache_positions > ends - window)
        rows, cached = self.rings[str(window)](positions)
        return rows, (cached <= ends) & (cached > (ends - window).clamp_min(-1))


class Ring(nn.Module):
    """A cache of the latest tokens: position p is in row p modulo `size`."""

    def __init__(self, size: int, context: int) -> None:
        super().__init__()
        self.size = size
        self.register_buffer("rows", torch.arange(size), persistent=False)
        self.register_buffer("row_of_position", torch.arange(context) % size, persistent=False)

    def forward(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Return the rows of the tokens, and the positions in all rows.

        They are int64 [n] and int64 [size]. The positions are those after the tokens are written,
        and negative in empty rows.
        """
        rows = self.row_of_position[positions]
        last = rows[-1:]
        return rows, torch.where(self.rows <= last, self.rows, self.rows - self.size) + (positions[-1:] - last)


class Rotation(nn.Module):
    """The rotations of position embeddings, for all positions in the cache."""

    def __init__(self, rotary: Rotary, context: int) -> None:
        super().__init__()
        cosines, sines = rotation_tables(rotary, context)
        self.register_buffer("cosines", cosines, persistent=False)
        self.register_buffer("sines", sines, persistent=False)

    def forward(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        return self.cosines[positions], self.sines[positions]


class AdaptedLinear(nn.Linear):
    """A linear layer and the change of an adapter: x W^T + (x A) B.

    A [inputs, rank] and B [rank, outputs] are zero; the runtime provides those of adapters.
    """

    def __init__(self, inputs: int, outputs: int, bias: bool, rank: int) -> None:
        super().__init__(inputs, outputs, bias, device="meta")
        self.register_buffer("adapter_a", torch.zeros(inputs, rank), persistent=False)
        self.register_buffer("adapter_b", torch.zeros(rank, outputs), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) + x @ self.adapter_a @ self.adapter_b


class Block(nn.Module):
    """Attention over the KV cache and a gated feed-forward layer, with residuals."""

    def __init__(self, config: DecoderConfig, layer: LayerConfig) -> None:
        super().__init__()
        self.config = config
        sizes = config.layer_sizes

        def linear(name: str) -> nn.Linear:
            rank = layer.adapter_ranks.get(name, 0)
            return (
                AdaptedLinear(*sizes[name], name in config.biases, rank)
                if rank
                else _linear(config, name, *sizes[name])
            )

        self.attn_q = linear("attn_q")
        self.attn_k = linear("attn_k")
        self.attn_v = linear("attn_v")
        self.attn_output = linear("attn_output")
        self.ffn_gate = linear("ffn_gate")
        self.ffn_up = linear("ffn_up")
        self.ffn_down = linear("ffn_down")
        norms = config.norms
        self.attn_norm = _norm(config, config.width) if norms.before else None
        self.ffn_norm = _norm(config, config.width) if norms.before else None
        self.post_attention_norm = _norm(config, config.width) if norms.after else None
        self.post_ffw_norm = _norm(config, config.width) if norms.after else None
        whole = norms.query_key == "all"
        self.attn_q_norm = _norm(config, sizes["attn_q"][1] if whole else config.head) if norms.query_key else None
        self.attn_k_norm = _norm(config, sizes["attn_k"][1] if whole else config.head) if norms.query_key else None
        self.keys, self.values = (
            KvCache(config.kv_cache, config.groups, config.cached_tokens(layer.window), config.head) for _ in range(2)
        )

    def forward(self, x: Tensor, angles: _Angles, rows: Tensor, mask: Tensor) -> Tensor:
        attended = self._attended(_normed(x, self.attn_norm), angles, rows, mask)
        x = x + _scaled(_normed(attended, self.post_attention_norm), self.config.scales.residual)
        fed = self._fed(_normed(x, self.ffn_norm))
        return x + _scaled(_normed(fed, self.post_ffw_norm), self.config.scales.residual)

    def _fed(self, x: Tensor) -> Tensor:
        activation = _ACTIVATIONS[self.config.activation]
        return self.ffn_down(activation(self.ffn_gate(x)) * self.ffn_up(x))

    def _attended(self, x: Tensor, angles: _Angles, rows: Tensor, mask: Tensor) -> Tensor:
        q = self._heads(self.attn_q(x), self.attn_q_norm)
        k = self._heads(self.attn_k(x), self.attn_k_norm)
        v = self._heads(self.attn_v(x), None)
        if angles is not None:
            q, k = rotate(q, *angles), rotate(k, *angles)
        self.keys.update(rows, k)
        self.values.update(rows, v)
        return self.attn_output(self._mixed(q, mask).transpose(1, 2).flatten(2))

    def _heads(self, x: Tensor, norm: nn.RMSNorm | None) -> Tensor:
        """Reshape [1, tokens, heads * head] to [1, heads, tokens, head], and normalize."""
        whole = self.config.norms.query_key == "all"
        x = _normed(x, norm if whole else None).unflatten(-1, (-1, self.config.head))
        return _normed(x, None if whole else norm).transpose(1, 2)

    def _mixed(self, q: Tensor, mask: Tensor) -> Tensor:
        """Return the attention's mean of the values: [1, heads, tokens, head]."""
        scale, limit = self.config.scales.attention, self.config.softcaps.attention
        keys, values = self.keys.read(), self.values.read()
        if limit is None:
            return F.scaled_dot_product_attention(q, keys, values, mask, scale=scale, enable_gqa=True)
        by_group = q.unflatten(1, (self.config.groups, -1))
        products = by_group @ keys.unsqueeze(2).transpose(-1, -2)
        capped = _capped(products * scale, limit).masked_fill(~mask, -torch.inf)
        return (capped.softmax(-1) @ values.unsqueeze(2)).flatten(1, 2)


def _linear(config: DecoderConfig, name: str, inputs: int, outputs: int) -> nn.Linear:
    return nn.Linear(inputs, outputs, name in config.biases, device="meta")


def _norm(config: DecoderConfig, size: int) -> nn.RMSNorm:
    return nn.RMSNorm(size, config.norms.epsilon, device="meta")


def _normed(x: Tensor, norm: nn.RMSNorm | None) -> Tensor:
    return x if norm is None else norm(x)


def _scaled(x: Tensor, factor: float) -> Tensor:
    return x if factor == 1 else x * factor


def _capped(x: Tensor, limit: float | None) -> Tensor:
    return x if limit is None else (x / limit).tanh() * limit


def _rotation_name(config: DecoderConfig, rotary: Rotary) -> str:
    """Return the name of the tables; layers with equal embeddings share them."""
    different = list(dict.fromkeys(layer.rotary for layer in config.layers if layer.rotary is not None))
    return f"rotation{different.index(rotary)}"

"""The configuration of a decoder: sizes, norms, attention and positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from llm.decoder.rotary import Rotary


@dataclass(frozen=True)
class LayerConfig:
    """Settings that can differ between the layers of a model.

    window: maximum number of tokens that attention sees; None for all tokens in the cache.
    rotary: position embeddings of queries and keys; None for a layer without positions.
    adapter_ranks: ranks of the linear layers that adapters can change, by name.
    """

    window: int | None
    rotary: Rotary | None
    adapter_ranks: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Norms:
    """Which norms a block has. All are RMS norms.

    before: of the inputs of attention and feed-forward layer.
    after: of their results, before the residual addition.
    query_key: of queries and keys: "head" for each head, "all" for all heads at once, or None.
    epsilon: added to the mean square.
    """

    before: bool
    after: bool
    query_key: str | None
    epsilon: float


@dataclass(frozen=True)
class Scales:
    """Constant factors.

    attention: of the products of queries and keys.
    embedding: of the token embeddings.
    residual: of each addition to the residual stream.
    logits: of the result.
    """

    attention: float
    embedding: float = 1.0
    residual: float = 1.0
    logits: float = 1.0


@dataclass(frozen=True)
class SoftCaps:
    """Limits that `limit * tanh(x / limit)` applies; None for no limit.

    attention: of the products of queries and keys.
    logits: of the result.
    """

    attention: float | None = None
    logits: float | None = None


@dataclass(frozen=True)
class DecoderConfig:
    """A decoder with rotary position embeddings and gated feed-forward layers.

    context: maximum number of tokens of a conversation.
    groups: number of KV heads.
    activation: "silu", or "gelu" with the tanh approximation.
    biases: names of the linear layers with a bias, such as "attn_q".
    tied: the output layer uses the token embeddings.
    kv_cache: dtype of the KV cache, a name in `KV_CACHE_DTYPES`.
    chunk: maximum number of tokens of one call.
    """

    vocabulary: int
    context: int
    width: int
    hidden: int
    heads: int
    groups: int
    head: int
    layers: tuple[LayerConfig, ...]
    norms: Norms
    scales: Scales
    softcaps: SoftCaps
    activation: str
    biases: frozenset[str]
    tied: bool
    kv_cache: str = "float32"
    chunk: int = 128

    def cached_tokens(self, window: int | None) -> int:
        """Return the number of tokens in the KV cache of a layer with a window.

        The first token of a chunk sees `window - 1` earlier ones, so one row less would do. Usual sizes
        such as 512 + 128 are multiples of the kernels' panels of 16 keys.
        """
        return self.context if window is None else min(self.context, window + self.chunk)

    @property
    def rings(self) -> dict[int, int]:
        """The sizes of caches that are smaller than the context, by window."""
        windows = dict.fromkeys(layer.window for layer in self.layers if layer.window is not None)
        sizes = {window: self.cached_tokens(window) for window in windows}
        return {window: size for window, size in sizes.items() if size < self.context}

    @property
    def all_layer_sizes(self) -> dict[str, tuple[int, int]]:
        """The sizes of the linear layers of all blocks, by name in `network.Decoder`."""
        return {f"blk.{i}.{name}": size for i in range(len(self.layers)) for name, size in self.layer_sizes.items()}

    @property
    def layer_sizes(self) -> dict[str, tuple[int, int]]:
        """The numbers of inputs and outputs of the linear layers of a block, by name."""
        queries, keys = self.heads * self.head, self.groups * self.head
        return {
            "attn_q": (self.width, queries),
            "attn_k": (self.width, keys),
            "attn_v": (self.width, keys),
            "attn_output": (queries, self.width),
            "ffn_gate": (self.width, self.hidden),
            "ffn_up": (self.width, self.hidden),
            "ffn_down": (self.hidden, self.width),
        }

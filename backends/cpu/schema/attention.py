"""Ops of attention layers: SDPA and KV-cache updates."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from backends.cpu.schema.declarations import ANY, F16, F32, INDEX, Dtype, OpSpec, Tensor, bounds, optional
from backends.cpu.schema.kernel_sizes import PANEL, SDPA_KEYS, SDPA_SCORES

_MAX_SIZE = 1 << 16
_INT8 = (Dtype.INT8,)

Offsets = tuple[int, int, int]


@dataclass(frozen=True)
class SdpaF32(OpSpec):
    """Scaled dot-product attention.

    y = softmax(scale * q @ k^T + mask) @ v for each head. The heads of a row of q, k, v and y are
    adjacent. If k and v have rank 4, each group has its own rows, as in KV caches. k and v are both
    float32, both float16 or both bfloat16. 16-bit keys and values are widened block by block. The
    first three dims of the mask may be 1.

    The workspace of a thread has at least 512 * (depth + W) + 6144 + 2 * S * heads / groups floats,
    where W is the width of a value head, rounded up to a multiple of 16. 16-bit k and v need 512 *
    (depth + width) more.

    groups: number of key heads. It divides `heads`; heads / groups consecutive heads share keys and
        values.
    depth: number of elements of a query and of a key.
    offsets: index of the first head's first element in the rows of q, k and v.
    causal: query i attends to keys 0 to `position` + i, where `position` is the index of query 0
        among the keys.
    """

    heads: int = field(metadata=bounds(1, _MAX_SIZE))
    groups: int = field(metadata=bounds(1, _MAX_SIZE))
    depth: int = field(metadata=bounds(1, _MAX_SIZE))
    offsets: Offsets = field(metadata=bounds(0))
    causal: bool
    scale: float

    code: ClassVar[int] = 14
    inputs: ClassVar[tuple[Tensor, ...]] = (
        Tensor("q", "[B, S, row]"),
        Tensor("k", "[B, T, row] | [B, groups, T, row]", (*F32, *F16)),
        Tensor("v", "[B, T, row] | [B, groups, T, row]", (*F32, *F16)),
        optional("mask", "[B, heads, S, T]"),
    )
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[B, S, heads * width]"),)
    workspaces: ClassVar[tuple[Tensor, ...]] = (Tensor("workspace", "[threads, floats]"),)
    dims: ClassVar[tuple[str, ...] | None] = ("position",)

    def workspace(self, queries: Any, width: int, is_widened: bool) -> Any:
        """Return the number of floats that a thread needs.

        The workspace contains a block of packed keys and values, scores, and the maximum and sum of
        each query. If keys and values are not float32, it also contains a widened block.
        """
        padded = -(-width // PANEL) * PANEL
        widened = self.depth + width if is_widened else 0
        return SDPA_KEYS * (self.depth + padded + widened) + SDPA_SCORES + 2 * queries * (self.heads // self.groups)


@dataclass(frozen=True)
class SdpaF32Qd8kv(SdpaF32):
    """Scaled dot-product attention over int8 keys and values.

    Each row of k and v has a scale: keys are k * k_scales, and values are v * v_scales. Rows become
    float32 block by block. The rest is as in `sdpa_f32`; the workspace is that of 16-bit keys and
    values.
    """

    code: ClassVar[int] = 52
    inputs: ClassVar[tuple[Tensor, ...]] = (
        Tensor("q", "[B, S, row]"),
        Tensor("k", "[B, groups, T, row]", _INT8),
        Tensor("v", "[B, groups, T, row]", _INT8),
        Tensor("k_scales", "[B, groups, T]"),
        Tensor("v_scales", "[B, groups, T]"),
        optional("mask", "[B, heads, S, T]"),
    )


@dataclass(frozen=True)
class KvUpdate(OpSpec):
    """Replace rows of a cache: y[a, positions[i], c] = rows[a, i, c].

    Negative positions count from the end. Without `positions`, row i is written to position start +
    i; `start` is a dim of the payload. A call fails before it writes if a position is not in the
    cache.
    """

    code: ClassVar[int] = 24
    inputs: ClassVar[tuple[Tensor, ...]] = (
        Tensor("cache", "[A, T, C]", ANY),
        Tensor("rows", "[A, n, C]", ANY),
        optional("positions", "[...]", INDEX),
    )
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[A, T, C]", ANY),)
    dims: ClassVar[tuple[str, ...] | None] = None
    in_place: ClassVar[int | None] = 0

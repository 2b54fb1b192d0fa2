"""Reference semantics of SDPA and `kv_update`."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.ops.reference import Sizes, check_shapes, evaluate, expect
from backends.cpu.schema.attention import KvUpdate, SdpaF32, SdpaF32Qd8kv

_RANK_OF_CACHES = 4


@check_shapes.register
def _check_sdpa(spec: SdpaF32, sizes: Sizes) -> None:
    expect(spec, len(sizes) in (5, 6), f"{len(sizes)} tensors, expected 5 or 6")
    q, y = sizes[0], sizes[-2]
    k, v = ((each[0], *each[-2:]) for each in sizes[1:3])
    expect(
        spec,
        q[:2] == y[:2] and k[:2] == v[:2] and q[0] == k[0],
        f"batch sizes or numbers of rows of {q}, {k}, {v} and {y} do not match",
    )
    divides = y[2] % spec.heads == 0 and spec.heads % spec.groups == 0
    expect(spec, divides, f"{spec.heads} heads in {spec.groups} groups do not fit output {y}")
    expect(spec, len(sizes) == 5 or sizes[3][3] == k[1], f"the mask has sizes {sizes[3]}, expected {k[1]} keys")


@check_shapes.register
def _check_sdpa_of_int8(spec: SdpaF32Qd8kv, sizes: Sizes) -> None:
    q, k, v, k_scales, v_scales, *others = sizes
    expect(spec, k_scales == k[:3] and v_scales == v[:3], f"scales {k_scales} and {v_scales} are not those of rows")
    _check_sdpa(spec, (q, k, v, *others))


@evaluate.register
def _sdpa(spec: SdpaF32, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    q, k, v, *masks = (each.float() for each in inputs)
    width = outputs[0].shape[-1] // spec.heads
    counts = ((spec.heads, spec.depth), (spec.groups, spec.depth), (spec.groups, width))
    query, key, value = (
        _heads(x[..., offset:], heads, size)
        for x, offset, (heads, size) in zip((q, k, v), spec.offsets, counts, strict=True)
    )
    mask = masks[0] if masks else torch.zeros(q.shape[1], k.shape[-2])
    if spec.causal:
        hidden = torch.ones(q.shape[1], k.shape[-2], dtype=torch.bool).triu(dims[0] + 1)
        mask = mask.masked_fill(hidden, float("-inf"))
    y = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=spec.scale, enable_gqa=True)
    outputs[0].copy_(y.transpose(1, 2).flatten(2))


@evaluate.register
def _sdpa_of_int8(spec: SdpaF32Qd8kv, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    q, k, v, k_scales, v_scales, *masks = inputs
    _sdpa(spec, (q, k * k_scales.unsqueeze(-1), v * v_scales.unsqueeze(-1), *masks), outputs, dims)


def _heads(x: Tensor, heads: int, size: int) -> Tensor:
    """Reshape [B, rows, ...] or [B, heads, rows, ...] to [B, heads, rows, size]."""
    if x.dim() == _RANK_OF_CACHES:
        return x[..., :size]
    return x[..., : heads * size].unflatten(-1, (heads, size)).transpose(1, 2)


@check_shapes.register
def _check_update(spec: KvUpdate, sizes: Sizes) -> None:
    expect(spec, len(sizes) in (3, 4), f"{len(sizes)} tensors, expected 3 or 4")
    cache, rows, *_, y = sizes
    expect(spec, cache == y and len(cache) == len(rows) == 3, f"cache is {cache}, but output is {y}")
    expect(
        spec,
        (rows[0], rows[2]) == (cache[0], cache[2]),
        f"rows {rows} and cache {cache} have different outer or inner sizes",
    )


@evaluate.register
def _update(spec: KvUpdate, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    cache, rows, *positions = inputs
    at = positions[0].long() if positions else torch.arange(dims[0], dims[0] + rows.shape[1])
    updated = cache.clone()
    updated[:, at] = rows
    outputs[0].copy_(updated)

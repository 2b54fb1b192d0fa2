"""Rotary position embeddings (Su et al., 2021), and extensions to longer texts.

Two elements of a head form a pair, which is rotated by the position times the speed of the pair.
Extensions change the speeds of a trained model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class Rotary:
    """Rotary position embeddings of a layer.

    speeds: angle per position, in radians, of each pair.
    magnitude: factor of the rotated elements.
    """

    speeds: tuple[float, ...]
    magnitude: float = 1.0

    @property
    def size(self) -> int:
        """The number of rotated elements of a head; the others are not changed."""
        return 2 * len(self.speeds)


def plain_rotary(size: int, base: float, divisors: Sequence[float] | None = None) -> Rotary:
    """Return embeddings with speeds `base ** (-2 i / size)`, divided by `divisors`."""
    speeds = [base ** (-2 * i / size) for i in range(size // 2)]
    if divisors is None:
        return Rotary(tuple(speeds))
    return Rotary(tuple(speed / divisor for speed, divisor in zip(speeds, divisors, strict=True)))


def scaled_rotary(size: int, base: float, scaling: Mapping[str, Any], context: int, trained: int) -> Rotary:
    """Return embeddings for the scaling of a `config.json`.

    scaling: `rope_scaling` or `rope_parameters`; its `rope_type` selects the method.
    context: number of tokens in the KV cache.
    trained: the model's maximum number of positions, `max_position_embeddings`.

    Raises ValueError for an unknown method.
    """
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind == "default":
        return plain_rotary(size, base)
    if kind == "linear":
        return plain_rotary(size, base, [scaling["factor"]] * (size // 2))
    if kind not in _METHODS:
        raise ValueError(f"'rope_type' is '{kind}'; supported: default, linear, {', '.join(_METHODS)}")
    return _METHODS[kind](plain_rotary(size, base), base, scaling, context, trained)


def _llama3(plain: Rotary, base: float, scaling: Mapping[str, Any], context: int, trained: int) -> Rotary:
    """Divide the speeds of long waves by a factor (Llama 3.1).

    Waves of medium length are interpolated.
    """
    factor, low, high = scaling["factor"], scaling["low_freq_factor"], scaling["high_freq_factor"]
    original = scaling["original_max_position_embeddings"]

    def changed(speed: float) -> float:
        turns = original * speed / (2 * math.pi)
        part = min(max((turns - low) / (high - low), 0.0), 1.0)
        return (1 - part) * speed / factor + part * speed

    return Rotary(tuple(changed(speed) for speed in plain.speeds))


def _yarn(plain: Rotary, base: float, scaling: Mapping[str, Any], context: int, trained: int) -> Rotary:
    """Divide the speeds of slow pairs by a factor (YaRN, Peng et al., 2023)."""
    original = scaling.get("original_max_position_embeddings") or trained
    factor = scaling.get("factor") or trained / original
    first, last = (
        plain.size * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base))
        for turns in (scaling.get("beta_fast") or 32, scaling.get("beta_slow") or 1)
    )
    if scaling.get("truncate", True):
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, plain.size - 1)
    span = last - first or 0.001

    def changed(i: int, speed: float) -> float:
        slow = min(max((i - first) / span, 0.0), 1.0)
        return slow * speed / factor + (1 - slow) * speed

    speeds = tuple(changed(i, speed) for i, speed in enumerate(plain.speeds))
    return Rotary(speeds, _yarn_magnitude(factor, scaling))


def _yarn_magnitude(factor: float, scaling: Mapping[str, Any]) -> float:
    def growth(scale: float) -> float:
        return 1.0 if factor <= 1 else 0.1 * scale * math.log(factor) + 1.0

    known, scale, of_all = (scaling.get(key) for key in ("attention_factor", "mscale", "mscale_all_dim"))
    if known is not None:
        return float(known)
    return growth(scale) / growth(of_all) if scale and of_all else growth(1.0)


def _longrope(plain: Rotary, base: float, scaling: Mapping[str, Any], context: int, trained: int) -> Rotary:
    """Divide each speed by a learned factor (LongRoPE, Ding et al., 2024).

    The factors for long texts are used if the KV cache is longer than the texts of the first training.
    """
    original = scaling.get("original_max_position_embeddings") or trained
    factor = scaling.get("factor") or trained / original
    divisors = scaling["long_factor" if context > original else "short_factor"]
    magnitude = scaling.get("attention_factor")
    if magnitude is None:
        magnitude = 1.0 if factor <= 1 else math.sqrt(1 + math.log(factor) / math.log(original))
    speeds = tuple(speed / divisor for speed, divisor in zip(plain.speeds, divisors, strict=True))
    return Rotary(speeds, float(magnitude))


_METHODS = {"llama3": _llama3, "yarn": _yarn, "longrope": _longrope}


def rotation_tables(rotary: Rotary, context: int) -> tuple[Tensor, Tensor]:
    """Return the cosines and sines of all positions: float32 [context, pairs]."""
    angles = torch.outer(torch.arange(context, dtype=torch.float64), torch.tensor(rotary.speeds, dtype=torch.float64))
    return (angles.cos() * rotary.magnitude).float(), (angles.sin() * rotary.magnitude).float()


def rotate(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Rotate the pairs of the last dimension; elements i and i + pairs form a pair.

    cosines, sines: [tokens, pairs]. Elements after the first `2 * pairs` are not changed.
    """
    pairs = cosines.shape[-1]
    first, second, rest = x[..., :pairs], x[..., pairs : 2 * pairs], x[..., 2 * pairs :]
    turned = (first * cosines - second * sines, second * cosines + first * sines)
    return torch.cat((*turned, rest) if rest.shape[-1] else turned, -1)

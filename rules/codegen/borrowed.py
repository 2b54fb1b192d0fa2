"""Data that the caller of a load function provides, instead of the library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Borrowed:
    """Data that the caller of a load function provides.

    `programs` maps a model's prefix to the path of its program below the runfiles; empty if programs are
    embedded. `weights` is true if the caller provides the weights files.
    """

    programs: Mapping[str, str] = field(default_factory=dict)
    weights: bool = False

"""What is no part of a library and given to its load functions at run time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Lent:
    """programs: where each program's file lies below the runfiles, by the model's prefix; empty where programs are embedded.
    weights: whether the files of weights are given."""

    programs: Mapping[str, str] = field(default_factory=dict)
    weights: bool = False

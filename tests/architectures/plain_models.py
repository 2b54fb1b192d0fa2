"""Architectures that are written in plain PyTorch.

No package has them, or a few lines define them.
"""

from __future__ import annotations

from collections.abc import Iterator

import exir.dialects.grouped_ops  # noqa: F401  (registers an operator of theirs)
from tests.architectures.architecture import Architecture
from tests.architectures.plain import pictures, sequences, sound


def architectures() -> Iterator[Architecture]:
    for part in (pictures, sequences, sound):
        for name, make in part.SUBJECTS.items():
            yield Architecture("torch", name, make)

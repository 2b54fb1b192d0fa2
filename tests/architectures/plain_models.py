"""Architectures in plain PyTorch, which are short or not available in a package."""

from __future__ import annotations

from collections.abc import Iterator

import exir.dialects.grouped_ops  # noqa: F401  (registers an operator of theirs)
from tests.architectures.architecture import Architecture
from tests.architectures.plain import images, sequences, sound


def architectures() -> Iterator[Architecture]:
    for module in (images, sequences, sound):
        for name, make in module.SUBJECTS.items():
            yield Architecture("torch", name, make)

"""The models of //models, with weights from the published files."""

from __future__ import annotations

import torch
from torch import nn

from exir import ModelSpec
from models.classify.efficientnet_lite import efficientnet_lite0
from models.listen.silero_vad import CHUNK, SileroVad, silero_vad
from models.search.minilm import MiniLM, minilm

Example = tuple[nn.Module, tuple[torch.Tensor, ...]]

CHUNKS = 100
_VOCABULARY = 30522
_FIRST_WORD = 1000  # first word of the vocabulary; names and single characters precede it


def classify() -> Example:
    return efficientnet_lite0()


def search() -> ModelSpec:
    """Return the model as compiled: one program for all sentence lengths."""
    return minilm()


def search_8() -> Example:
    return _sentence(8)


def search_32() -> Example:
    return _sentence(32)


def search_128() -> Example:
    return _sentence(128)


def search_256() -> Example:
    return _sentence(256)


def listen() -> Example:
    """Return the model as compiled: one chunk per call."""
    return silero_vad()


class Recording(SileroVad):
    """Map a recording of (1, n * 512) samples to (n, 1) probabilities."""

    def forward(self, samples: torch.Tensor) -> torch.Tensor:
        for remembered in self.buffers():
            remembered.zero_()
        return torch.cat([super(Recording, self).forward(chunk) for chunk in samples.split(CHUNK, dim=1)])


def listen_100() -> Example:
    return Recording().eval(), (torch.randn(1, CHUNKS * CHUNK) / 10,)


def _sentence(length: int) -> Example:
    return MiniLM().eval(), (torch.randint(_FIRST_WORD, _VOCABULARY, (1, length)),)

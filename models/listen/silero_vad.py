"""Silero VAD: the probability of speech in 32 ms of sound.

Parameters are named as in the published file, silero_vad_16k.safetensors. The network's state is in buffers.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

CHUNK = 512
_CONTEXT = 64
_WINDOW = 256
_FREQUENCIES = _WINDOW // 2 + 1
_WIDTH = 128
_REMEMBERED = {"heard": (1, _CONTEXT), "hidden": (1, _WIDTH), "cell": (1, _WIDTH)}


class SileroVad(nn.Module):
    """Convert the next 512 samples of a 16 kHz recording to a speech probability.

    The input is float32 (1, 512), the output float32 (1, 1).
    """

    def __init__(self) -> None:
        super().__init__()
        self.stft_conv = nn.Conv1d(1, 2 * _FREQUENCIES, _WINDOW, stride=_WINDOW // 2, bias=False)
        self.conv1 = nn.Conv1d(_FREQUENCIES, 128, 3, padding=1)
        self.conv2 = nn.Conv1d(128, 64, 3, stride=2, padding=1)
        self.conv3 = nn.Conv1d(64, 64, 3, stride=2, padding=1)
        self.conv4 = nn.Conv1d(64, _WIDTH, 3, padding=1)
        self.lstm_cell = nn.LSTMCell(_WIDTH, _WIDTH)
        self.final_conv = nn.Conv1d(_WIDTH, 1, 1)
        for name, sizes in _REMEMBERED.items():
            self.register_buffer(name, torch.zeros(sizes), persistent=False)

    def forward(self, samples: torch.Tensor) -> torch.Tensor:
        x = torch.cat([self.heard, samples], dim=1)
        x = self._spectrum(functional.pad(x.unsqueeze(1), (0, _CONTEXT), "reflect"))
        for convolution in (self.conv1, self.conv2, self.conv3, self.conv4):
            x = functional.relu(convolution(x))
        hidden, cell = self.lstm_cell(x.squeeze(-1), (self.hidden, self.cell))
        self.heard.copy_(samples[:, -_CONTEXT:])
        self.hidden.copy_(hidden)
        self.cell.copy_(cell)
        return torch.sigmoid(self.final_conv(functional.relu(hidden).unsqueeze(-1))).squeeze(-1)

    def _spectrum(self, x: torch.Tensor) -> torch.Tensor:
        """Return the magnitude of each frequency."""
        real, imaginary = self.stft_conv(x).split(_FREQUENCIES, dim=1)
        return torch.sqrt(real * real + imaginary * imaginary)


def silero_vad() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Entry point: the network in evaluation mode and an example input."""
    return SileroVad().eval(), (torch.zeros(1, CHUNK),)

"""Networks that recognize, enhance and synthesize audio."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import parametrizations

from tests.architectures.architecture import Subject

_WINDOW = 64


class Denoiser(nn.Module):
    """Speech enhancement: a spectral mask, and the inverse transform."""

    def __init__(self) -> None:
        super().__init__()
        self.memory, self.mask = nn.GRU(33, 24, batch_first=True), nn.Linear(24, 33)
        self.register_buffer("window", torch.hann_window(_WINDOW))

    def forward(self, samples: Tensor) -> Tensor:
        frames = samples.unfold(-1, _WINDOW, _WINDOW // 2) * self.window
        spectrum = torch.fft.rfft(frames)
        loudness = torch.log1p(spectrum.abs())
        cleaned = torch.fft.irfft(spectrum * self.mask(self.memory(loudness)[0]).sigmoid(), n=_WINDOW) * self.window
        size = (1, samples.shape[-1])
        both = torch.stack((cleaned, (self.window**2).expand_as(cleaned))).transpose(2, 3).flatten(0, 1)
        added = functional.fold(both, size, (1, _WINDOW), stride=(1, _WINDOW // 2))[:, 0, 0]
        total, norm = added.chunk(2)
        return total / norm.clamp(min=1e-3)


class MelSpectrogram(nn.Module):
    """A log-mel spectrogram, normalized by its maximum."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(_WINDOW))
        self.register_buffer("bands", torch.rand(20, 33))

    def forward(self, samples: Tensor) -> Tensor:
        spectrum = torch.stft(samples, _WINDOW, 16, window=self.window, return_complex=True)
        bands = (self.bands @ spectrum.abs().square()).clamp(min=1e-10).log10()
        return torch.maximum(bands, bands.amax((1, 2), keepdim=True) - 8.0)


class Separator(nn.Module):
    """Conv-TasNet: a learned filter bank, dilated convolutions, speaker masks."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.Conv1d(1, 16, 16, 8), nn.ConvTranspose1d(16, 1, 16, 8)
        blocks = [
            nn.Sequential(
                nn.Conv1d(16, 24, 1),
                nn.PReLU(),
                nn.GroupNorm(1, 24),
                nn.Conv1d(24, 24, 3, padding=2**level, dilation=2**level, groups=24),
                nn.Conv1d(24, 16, 1),
            )
            for level in range(3)
        ]
        self.blocks, self.masks = nn.ModuleList(blocks), nn.Conv1d(16, 32, 1)

    def forward(self, samples: Tensor) -> Tensor:
        heard = self.encoder(samples).relu()
        x = heard
        for block in self.blocks:
            x = x + block(x)
        masks = self.masks(x).unflatten(1, (2, 16)).softmax(1)
        return self.decoder((masks * heard[:, None]).flatten(0, 1))


class Vocoder(nn.Module):
    """HiFi-GAN: upsamples a spectrogram to samples, with weight norm."""

    def __init__(self) -> None:
        super().__init__()
        self.begin = parametrizations.weight_norm(nn.Conv1d(20, 32, 7, padding=3))
        self.rise = parametrizations.weight_norm(nn.ConvTranspose1d(32, 16, 8, 4, 2))
        self.rooms = nn.ModuleList(
            parametrizations.weight_norm(nn.Conv1d(16, 16, 3, padding=dilation, dilation=dilation))
            for dilation in (1, 3, 5)
        )
        self.end = nn.Conv1d(16, 1, 7, padding=3)

    def forward(self, bands: Tensor) -> Tensor:
        x = self.rise(functional.leaky_relu(self.begin(bands), 0.1))
        x = torch.stack([x + room(functional.leaky_relu(x, 0.1)) for room in self.rooms]).mean(0)
        return torch.tanh(self.end(functional.leaky_relu(x)))


class SineVocoder(nn.Module):
    """Vocos and Snake: phases from a cumulative pitch, and an inverse FFT."""

    def __init__(self) -> None:
        super().__init__()
        self.alpha, self.body = nn.Parameter(torch.ones(8, 1)), nn.Conv1d(20, 8, 3, padding=1)
        self.end = nn.Conv1d(8, 66, 1)

    def forward(self, bands: Tensor, pitch: Tensor) -> tuple[Tensor, Tensor]:
        x = self.body(bands)
        x = x + (self.alpha * x).sin().square() / (self.alpha + 1e-9)
        loudness, phase = self.end(x).chunk(2, 1)
        spectrum = torch.polar(loudness.clamp(max=5).exp(), phase)
        frames = torch.fft.irfft(spectrum.transpose(1, 2))
        steady = functional.interpolate(pitch[:, None], scale_factor=16, mode="linear")[:, 0]
        return frames, torch.sin(2 * math.pi * torch.cumsum(steady / 16000, -1))


class Flow(nn.Module):
    """Glow-TTS and VITS: inverse coupling layers."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Sequential(nn.Conv1d(4, 32, 5, padding=2), nn.GLU(1), nn.Conv1d(16, 8, 1)) for _ in range(3)
        )

    def forward(self, z: Tensor, mask: Tensor) -> Tensor:
        for layer in self.layers:
            first, second = z.flip(1).chunk(2, 1)
            mean, scale = layer(first * mask).chunk(2, 1)
            z = torch.cat((first, (second - mean) * torch.exp(-scale) * mask), 1)
        return z


class DurationAligner(nn.Module):
    """FastSpeech's length regulator: repeats letters to fill at most twenty frames."""

    def __init__(self) -> None:
        super().__init__()
        self.letters, self.lengths = nn.Embedding(40, 16), nn.Linear(16, 1)

    def forward(self, letters: Tensor) -> tuple[Tensor, Tensor]:
        x = self.letters(letters)
        lengths = torch.ceil(functional.softplus(self.lengths(x))[..., 0])
        ends = lengths.cumsum(-1)
        frames = torch.arange(20)
        inside = (frames[:, None] < ends[:, None]) & (frames[:, None] >= (ends - lengths)[:, None])
        return inside.float() @ x, ends[:, -1].clamp(max=20).long()


class Transducer(nn.Module):
    """RNN-T: an audio encoder, a text predictor, and a joint network for all pairs."""

    def __init__(self) -> None:
        super().__init__()
        self.sound, self.said = nn.LSTM(20, 24, batch_first=True), nn.LSTM(16, 24, batch_first=True)
        self.words, self.joint = nn.Embedding(30, 16), nn.Linear(24, 30)

    def forward(self, bands: Tensor, words: Tensor) -> Tensor:
        said = functional.pad(self.words(words), (0, 0, 1, 0))
        both = self.sound(bands)[0][:, :, None] + self.said(said)[0][:, None]
        return self.joint(both.tanh()).log_softmax(-1)


class Conformer(nn.Module):
    """A Conformer block: half-step feed-forward, relative attention, convolution."""

    def __init__(self) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(32) for _ in range(4))
        self.steps = nn.ModuleList(nn.Sequential(nn.Linear(32, 64), nn.SiLU(), nn.Linear(64, 32)) for _ in range(2))
        self.parts, self.places = nn.Linear(32, 96), nn.Parameter(torch.randn(39, 8))
        self.convolution = nn.Sequential(
            nn.Conv1d(32, 64, 1), nn.GLU(1), nn.Conv1d(32, 32, 7, padding=3, groups=32), nn.BatchNorm1d(32), nn.SiLU()
        )

    def _attend(self, x: Tensor) -> Tensor:
        query, key, value = (part.unflatten(-1, (4, 8)).transpose(1, 2) for part in self.parts(x).chunk(3, -1))
        length = x.shape[1]
        relative = functional.pad(query @ self.places[: 2 * length - 1].T, (1, 0))
        shifted = relative.reshape(*relative.shape[:2], 2 * length, length)[:, :, 1:].reshape(
            *relative.shape[:3], 2 * length - 1
        )[..., :length]
        weights = ((query @ key.transpose(-1, -2) + shifted) / 8**0.5).softmax(-1)
        return (weights @ value).transpose(1, 2).flatten(2)

    def forward(self, x: Tensor) -> Tensor:
        x = x + 0.5 * self.steps[0](self.norms[0](x))
        x = x + self._attend(self.norms[1](x))
        x = x + self.convolution(self.norms[2](x).transpose(1, 2)).transpose(1, 2)
        return self.norms[3](x + 0.5 * self.steps[1](x))


class KeywordSpotter(nn.Module):
    """A streaming recognizer: buffers hold the last frames and the recurrent state."""

    past: Tensor
    state: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.convolution, self.cell, self.words = nn.Conv1d(20, 24, 4), nn.GRUCell(24, 24), nn.Linear(24, 3)
        self.register_buffer("past", torch.zeros(1, 20, 3))
        self.register_buffer("state", torch.zeros(1, 24))

    def forward(self, frame: Tensor) -> Tensor:
        window = torch.cat((self.past, frame), -1)
        self.past.copy_(window[..., 1:])
        self.state.copy_(self.cell(self.convolution(window)[..., 0].relu(), self.state))
        return self.words(self.state).softmax(-1)


class SpeakerEncoder(nn.Module):
    """ECAPA-TDNN: multi-scale convolutions, channel attention, attentive pooling."""

    def __init__(self) -> None:
        super().__init__()
        self.begin = nn.Conv1d(20, 32, 5, padding=2)
        self.scales = nn.ModuleList(nn.Conv1d(8, 8, 3, padding=2, dilation=2) for _ in range(3))
        self.weigh, self.attend = nn.Linear(32, 32), nn.Conv1d(96, 32, 1)

    def forward(self, bands: Tensor) -> Tensor:
        first, *others = self.begin(bands).relu().chunk(4, 1)
        parts = [first]
        for other, scale in zip(others, self.scales, strict=True):
            parts.append(scale(other + parts[-1]).relu())
        x = torch.cat(parts, 1)
        x = x * self.weigh(x.mean(-1)).sigmoid()[..., None]
        deviation, mean = torch.std_mean(x, -1, keepdim=True)
        weights = self.attend(torch.cat((x, mean.expand_as(x), deviation.expand_as(x)), 1).tanh()).softmax(-1)
        mean = (weights * x).sum(-1)
        deviation = ((weights * x**2).sum(-1) - mean**2).clamp(min=1e-9).sqrt()
        return functional.normalize(torch.cat((mean, deviation), 1), dim=1)


def _bands(frames: int = 20) -> Tensor:
    return torch.randn(1, 20, frames)


SUBJECTS = {
    "Denoiser": lambda: Subject(Denoiser(), ((torch.randn(1, 320),),)),
    "MelSpectrogram": lambda: Subject(MelSpectrogram(), ((torch.randn(1, 320),),)),
    "Separator": lambda: Subject(Separator(), ((torch.randn(1, 1, 320),),)),
    "Vocoder": lambda: Subject(Vocoder(), ((_bands(),),)),
    "SineVocoder": lambda: Subject(SineVocoder(), ((_bands(), 100 + 100 * torch.rand(1, 20)),)),
    "Flow": lambda: Subject(Flow(), ((torch.randn(1, 8, 20), torch.ones(1, 1, 20)),)),
    "DurationAligner": lambda: Subject(DurationAligner(), ((torch.randint(0, 40, (1, 7)),),)),
    "Transducer": lambda: Subject(Transducer(), ((torch.randn(1, 9, 20), torch.randint(0, 30, (1, 4))),)),
    "Conformer": lambda: Subject(Conformer(), ((torch.randn(1, 20, 32),),)),
    "KeywordSpotter": lambda: Subject(KeywordSpotter(), tuple((_bands(1),) for _ in range(4))),
    "SpeakerEncoder": lambda: Subject(SpeakerEncoder(), ((_bands(),),)),
}

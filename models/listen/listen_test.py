"""Speech is found where it is, with the probabilities that the wheel's own layers give."""

from __future__ import annotations

import os
import subprocess
import wave
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from models.listen.published_layers import Tensor, load
from models.listen.silero_vad import CHUNK

_CONTEXT = 64


def _listen(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([os.environ["LISTEN"], *arguments], capture_output=True, text=True, check=False)


def _samples(path: Path) -> torch.Tensor:
    with wave.open(str(path)) as sound:
        samples = np.frombuffer(sound.readframes(sound.getnframes()), np.int16)
    padded = np.pad(samples, (0, -len(samples) % CHUNK))
    return torch.from_numpy(padded.reshape(-1, CHUNK).astype(np.float32) / 32768)


@torch.no_grad()
def _published(chunks: torch.Tensor) -> list[float]:
    network = load(Path(os.environ["LAYERS"]), load_file(os.environ["WEIGHTS"]))
    heard, state, found = torch.zeros(1, _CONTEXT), None, []
    for chunk in chunks:
        probability, state = network(Tensor(torch.cat([heard, chunk.unsqueeze(0)], 1)), state)
        heard = chunk[None, -_CONTEXT:]
        found.append(float(probability.value))
    return found


def _with_noise(path: Path, folder: Path) -> Path:
    """The recording, then two seconds of noise."""
    noise = np.random.default_rng(0).normal(0, 3000, 32000).astype(np.int16)
    copy = folder / "noise.wav"
    with wave.open(str(path)) as sound, wave.open(str(copy), "wb") as longer:
        longer.setparams(sound.getparams())
        longer.writeframes(sound.readframes(sound.getnframes()) + noise.tobytes())
    return copy


def test_probabilities_are_those_of_the_published_layers(tmp_path: Path) -> None:
    sound = _with_noise(Path(os.environ["SOUND"]), tmp_path)
    lines = [line.split() for line in _listen(str(sound), "--chunks").stdout.splitlines()]
    found = [float(words[2]) for words in lines if len(words) == 3]
    expected = _published(_samples(sound))
    assert len(found) == len(expected) > 150
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)


def test_each_recording_begins_anew() -> None:
    """In one process: what the network remembers of one is not there in the next."""
    sound = os.environ["SOUND"]
    alone = _listen(sound, "--chunks").stdout
    assert _listen(sound, sound, "--chunks").stdout == f"{sound}\n{alone}" * 2


@pytest.mark.parametrize(("rate", "width"), [(8000, 2), (44100, 2), (16000, 1), (16000, 3)])
def test_other_samples_are_told(tmp_path: Path, rate: int, width: int) -> None:
    path = tmp_path / "other.wav"
    with wave.open(str(path), "wb") as sound:
        sound.setparams((1, width, rate, 0, "NONE", ""))
        sound.writeframes(bytes(width * rate))
    result = _listen(str(path))
    assert result.returncode == 1
    assert result.stderr.startswith(
        f"{path}: {8 * width}-bit samples at {rate} Hz, not 16-bit samples at 16 kHz; convert it, for example: ffmpeg"
    )


def test_two_sentences_are_two_intervals() -> None:
    result = _listen(os.environ["SOUND"])
    assert result.returncode == 0, result.stderr
    intervals = [
        tuple(float(word) for word in line.split() if word[0].isdigit()) for line in result.stdout.splitlines()
    ]
    assert len(intervals) == 2
    (_, first_end), (second_begin, _) = intervals
    assert second_begin - first_end > 0.5


def test_picture_shows_the_intervals(tmp_path: Path) -> None:
    picture = tmp_path / "sound.svg"
    assert _listen(os.environ["SOUND"], "--svg", str(picture)).returncode == 0
    text = picture.read_text(encoding="utf-8")
    assert text.startswith("<svg ")
    assert text.endswith("</svg>\n")
    assert text.count("<rect") > 20


@pytest.mark.parametrize("content", [b"", b"RIFF\0\0\0\0WAVE", b"RIFF\0\0\0\0WAVEfmt \xff\xff\xff\xff", b"text" * 20])
def test_what_is_no_recording_is_told(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other.wav"
    path.write_bytes(content)
    result = _listen(str(path))
    assert result.returncode == 1
    assert result.stderr.startswith(f"{path}: not 16-bit samples at 16 kHz; convert it")

"""Tests that speech is found, with the probabilities of the published layers."""

from __future__ import annotations

import os
import struct
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
    """Append two seconds of noise to a recording."""
    noise = np.random.default_rng(0).normal(0, 3000, 32000).astype(np.int16)
    copy = folder / "noise.wav"
    with wave.open(str(path)) as sound, wave.open(str(copy), "wb") as longer:
        longer.setparams(sound.getparams())
        longer.writeframes(sound.readframes(sound.getnframes()) + noise.tobytes())
    return copy


def test_probabilities_match_the_published_model(tmp_path: Path) -> None:
    sound = _with_noise(Path(os.environ["SOUND"]), tmp_path)
    lines = [line.split() for line in _listen(str(sound), "--chunks").stdout.splitlines()]
    found = [float(words[2]) for words in lines if len(words) == 3]
    expected = _published(_samples(sound))
    assert len(found) == len(expected) > 150
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)


def test_state_is_reset_for_each_recording() -> None:
    """Test that the network's state does not persist between recordings."""
    sound = os.environ["SOUND"]
    alone = _listen(sound, "--chunks").stdout
    assert _listen(sound, sound, "--chunks").stdout == f"{sound}\n{alone}" * 2


@pytest.mark.parametrize(("rate", "width"), [(8000, 2), (44100, 2), (16000, 1), (16000, 3)])
def test_unsupported_sample_formats_are_reported(tmp_path: Path, rate: int, width: int) -> None:
    path = tmp_path / "other.wav"
    with wave.open(str(path), "wb") as sound:
        sound.setparams((1, width, rate, 0, "NONE", ""))
        sound.writeframes(bytes(width * rate))
    result = _listen(str(path))
    assert result.returncode == 1
    assert result.stderr.startswith(
        f"{path}: {8 * width}-bit samples at {rate} Hz; not 16-bit samples at 16 kHz; convert it, for example: ffmpeg"
    )


def test_two_sentences_give_two_intervals() -> None:
    result = _listen(os.environ["SOUND"])
    assert result.returncode == 0, result.stderr
    intervals = [
        tuple(float(word) for word in line.split() if word[0].isdigit()) for line in result.stdout.splitlines()
    ]
    assert len(intervals) == 2
    (_, first_end), (second_begin, _) = intervals
    assert second_begin - first_end > 0.5


def test_plot_shows_the_intervals(tmp_path: Path) -> None:
    drawing = tmp_path / "sound.svg"
    assert _listen(os.environ["SOUND"], "--svg", str(drawing)).returncode == 0
    text = drawing.read_text(encoding="utf-8")
    assert text.startswith("<svg ")
    assert text.endswith("</svg>\n")
    assert text.count("<rect") > 20


@pytest.mark.parametrize("content", [b"", b"RIFF\0\0\0\0WAVE", b"RIFF\0\0\0\0WAVEfmt \xff\xff\xff\xff", b"text" * 20])
def test_file_that_is_not_audio_is_reported(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other.wav"
    path.write_bytes(content)
    result = _listen(str(path))
    assert result.returncode == 1
    assert result.stderr.startswith(f"{path}: not 16-bit samples at 16 kHz; convert it")


def _riff(*chunks: tuple[bytes, bytes]) -> bytes:
    body = b"".join(name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2) for name, data in chunks)
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WAVE" + body


def _format(kind: int, channels: int, rate: int, bits: int) -> tuple[bytes, bytes]:
    frame = channels * bits // 8
    return b"fmt ", struct.pack("<HHIIHH", kind, channels, rate, rate * frame, frame, bits)


_PCM, _FLOAT = 1, 3
_MONO = _format(_PCM, 1, 16000, 16)


def _sound() -> bytes:
    with wave.open(os.environ["SOUND"]) as sound:
        return sound.readframes(sound.getnframes())


def _heard(content: bytes, tmp_path: Path) -> str:
    path = tmp_path / "sound.wav"
    path.write_bytes(content)
    result = _listen(str(path), "--chunks")
    assert result.returncode == 0, result.stderr
    return result.stdout


def _refused(content: bytes, tmp_path: Path) -> str:
    path = tmp_path / "sound.wav"
    path.write_bytes(content)
    result = _listen(str(path))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith(f"{path}: ")
    return result.stderr.removeprefix(f"{path}: ").rstrip("\n")


_EXTENDED = b"\x16\0" + bytes(22)


@pytest.mark.parametrize(
    "head",
    [
        pytest.param([(b"LIST", b"INFOodd"), _MONO, (b"fact", bytes(4))], id="other chunks, of odd sizes too"),
        pytest.param([(b"fmt ", _MONO[1] + b"\0\0")], id="a longer format"),
        pytest.param([(b"fmt ", _MONO[1] + b"\1\0x")], id="a longer format of odd size"),
        pytest.param([(b"fmt ", _format(0xFFFE, 1, 16000, 16)[1] + _EXTENDED)], id="an extensible format"),
    ],
)
def test_wav_header_variants_give_equal_results(head: list[tuple[bytes, bytes]], tmp_path: Path) -> None:
    samples = _sound()
    assert (
        _heard(_riff(*head, (b"data", samples), (b"id3 ", b"after")), tmp_path)
        == _listen(os.environ["SOUND"], "--chunks").stdout
    )


def test_stereo_channels_are_mixed(tmp_path: Path) -> None:
    one = np.frombuffer(_sound(), np.int16)
    both = np.repeat(one, 2).tobytes()
    head = _format(_PCM, 2, 16000, 16)
    assert _heard(_riff(head, (b"data", both)), tmp_path) == _listen(os.environ["SOUND"], "--chunks").stdout


@pytest.mark.parametrize("size", [0xFFFFFFFF, 0x7FFFFFFF])
def test_truncated_recording_is_processed_to_its_end(size: int, tmp_path: Path) -> None:
    """Test truncated files, as written by programs that write to a pipe."""
    samples = _sound()[:32001]  # and half a sample
    whole = _riff(_MONO, (b"data", samples[:-1]))
    cut = whole[:40] + struct.pack("<I", size) + samples
    assert _heard(cut, tmp_path) == _heard(whole, tmp_path)


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (_format(_PCM, 1, 8000, 16), "16-bit samples at 8000 Hz; "),
        (_format(_PCM, 2, 44100, 16), "16-bit samples at 44100 Hz; "),
        (_format(_PCM, 1, 16000, 24), "24-bit samples at 16000 Hz; "),
        (_format(_FLOAT, 1, 16000, 32), "32-bit samples at 16000 Hz that are not integers; "),
        (_format(_FLOAT, 1, 16000, 16), "16-bit samples at 16000 Hz that are not integers; "),
        (_format(_PCM, 0, 16000, 16), "16-bit samples at 16000 Hz in 0 channels; "),
        (_format(_PCM, 65, 16000, 16), "16-bit samples at 16000 Hz in 65 channels; "),
    ],
)
def test_unsupported_wav_header_states_the_remedy(head: tuple[bytes, bytes], found: str, tmp_path: Path) -> None:
    message = _refused(_riff(head, (b"data", bytes(1000))), tmp_path)
    assert message.startswith(f"{found}not 16-bit samples at 16 kHz; convert it, for example: ffmpeg")


@pytest.mark.parametrize("chunks", [[_MONO], [_MONO, (b"data", b"")], [_MONO, (b"data", b"x")]])
def test_recording_without_samples_is_reported(chunks: list[tuple[bytes, bytes]], tmp_path: Path) -> None:
    assert _refused(_riff(*chunks), tmp_path) == "has no samples"


def test_recording_shorter_than_a_chunk_is_processed(tmp_path: Path) -> None:
    assert len(_heard(_riff(_MONO, (b"data", bytes(2))), tmp_path).splitlines()) == 1


def test_missing_recording_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "missing.wav"
    result = _listen(str(path))
    assert (result.returncode, result.stderr) == (1, f"{path}: No such file or directory\n")

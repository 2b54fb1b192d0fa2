"""Lines are ranked by meaning, by vectors that are eager PyTorch's, made once."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from models.search.minilm import LONGEST, WIDTH, MiniLM

_HEAD = 32
_SENTENCES = 200
_WORDS = (
    *("a", "the", "ship", "sails", "unbelievably", "over", "Zürich", "don't", "3.14", "https://example.com/?q=1"),
    *("Привет", "мир", "中文", "東京", "한국어", "हिन्दी", "مرحبا", "😀", "👩‍👩‍👧", "☕️", "…", "ÉCOLE", "x" * 120),
)
_CORPUS = """\
The cat sleeps on the warm window sill.
Interest rates were raised by a quarter of a percent.

Water boils at a lower temperature on high mountains.
A kitten naps in the sunshine.
The central bank tightened its monetary policy.
How do I bake bread without yeast?
"""


def _search(corpus: Path, query: str, *count: str) -> subprocess.CompletedProcess[str]:
    command = [os.environ["SEARCH"], str(corpus), query, *count]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _vectors(corpus: Path) -> np.ndarray:
    """Those that the program kept."""
    kept = corpus.with_name(f"{corpus.name}.vectors").read_bytes()
    return np.frombuffer(kept[_HEAD:], np.float32).reshape(-1, WIDTH)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text(_CORPUS, encoding="utf-8")
    return path


def _sentences() -> list[str]:
    """An empty one, and others of one word to more than fit; most are short."""
    draw = random.Random(0)
    lengths = [0, *(1 + int(200 * (number / _SENTENCES) ** 3) for number in range(_SENTENCES - 1))]
    return [" ".join(draw.choices(_WORDS, k=length)) for length in lengths]


def _eager(sentences: list[str]) -> torch.Tensor:
    tokenizer = Tokenizer.from_file(os.environ["TOKENIZER"])
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    network = MiniLM().eval()
    network.load_state_dict(load_file(os.environ["WEIGHTS"]))
    torch.set_num_threads(1)
    with torch.no_grad():
        return torch.cat([network(torch.tensor([tokenizer.encode(text).ids])) for text in sentences])


def test_vectors_are_those_of_eager_pytorch(tmp_path: Path) -> None:
    path = tmp_path / "sentences.txt"
    sentences = _sentences()
    path.write_text("".join(f"{text}\n" for text in sentences), encoding="utf-8")
    result = _search(path, "anything")
    assert result.returncode == 0, result.stderr
    np.testing.assert_allclose(_vectors(path), _eager(sentences), rtol=0, atol=1e-5)


def test_lines_of_the_same_meaning_come_first(corpus: Path) -> None:
    lines = _search(corpus, "a sleeping cat", "2").stdout.splitlines()
    assert [line.split("  ", 1)[1] for line in lines] == [
        "The cat sleeps on the warm window sill.",
        "A kitten naps in the sunshine.",
    ]
    first = _search(corpus, "economic news").stdout.splitlines()
    assert {line.split("  ", 1)[1] for line in first[:2]} == {
        "Interest rates were raised by a quarter of a percent.",
        "The central bank tightened its monetary policy.",
    }
    assert len(first) == 6, "the blank line is no answer"


def test_scores_are_cosines(corpus: Path) -> None:
    query = "A kitten naps in the sunshine."
    scores = [float(line.split()[0]) for line in _search(corpus, query).stdout.splitlines()]
    expected = _eager(_CORPUS.splitlines()) @ _eager([query])[0]
    assert scores[0] == 1
    assert scores == pytest.approx(sorted(expected[[0, 1, 3, 4, 5, 6]].tolist(), reverse=True), abs=6e-4)


def test_vectors_are_made_once(corpus: Path) -> None:
    first = _search(corpus, "bread")
    assert "reading 7 lines [" in first.stderr
    again = _search(corpus, "bread")
    assert again.stderr == ""
    assert again.stdout == first.stdout


@pytest.mark.parametrize("part", ["text", "kept vectors", "length"])
def test_vectors_that_do_not_fit_are_made_anew(part: str, corpus: Path) -> None:
    before = _search(corpus, "bread").stdout
    kept = corpus.with_name(f"{corpus.name}.vectors")
    content = bytearray(kept.read_bytes())
    if part == "text":
        corpus.write_text(_CORPUS.replace("yeast", "flour"), encoding="utf-8")
        before = before.replace("yeast", "flour")
    elif part == "length":
        kept.write_bytes(content[:-1])
    else:
        content[-1] ^= 1
        kept.write_bytes(content)
    again = _search(corpus, "bread")
    assert "reading 7 lines [" in again.stderr
    assert [line[8:] for line in again.stdout.splitlines()][:1] == [line[8:] for line in before.splitlines()][:1]
    assert _search(corpus, "bread").stderr == ""


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    missing = _search(tmp_path / "missing.txt", "bread")
    assert missing.returncode == 1
    assert missing.stderr == f"{tmp_path}/missing.txt: No such file or directory\n"
    (tmp_path / "empty.txt").write_text("")
    assert _search(tmp_path / "empty.txt", "bread").stderr == f"{tmp_path}/empty.txt: has no lines\n"
    assert _search(tmp_path / "empty.txt", "bread", "0").stderr.startswith("usage: search")

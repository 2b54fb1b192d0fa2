"""Tests that embeddings equal eager PyTorch's and are computed only once."""

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
    return subprocess.run(command, capture_output=True, text=True, errors="surrogateescape", check=False)


def _vectors(corpus: Path) -> np.ndarray:
    """Return the cached embeddings of a corpus."""
    content = corpus.with_name(f"{corpus.name}.vectors").read_bytes()
    return np.frombuffer(content[_HEAD:], np.float32).reshape(-1, WIDTH)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text(_CORPUS, encoding="utf-8")
    return path


def _sentences() -> list[str]:
    """Return sentences from empty to longer than the limit. Most are short."""
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


def test_embeddings_match_eager(tmp_path: Path) -> None:
    path = tmp_path / "sentences.txt"
    sentences = _sentences()
    path.write_text("".join(f"{text}\n" for text in sentences), encoding="utf-8")
    result = _search(path, "anything")
    assert result.returncode == 0, result.stderr
    np.testing.assert_allclose(_vectors(path), _eager(sentences), rtol=0, atol=1e-5)


def test_similar_lines_rank_first(corpus: Path) -> None:
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
    assert len(first) == 6, "the blank line is not an answer"


def test_scores_are_cosines(corpus: Path) -> None:
    query = "A kitten naps in the sunshine."
    scores = [float(line.split()[0]) for line in _search(corpus, query).stdout.splitlines()]
    expected = _eager(_CORPUS.splitlines()) @ _eager([query])[0]
    assert scores[0] == 1
    assert scores == pytest.approx(sorted(expected[[0, 1, 3, 4, 5, 6]].tolist(), reverse=True), abs=6e-4)


def test_embeddings_are_cached(corpus: Path) -> None:
    first = _search(corpus, "bread")
    assert "reading 7 lines [" in first.stderr
    again = _search(corpus, "bread")
    assert again.stderr == ""
    assert again.stdout == first.stdout


@pytest.mark.parametrize("part", ["text", "cached vectors", "length"])
def test_stale_embeddings_are_recomputed(part: str, corpus: Path) -> None:
    before = _search(corpus, "bread").stdout
    cache = corpus.with_name(f"{corpus.name}.vectors")
    content = bytearray(cache.read_bytes())
    if part == "text":
        corpus.write_text(_CORPUS.replace("yeast", "flour"), encoding="utf-8")
        before = before.replace("yeast", "flour")
    elif part == "length":
        cache.write_bytes(content[:-1])
    else:
        content[-1] ^= 1
        cache.write_bytes(content)
    again = _search(corpus, "bread")
    assert "reading 7 lines [" in again.stderr
    assert [line[8:] for line in again.stdout.splitlines()][:1] == [line[8:] for line in before.splitlines()][:1]
    assert _search(corpus, "bread").stderr == ""


def test_unreadable_file_is_reported(tmp_path: Path) -> None:
    missing = _search(tmp_path / "missing.txt", "bread")
    assert missing.returncode == 1
    assert missing.stderr == f"{tmp_path}/missing.txt: No such file or directory\n"
    (tmp_path / "empty.txt").write_text("")
    assert _search(tmp_path / "empty.txt", "bread").stderr == f"{tmp_path}/empty.txt: has no lines\n"
    assert _search(tmp_path / "empty.txt", "bread", "0").stderr.startswith("usage: search")


def _printed(content: bytes, tmp_path: Path) -> list[bytes]:
    """Return the printed lines of a text, without scores, in the text's order."""
    path = tmp_path / "odd.txt"
    path.write_bytes(content)
    result = subprocess.run([os.environ["SEARCH"], str(path), "bread", "100"], capture_output=True, check=False)
    assert result.returncode == 0, result.stderr
    assert len(_vectors(path)) == content.rstrip(b"\n").count(b"\n") + 1
    found = [line.split(b"  ", 1)[1] for line in result.stdout.split(b"\n")[:-1]]
    return sorted(found, key=content.index)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param(b"bread\n", [b"bread"], id="one line"),
        pytest.param(b"bread\nwine", [b"bread", b"wine"], id="no end of the last line"),
        pytest.param(b"bread\r\nwine\r\n", [b"bread", b"wine"], id="ends of lines of two characters"),
        pytest.param(b"bread\rwine\n", [b"bread\rwine"], id="a return within a line"),
        pytest.param(b"\xff\xfe bread\n\xc3\n", [b"\xff\xfe bread", b"\xc3"], id="no UTF-8"),
        pytest.param(b"bre\0ad\n\0\0x\n", [b"bre\0ad", b"\0\0x"], id="zeros"),
        pytest.param(b"\xef\xbb\xbfbread\n", [b"\xef\xbb\xbfbread"], id="a byte order mark"),
        pytest.param(bytes(range(128, 256)) * 300 + b"\n", [bytes(range(128, 256)) * 300], id="any bytes"),
    ],
)
def test_lines_are_printed_unchanged(content: bytes, lines: list[bytes], tmp_path: Path) -> None:
    assert _printed(content, tmp_path) == lines


def test_invalid_utf8_does_not_change_the_embedding(tmp_path: Path) -> None:
    """Test that NUL and invalid UTF-8 are skipped, as in the published tokenizer."""
    path = tmp_path / "odd.txt"
    path.write_bytes(b"a loaf of bread\na loaf\0 of\xff bread\r\n")
    assert _search(path, "bread").returncode == 0
    plain, odd = _vectors(path)
    np.testing.assert_array_equal(plain, odd)


def test_lines_are_truncated_to_256_tokens(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("ship " * (LONGEST - 2) + "\n" + "ship " * 100_000 + "\n")
    assert _search(path, "a ship").returncode == 0
    short, long = _vectors(path)
    np.testing.assert_array_equal(short, long)


def test_blank_text_has_no_results(tmp_path: Path) -> None:
    path = tmp_path / "blank.txt"
    path.write_text("\n \t\n\r\n")
    result = _search(path, "bread")
    assert (result.returncode, result.stdout) == (0, "")


def test_query_may_be_any_text(corpus: Path) -> None:
    for query in ("", "\n", "x" * 100_000, "\u2003\U0001f35e"):
        result = _search(corpus, query)
        assert result.returncode == 0, result.stderr
        assert len(result.stdout.splitlines()) == 6


def test_deleted_text_is_reported_despite_cached_embeddings(corpus: Path) -> None:
    assert _search(corpus, "bread").returncode == 0
    corpus.unlink()
    again = _search(corpus, "bread")
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr == f"{corpus}: No such file or directory\n"


def test_folder_is_refused_as_a_text(tmp_path: Path) -> None:
    result = _search(tmp_path, "bread")
    assert (result.returncode, result.stderr) == (1, f"{tmp_path}: cannot be read\n")


@pytest.mark.parametrize("name", ["corpus.txt.vectors", "corpus.txt.vectors.part"])
def test_unwritable_cache_is_reported_and_results_printed(name: str, corpus: Path) -> None:
    """Test a cache that cannot be written, as in a read-only folder.

    A folder at the cache file's path makes the write fail even for root.
    """
    expected = _search(corpus, "bread").stdout
    corpus.with_name("corpus.txt.vectors").unlink()
    (corpus.with_name(name) / "full").mkdir(parents=True)
    result = _search(corpus, "bread")
    assert (result.returncode, result.stdout) == (0, expected)
    assert f"\nsearch: cannot cache the vectors: {corpus}.vectors: Is a directory\n" in result.stderr


@pytest.mark.parametrize("content", [b"", b"vectors1", bytes(100), b"vectors1" + b"\xff" * 24])
def test_damaged_cache_is_recomputed(content: bytes, corpus: Path) -> None:
    expected = _search(corpus, "bread").stdout
    path = corpus.with_name("corpus.txt.vectors")
    whole = path.read_bytes()
    path.write_bytes(content)
    assert _search(corpus, "bread").stdout == expected
    assert path.read_bytes() == whole

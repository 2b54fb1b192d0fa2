"""Tests of generating WordPiece tables and looking up tokens, and of the errors."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from text.generate import vocabulary

_TOKENS = [b"[UNK]", b"[CLS]", b"[SEP]", b"a", b"##a", "ä".encode()]


def test_every_token_is_found_by_its_hash() -> None:
    tokens = [*_TOKENS, *(b"token%d" % number for number in range(1000))]
    slots = vocabulary.hash_slots(tokens)
    assert len(slots) & (len(slots) - 1) == 0
    assert 2 * len(tokens) <= len(slots)
    for number, token in enumerate(tokens):
        at = vocabulary.hash_of(token) % len(slots)
        while slots[at] != number + 1:
            assert slots[at] != 0
            at = (at + 1) % len(slots)


def test_lines_may_end_with_lf_or_crlf(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes(b"[UNK]\r\n\xc2\x85\n##a")
    assert vocabulary.read_tokens(path) == [b"[UNK]", b"\xc2\x85", b"##a"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([*_TOKENS, b"a"], "token 'a' exists twice"),
        (_TOKENS[2:], "the vocabulary has no [UNK], [CLS]"),
    ],
)
def test_malformed_vocabulary_is_refused(
    lines: list[bytes],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes(b"\n".join(lines) + b"\n")
    outs = [str(tmp_path / "tiny.h"), str(tmp_path / "tiny.c")]
    monkeypatch.setattr(sys, "argv", ["vocabulary.py", str(path), "tiny", "//text:tiny", *outs])
    assert vocabulary.main() == 1
    assert capsys.readouterr().err == f"{path}: {message}\n"


def test_vocabularies_of_two_labels_share_no_symbols(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes(b"\n".join(_TOKENS) + b"\n")
    found = []
    for label in ("//a:words", "//b:words"):
        outs = [tmp_path / "words.h", tmp_path / "words.c"]
        monkeypatch.setattr(sys, "argv", ["vocabulary.py", str(path), "words", label, *map(str, outs)])
        assert vocabulary.main() == 0
        header, source = (out.read_text() for out in outs)
        defined = re.search(r"^const et_wordpiece_vocabulary (\w+) =", source, re.MULTILINE)
        assert defined is not None
        assert f"#define words {defined[1]}\n" in header
        found += [defined[1], header.splitlines()[1]]
    assert len(set(found)) == 4

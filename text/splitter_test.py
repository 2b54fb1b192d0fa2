"""Compares the automata of pre-tokenizers with the package `tokenizers`."""

from __future__ import annotations

import bisect
import itertools
import random
from collections.abc import Iterator

import pytest
from tokenizers import Regex, pre_tokenizers

from text.generate.character_sets import category
from text.generate.pretokenizers import GPT2, GPT4O, LLAMA3, QWEN2, TEKKEN
from text.generate.regex import parse
from text.generate.splitter import Splitters, compile_splitters
from text.testing_lines import lines

_DEEPSEEK = (
    r"[\r\n]",
    r"\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-Ֆ]+",
    r"\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+",
    r"\s+$",
    r"[一-龥ࠀ-一가-퟿]+",
)
_SMALL = (
    r"a{2,3}|aa|a",
    r"(a|ab)(c|bcd)(d*)",
    r"a*?b|c",
    r"a+?(?=b)|b??c|[de]+?",
    r"a?+b|\s*+[a-z]++|'++",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
    r"(?i:SK)+|\d{2}",
    r" ?(?=[A-Z])[A-Za-z]+|.",
    r"[\]\-^]+|[a-c-]+",
    r"(?:x|y(?!z))+|\P{L}",
    r"[\p{^L}&&]+".replace("&&", ""),
    r"\s+(?!\S)|\s+$|[\t ]+",
    r"\u00e9+|[\u0041-\u0043]",
)


def pieces_of(splitters: Splitters, table: int, text: str) -> list[str]:
    """Split text at the matches of an automaton. Texts between matches are pieces too."""
    classes, cells = splitters.classes, splitters.tables[table]
    columns = [classes.numbers[bisect.bisect_right(classes.starts, ord(character)) - 1] for character in text]
    columns.append(classes.count)
    pieces, start, at = [], 0, 0
    while at < len(text):
        end = _match_end(cells, columns, classes.count + 1, at)
        if end is None:
            at += 1
            continue
        pieces += [text[start:at], text[at:end]]
        start = at = end
    return [piece for piece in [*pieces, text[start:]] if piece]


def _match_end(cells: tuple[int, ...], columns: list[int], width: int, at: int) -> int | None:
    state, end = 1, None
    while state:
        cell = cells[(state - 1) * width + columns[at]]
        end = at if cell & 1 else end
        state, at = cell >> 1, at + 1
    return end


def _texts() -> Iterator[str]:
    draw = random.Random(5)
    for number, line in enumerate(itertools.islice(lines(), 1000)):
        yield line if number % 3 else line.replace(" ", draw.choice(["\n", "\r\n", " \n ", "\t"]))
        if number % 4 == 0:
            yield "".join(
                draw.choices("aAbcdeLlSs\u017fTtvKkxyz '/\n\r\t0129-]^.\u00e9\u3000!", k=draw.randrange(1, 30))
            )


@pytest.mark.parametrize("pattern", [GPT2, GPT4O, LLAMA3, QWEN2, TEKKEN, *_DEEPSEEK, *_SMALL])
def test_pieces_match_the_tokenizers_package(pattern: str) -> None:
    split = pre_tokenizers.Split(Regex(pattern), "isolated")
    splitters = compile_splitters([pattern])
    texts = [text for text in _texts() if text]
    found = [pieces_of(splitters, 0, text) for text in texts]
    expected = [[piece for piece, _ in split.pre_tokenize_str(text)] for text in texts]
    different = [pair for pair in zip(found, expected, strict=True) if pair[0] != pair[1]]
    assert not different[:3]


def test_categories_match_the_tokenizers_package() -> None:
    every = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    texts = ["".join(every[at : at + 1000]) for at in range(0, len(every), 1000)]
    for name in ("Lu", "Ll", "Lt", "Lm", "Lo", "M", "N", "Nl", "No", "P", "S", "Z", "Cc", "Cf"):
        split = pre_tokenizers.Split(Regex(rf"\p{{{name}}}+"), "removed", invert=True)
        found = "".join(piece for text in texts for piece, _ in split.pre_tokenize_str(text))
        assert found == "".join(chr(point) for first, last in category(name) for point in range(first, last + 1)), name


def test_automata_share_classes() -> None:
    splitters = compile_splitters([r"\p{N}", GPT2])
    assert pieces_of(splitters, 0, "a12") == ["a", "1", "2"]
    assert pieces_of(splitters, 1, "it's 12  ok") == ["it", "'s", " 12", " ", " ok"]


@pytest.mark.parametrize(
    "pattern, problem",
    [
        ("a*", "it matches empty text"),
        ("(?<=a)b", r"'\(\?<' at this place"),
        ("a{2}+", r"'\+' after a quantifier"),
        ("a{1,2}?", r"'\?' after a quantifier"),
        ("(?:ab)++", "a possessive quantifier of more than one character"),
        ("(ab", r"a group without '\)'"),
        ("ab)", r"unmatched '\)'"),
        ("[a", "it ends too early"),
        ("[z-a]", "the range from 'z' to 'a' is empty"),
        ("[a&&b]", "intersections are not supported"),
        (r"\p{Han}", r"\\p\{Han\} is not supported"),
        (r"\b", r"the escape '\\b'"),
        (r"\w", r"the escape '\\w'"),
        ("a(?!bc)", "lookahead at more than one character"),
        ("a{1,1000}", "the limits"),
        ("a{x}", "is not a quantifier"),
        ("(?:" * 2000 + "a" + ")" * 2000, "more than 50 nested groups"),
    ],
)
def test_unsupported_expressions_are_rejected(pattern: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        compile_splitters([pattern])
    assert parse("a")


def test_a_large_automaton_is_rejected() -> None:
    with pytest.raises(ValueError, match="more than 4000 states"):
        compile_splitters(["(?:a|b)*a" + "(?:a|b)" * 14])

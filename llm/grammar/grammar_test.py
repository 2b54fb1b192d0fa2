"""Compares grammars with a reference recognizer, and tests limits and errors."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from llm.grammar.compile import GrammarError, compile_grammar
from llm.grammar.expressions import Byte, Call, Choice, Concatenation, Expression, Repetition
from llm.grammar.tables import compile_rules
from llm.grammar.testing_earley import Recognizer
from llm.grammar.testing_matcher import accepts, matched

_LETTERS = b"abc"


def _random_expression(draw: random.Random, depth: int) -> Expression:
    kind = draw.choice(["byte", "call"] if depth == 0 else ["byte", "call", "sequence", "choice", "repeat", "repeat"])
    if kind == "byte":
        first = draw.choice(_LETTERS)
        return Byte(first, draw.choice([letter for letter in _LETTERS if letter >= first]))
    if kind == "call":
        return Call(draw.choice("xyz"))
    if kind == "repeat":
        least = draw.choice([0, 0, 1, 2])
        most = draw.choice([None, least, least + 1, least + 2])
        return Repetition(_random_expression(draw, depth - 1), least, most)
    parts = tuple(_random_expression(draw, depth - 1) for _ in range(draw.randint(0, 3)))
    return Concatenation(parts) if kind == "sequence" else Choice(parts or (Byte(97, 97),))


def _viable_texts(reference: Recognizer, longest: int) -> Iterator[tuple[bytes, str]]:
    """Yield texts, the shortest first, and the letters of the reference."""
    sets = reference.start()
    waiting = [(b"", sets, reference.letter(sets))]
    for text, sets, letters in waiting:
        yield text, letters
        if len(text) == longest:
            continue
        for byte in _LETTERS:
            longer = reference.followed(sets, byte)
            letter = reference.letter(longer)
            if letter:
                waiting.append((text + bytes([byte]), longer, letters + letter))
            else:
                yield text + bytes([byte]), letters


def _compare(rules: dict[str, Expression], longest: int = 6, count: int = 120) -> bool:
    """Compare one grammar. Return whether it could be compiled."""
    try:
        grammar = compile_rules(rules, "x")
    except GrammarError as error:
        if "left recursion" in str(error) or "matches no text" in str(error):
            return False
        raise
    reference = Recognizer(rules, "x")
    expected = []
    for text, letters in _viable_texts(reference, longest):
        expected.append((text, letters))
        if len(expected) == count:
            break
    found = matched(grammar, [text for text, _ in expected])
    assert found == [letters for _, letters in expected], (rules, [text for text, _ in expected])
    return True


@pytest.mark.parametrize("seed", range(10))
def test_random_grammars_match_the_reference(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    compiled = 0
    for _ in range(40):
        # Small limits make loops and calls of small rules.
        monkeypatch.setattr("llm.grammar.rules._MOST_UNROLLED_LEAVES", draw.choice([1, 4, 48]))
        monkeypatch.setattr("llm.grammar.rules._MOST_INLINED_LEAVES", draw.choice([0, 3, 16]))
        compiled += _compare({name: _random_expression(draw, 3) for name in "xyz"})
    assert compiled > 10


@pytest.mark.parametrize(
    ("grammar", "accepted", "rejected"),
    [
        ('root ::= "yes" | "no" # a comment\n', ["yes", "no"], ["", "ye", "yesno"]),
        ('root ::= [a-c^]+ | [^a-z"\\]\\-]', ["abc", "^^", "Z", "日"], ["-", "]", '"', "d", "ZZ"]),
        ('root ::= "\\x41\\u00e9\\U0001F600\\n\\t\\"\\\\"', ['Aé😀\n\t"\\'], ["A"]),
        (
            'root ::= a{2} b{1,} c{1,2}\na ::= "a"\nb ::= "b"?\nc ::= .',
            ["aac", "aabbcc", "aa😀é"],
            ["ac", "aa", "aaabbb\ud7ff!"],
        ),
        ('root ::= (\n  "a"\n  | b\n)*\n\nb\n::=\n"b"', ["", "abba"], ["c"]),
        ('root ::= "(" root ")" |', ["", "((()))"], ["(", "())"]),
        ('root ::= [a-]  "x" | [-z]', ["ax", "-x", "-", "z"], ["bx"]),
        ("root ::= [^a]{3,300}", ["日" * 3, "b" * 300], ["bb", "b" * 301, "bba"]),
    ],
)
def test_notation(grammar: str, accepted: list[str], rejected: list[str]) -> None:
    compiled = compile_grammar(grammar)
    assert [text for text in accepted if not accepts(compiled, text)] == []
    assert [text for text in rejected if accepts(compiled, text)] == []


def test_invalid_utf_8_is_not_text() -> None:
    compiled = compile_grammar("root ::= .*")
    for text in (b"\x80", b"\xc0\x80", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf8", b"\xc3("):
        assert not accepts(compiled, text)
    for point in (0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF):
        assert accepts(compiled, chr(point))


@pytest.mark.parametrize(
    ("grammar", "message"),
    [
        ("", "1:1: the rule 'root' is missing"),
        ('start ::= "a"', "1:14: the rule 'root' is missing"),
        ('root ::= "a"\nroot ::= "b"', "2:1: the rule 'root' is defined twice"),
        ('root ::= "a" |\n  item', "2:3: the rule 'item' is not defined"),
        ('root ::= "a', "1:10: unexpected '\"a'"),
        ('root ::= ("a"', "1:14: expected ')', got 'the end of the grammar'"),
        ('root ::= "a")', "1:13: unexpected ')'"),
        ("root ::= [z-a]", "1:10: the range z-a has its ends in the wrong order"),
        ('root ::= "a"{3,2}', "1:13: {3,2} has a minimum above its maximum"),
        ('root ::= "a"{60001}', "1:13: {60001} is more than 60000 repetitions"),
        ('root ::= "a"**', "1:14: unexpected '*'"),
        ('root ::= "\\ud800"', "1:10: \\ud800 is not a Unicode character"),
        ('root ::= "\\q"', "1:10: unexpected"),
        ("root ::= " + "(" * 200, "1:110: groups are nested more than 100 deep"),
        ('root ::= root "a" | "b"', "left recursion: root -> root"),
        ('root ::= a "x"\na ::= "y"? b\nb ::= root', "the rule 'root' matches no text"),
        ('root ::= "a"? b\nb ::= root "c" | "d"', "left recursion"),
        ('root ::= "a" root', "the rule 'root' matches no text"),
        ("root ::= " + " ".join(["(.? [a-z])?"] * 20000), "more than 300000 parts"),
    ],
)
def test_wrong_grammar_is_named(grammar: str, message: str) -> None:
    with pytest.raises(GrammarError) as caught:
        compile_grammar(grammar)
    assert message in str(caught.value)


def test_deep_recursion_is_limited() -> None:
    nested = compile_grammar('root ::= "[" root "]" | "x"')
    # The last call needs no frame before its byte.
    for depth in (1000, 1025):
        assert accepts(nested, "[" * depth + "x" + "]" * depth)
    (line,) = matched(nested, [b"[" * 1030])
    assert line == "C" * 1026 + "L"
    # Recursion at the end of a rule needs no frames.
    assert accepts(compile_grammar('root ::= "a" root | "b"'), "a" * 5000 + "b")


def test_ambiguous_grammars_share_their_stacks() -> None:
    doubly = compile_grammar('root ::= (a | a a)*\na ::= "x" a? | "x" b\nb ::= "x" | "x" a')
    assert accepts(doubly, "x" * 3000)
    counted = compile_grammar('root ::= (item{1,300}){1,300}\nitem ::= "abcdefghijklmnopqrst"? [a-z]{1,50}')
    (line,) = matched(counted, [b"z" * 2000])
    assert line.endswith("L") or len(line) == 2001

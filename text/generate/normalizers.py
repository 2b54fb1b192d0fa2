"""Read normalizers, and write their steps as C tables.

The tables are those of executorch/text/normalizer.h.
"""

from __future__ import annotations

import base64
import binascii
import bisect
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from text.generate import normalization
from text.generate.arrays import c_array
from text.generate.charsmap import read_charsmap
from text.generate.regex import Characters, Concatenation, Expression, Repeated, parse
from text.generate.trie import trie_arrays

_MOST_STEPS = 12
_MOST_AHEAD = 32
_MOST_STRIPS = 2
_SUPPORTED = "Lowercase, NFC, NFD, NFKC, NFKD, Nmt, Precompiled, Prepend, Replace, Sequence, Strip, StripAccents"


@dataclass(frozen=True)
class Map:
    """Replaces characters by strings."""

    changes: Mapping[int, str]
    decomposes_hangul: bool = False


@dataclass(frozen=True)
class Order:
    """Orders combining marks, and composes characters if `composes` is true."""

    composes: bool


@dataclass(frozen=True)
class Charsmap:
    """Replaces the longest string at each position, except in `symbols`.

    This is how SentencePiece normalizes.
    """

    replacements: Mapping[bytes, str]
    symbols: tuple[bytes, ...]


@dataclass(frozen=True)
class ClusterMap:
    """Replaces grapheme clusters and characters, as the package `tokenizers` does."""

    replacements: Mapping[bytes, str]


@dataclass(frozen=True)
class Replacement:
    """Replaces a string.

    With `repeats`, a match includes the following repetitions of the last character.
    """

    pattern: str
    content: str
    repeats: bool = False


@dataclass(frozen=True)
class Strip:
    """Removes white space at the ends of a text."""

    left: bool
    right: bool


@dataclass(frozen=True)
class Prefix:
    """Adds a string before a text that is not empty."""

    text: str


@dataclass(frozen=True)
class Spaces:
    """Replaces spaces by U+2581, as SentencePiece does.

    prefix: a space is added before a text that is not empty.
    merges: spaces at both ends of a text, and after spaces, are removed.
    """

    prefix: bool
    merges: bool


Step: TypeAlias = Map | Order | Charsmap | ClusterMap | Replacement | Strip | Prefix | Spaces


def read_normalizer(normalizer: Mapping[str, Any] | None) -> tuple[Step, ...]:
    """Return the steps of the `normalizer` of a tokenizer.json.

    Raises `ValueError` for an unsupported one.
    """
    found = tuple(_steps(normalizer, depth=0))
    if len(found) > _MOST_STEPS:
        raise ValueError(f"'normalizer' has {len(found)} steps; at most {_MOST_STEPS} are supported")
    # Each Strip reads the text one more time, and each of the previous ones again.
    if sum(isinstance(step, Strip) for step in found) > _MOST_STRIPS:
        raise ValueError(f"'normalizer' has more than {_MOST_STRIPS} steps of the kind Strip, which is not supported")
    return found


def _steps(step: Mapping[str, Any] | None, depth: int) -> Iterator[Step]:
    if step is None:
        return
    kind = step.get("type")
    if kind == "Sequence" and depth < 10:
        for each in step["normalizers"]:
            yield from _steps(each, depth + 1)
    elif kind in ("NFC", "NFD", "NFKC", "NFKD"):
        yield Map(normalization.decompositions(compatible="K" in kind), decomposes_hangul=True)
        yield Order(composes=kind.endswith("C"))
    elif kind == "Lowercase":
        yield Map(normalization.lower_case())
    elif kind == "StripAccents":
        yield Map(normalization.accents())
    elif kind == "Nmt":
        yield Map(_nmt_changes())
    elif kind == "Precompiled":
        yield ClusterMap(_precompiled(step))
    elif kind == "Replace":
        yield _replacement(step)
    elif kind == "Strip":
        yield Strip(bool(step.get("strip_left", True)), bool(step.get("strip_right", True)))
    elif kind == "Prepend":
        yield Prefix(step["prepend"])
    else:
        raise ValueError(f"the normalizer {kind!r} is not supported; supported: {_SUPPORTED}")


def _nmt_changes() -> dict[int, str]:
    removed = (*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F)
    spaces = (0x09, 0x0A, 0x0C, 0x0D, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD)
    return dict.fromkeys(removed, "") | dict.fromkeys(spaces, " ")


def _precompiled(step: Mapping[str, Any]) -> dict[bytes, str]:
    try:
        return read_charsmap(base64.b64decode(step["precompiled_charsmap"], validate=True))
    except binascii.Error as error:
        raise ValueError(f"the precompiled charsmap is not in Base64: {error}") from error


def _replacement(step: Mapping[str, Any]) -> Replacement:
    pattern = step["pattern"]
    if "String" in pattern:
        found = Replacement(pattern["String"], step["content"])
    else:
        text, repeats = _literal(parse(pattern["Regex"]), pattern["Regex"])
        found = Replacement(text, step["content"], repeats)
    if not 0 < len(found.pattern) <= _MOST_AHEAD:
        raise ValueError(f"the normalizer Replace of {dict(pattern)} does not have 1 to {_MOST_AHEAD} characters")
    return found


def _literal(expression: Expression, pattern: str) -> tuple[str, bool]:
    """Return the characters of an expression, and whether the last can repeat."""
    parts = expression.parts if isinstance(expression, Concatenation) else (expression,)
    text = ""
    for number, part in enumerate(parts):
        least, most = (part.least, part.most) if isinstance(part, Repeated) else (1, 1)
        members = part.part if isinstance(part, Repeated) else part
        is_lazy = isinstance(part, Repeated) and part.is_lazy
        is_fixed = most == least or (most is None and least > 0 and number == len(parts) - 1)
        if not isinstance(members, Characters) or is_lazy or not is_fixed or not _is_single(members):
            raise ValueError(
                f"the normalizer Replace of the regular expression {pattern!r} is not supported; supported are"
                " characters, the last of which can repeat"
            )
        text += chr(members.members[0][0]) * least
    return text, isinstance(parts[-1], Repeated) and parts[-1].most is None if parts else False


def _is_single(characters: Characters) -> bool:
    return len(characters.members) == 1 and characters.members[0][0] == characters.members[0][1]


def check_prefix(steps: Sequence[Step], prefix: str) -> None:
    """Raise `ValueError` if `Strip` decides about the prefix "text"."""
    if prefix == "text" and any(isinstance(step, Strip) and step.left for step in steps):
        raise ValueError("the prepend scheme 'first' of Metaspace is not supported beside the normalizer Strip")


def keeps_text(steps: Sequence[Step], text: str) -> bool:
    """Return whether steps do not change a text that other text surrounds.

    The result can be false for a text that they keep.
    """
    return all(_keeps(step, text) for step in steps)


def _keeps(step: Step, text: str) -> bool:
    if isinstance(step, Map):
        hangul = step.decomposes_hangul and any(0xAC00 <= ord(letter) <= 0xD7A3 for letter in text)
        return not hangul and step.changes.keys().isdisjoint(map(ord, text))
    if isinstance(step, Order):
        points = {point for first, last, _ in normalization.combining_classes() for point in range(first, last + 1)}
        composing = {second for _, second, _ in normalization.compositions()}
        return points.union(composing, range(0x1161, 0x11C3)).isdisjoint(map(ord, text))
    if isinstance(step, Charsmap | ClusterMap):
        return not any(key in text.encode() for key in step.replacements)
    if isinstance(step, Replacement):
        return step.pattern not in text
    if isinstance(step, Strip):
        return text == text.strip()
    return False


def growth(steps: Sequence[Step]) -> int:
    """Return a bound of the bytes that steps return for a byte of UTF-8."""
    return math.prod(map(_growth, steps))


def _growth(step: Step) -> int:
    if isinstance(step, Map):
        pairs = [(chr(point).encode(), text) for point, text in step.changes.items()]
        return max(_growth_of(pairs), 3 if step.decomposes_hangul else 1)
    if isinstance(step, Charsmap | ClusterMap):
        return _growth_of(step.replacements.items())
    if isinstance(step, Replacement):
        return _growth_of([(step.pattern.encode(), step.content)])
    if isinstance(step, Spaces):
        return 6 if step.prefix else 3
    return 1 + len(step.text.encode()) if isinstance(step, Prefix) else 1


def _growth_of(replacements: Iterable[tuple[bytes, str]]) -> int:
    return max((math.ceil(len(text.encode()) / len(key)) for key, text in replacements), default=1) or 1


# ---- C ----


def normalizer_source(steps: Sequence[Step]) -> str:
    """Return the C definition of the tables of steps, and of the array `steps`."""
    source, listed = "", []
    for number, step in enumerate(steps):
        kind, arrays, fields = _tables(step, f"step_{number}")
        source += f"{arrays}static const et_text_{kind} step_{number} = {{\n{fields}}};\n\n"
        listed.append(f"    {{et_text_{_FUNCTIONS.get(kind, kind)}_next, &step_{number}}},\n")
    return source + f"static const et_text_step steps[] = {{\n{''.join(listed)}}};\n\n" if listed else ""


_FUNCTIONS = {"replacement": "replace"}


def _tables(step: Step, name: str) -> tuple[str, str, str]:
    """Return the kind of a step, its C arrays, and its initializers."""
    if isinstance(step, Map):
        texts = sorted(set(step.changes.values()))
        numbers = {text: number for number, text in enumerate(texts)}
        ranges, fields = _range_tables(_ranges({point: numbers[text] for point, text in step.changes.items()}), name)
        strings, more = _string_tables(texts, name)
        hangul = "true" if step.decomposes_hangul else "false"
        return (
            "map",
            ranges + strings,
            f"    .ranges = {fields},\n    .strings = {more},\n    .decomposes_hangul = {hangul},\n",
        )
    if isinstance(step, Order):
        return _order_tables(step, name)
    if isinstance(step, Charsmap):
        symbols = dict.fromkeys(step.symbols, 0)
        arrays, fields = _charsmap_tables(step.replacements, name)
        if not symbols:
            return "charsmap", arrays, fields
        more, trie = trie_tables(symbols, f"{name}_symbol")
        more += f"static const et_text_trie {name}_symbols = {trie};\n\n"
        return "charsmap", arrays + more, f"{fields}    .symbols = &{name}_symbols,\n"
    if isinstance(step, ClusterMap):
        arrays, fields = _charsmap_tables(step.replacements, name)
        more, ranges = _range_tables(normalization.cluster_classes(), name)
        return "cluster_map", arrays + more, f"    .charsmap = {{\n{fields}    }},\n    .clusters = {ranges},\n"
    if isinstance(step, Replacement):
        arrays = _points(f"{name}_pattern", step.pattern) + _points(f"{name}_content", step.content)
        content = f"{name}_content" if step.content else "NULL"
        repeats = "true" if step.repeats else "false"
        return (
            "replacement",
            arrays,
            (f"    {name}_pattern, {len(step.pattern)}, {content}, {len(step.content)}, {repeats},\n"),
        )
    if isinstance(step, Strip):
        return "strip", "", f"    {'true' if step.left else 'false'}, {'true' if step.right else 'false'},\n"
    if isinstance(step, Spaces):
        return "spaces", "", f"    {'true' if step.prefix else 'false'}, {'true' if step.merges else 'false'},\n"
    points = f"{name}_points" if step.text else "NULL"
    return "prefix", _points(f"{name}_points", step.text), f"    {points}, {len(step.text)},\n"


def _order_tables(step: Order, name: str) -> tuple[str, str, str]:
    arrays, ranges = _range_tables(normalization.combining_classes(), name)
    fields = f"    .classes = {ranges},\n"
    if step.composes:
        rows = normalization.compositions()
        listed = "".join(f"    {{0x{first:x}, 0x{second:x}, 0x{result:x}}},\n" for first, second, result in rows)
        arrays += f"static const uint32_t {name}_compositions[][3] = {{\n{listed}}};\n\n"
        fields += f"    .compositions = {name}_compositions,\n    .composition_count = {len(rows)},\n"
    return "order", arrays, fields


def _charsmap_tables(replacements: Mapping[bytes, str], name: str) -> tuple[str, str]:
    texts = sorted(set(replacements.values()))
    numbers = {text: number for number, text in enumerate(texts)}
    arrays, trie = trie_tables({key: numbers[text] for key, text in replacements.items()}, name)
    more, strings = _string_tables(texts, name)
    return arrays + more, f"    .trie = {trie},\n    .strings = {strings},\n"


def trie_tables(values: Mapping[bytes, int], name: str) -> tuple[str, str]:
    """Return the C arrays and the initializer of an `et_text_trie`."""
    arrays = trie_arrays(values)
    kinds = {"labels": "uint8_t"}
    source = "".join(c_array(f"{name}_{key}", each, kinds.get(key, "uint32_t")) for key, each in arrays.items())
    return source, f"{{{', '.join(f'{name}_{key}' for key in arrays)}}}"


def _ranges(values: Mapping[int, int]) -> Iterable[tuple[int, int, int]]:
    merged: list[tuple[int, int, int]] = []
    for point in sorted(values):
        if merged and merged[-1][1:] == (point - 1, values[point]):
            merged[-1] = (merged[-1][0], point, values[point])
        else:
            merged.append((point, point, values[point]))
    return merged


def _range_tables(ranges: Iterable[tuple[int, int, int]], name: str) -> tuple[str, str]:
    rows = list(ranges)
    if not rows:
        return "", "{0}"
    names = [f"{name}_{each}" for each in ("firsts", "lasts", "range_values")]
    columns = list(zip(*rows, strict=True))
    arrays = "".join(c_array(each, column) for each, column in zip(names, columns, strict=True))
    pages = [bisect.bisect_left(columns[1], page << 8) for page in range((rows[-1][1] >> 8) + 1)]
    arrays += c_array(f"{name}_pages", pages, "uint16_t")
    return arrays, f"{{{', '.join(names)}, {len(rows)}, {name}_pages, {len(pages)}}}"


def _string_tables(texts: Sequence[str], name: str) -> tuple[str, str]:
    starts = [0]
    for text in texts:
        starts.append(starts[-1] + len(text))
    arrays = c_array(f"{name}_points", [ord(letter) for letter in "".join(texts)] or [0])
    return arrays + c_array(f"{name}_starts", starts), f"{{{name}_points, {name}_starts}}"


def _points(name: str, text: str) -> str:
    return c_array(name, map(ord, text)) if text else ""

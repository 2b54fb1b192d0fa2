"""Schemas of operators: their arguments, and the codes that the C runtime checks."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

_SCHEMA = re.compile(r"\((?P<arguments>.*)\)\s*->\s*(?P<returns>.+)", re.DOTALL)
_ARGUMENT = re.compile(
    r"(?P<type>[A-Za-z]+)(\((?P<alias>[^)]*)\))?(?P<suffix>(\?|\[\d*\])*)"
    r"\s+(?P<name>\w+)\s*(=\s*(?P<default>.+))?",
    re.DOTALL,
)
_RETURN = re.compile(r"(?P<type>[A-Za-z]+)(\([^)]*\))?(?P<suffix>(\?|\[\d*\])*)(\s+\w+)?")

_CODES = {
    "Tensor": "t",
    "int": "i",
    "SymInt": "i",
    "ScalarType": "i",
    "Layout": "i",
    "MemoryFormat": "i",
    "bool": "b",
    "SymBool": "b",
    "float": "d",
    "SymFloat": "d",
    "Scalar": "n",
    "str": "s",
    "int[]": "I",
    "SymInt[]": "I",
    "float[]": "D",
    "bool[]": "B",
    "Tensor[]": "T",
    "Tensor?[]": "O",
}
OUT_CODES = {"Tensor": "w", "Tensor[]": "W"}
PARTIAL_CODE = "m"


@dataclass(frozen=True)
class Argument:
    """An argument of an operator, as its schema declares it."""

    name: str
    type: str  # without alias annotation, list length and outer '?': "Tensor", "int[]", "Tensor?[]"
    optional: bool = False  # None is allowed
    out: bool = False  # the operator mutates it
    partial: bool = False  # for an out: a call writes only a part, and the rest keeps its values
    keyword_only: bool = False
    has_default: bool = False
    default: object = None  # a Python value; the identifier for PyTorch's enums

    @property
    def is_tensor(self) -> bool:
        return self.type.startswith("Tensor")

    @property
    def code(self) -> str:
        """The argument's part of the C signature, such as `t`, `?t` or `W`."""
        if self.partial:
            return PARTIAL_CODE
        codes = OUT_CODES if self.out else _CODES
        return ("?" if self.optional else "") + codes[self.type]


def parse_arguments(text: str) -> tuple[Argument, ...]:
    """Return the arguments of a schema, given the text between its outer parentheses."""
    arguments = []
    keyword_only = False
    for part in _split_top_level(text):
        if part == "*":
            keyword_only = True
        else:
            arguments.append(_parse_argument(part, keyword_only))
    return tuple(arguments)


def parse_schema(schema: str) -> tuple[tuple[Argument, ...], tuple[str, ...]]:
    """Return argument and return types of `(Tensor self) -> Tensor`.

    Raises ValueError for any other form.
    """
    match = _SCHEMA.fullmatch(schema.strip())
    if match is None:
        raise ValueError(f"schema {schema!r} is not of the form '(arguments) -> returns'")
    return parse_arguments(match["arguments"]), _parse_returns(match["returns"])


def _split_top_level(text: str) -> list[str]:
    """Split at commas outside brackets and strings."""
    parts, depth, quote, start = [], 0, "", 0
    for position, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
        else:
            depth += (character in "([") - (character in ")]")
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def _parse_argument(text: str, keyword_only: bool) -> Argument:
    match = _ARGUMENT.fullmatch(text)
    if match is None:
        raise ValueError(f"schema argument {text!r} is not of the form 'type name=default'")
    kind, optional = _parse_type(match["type"], match["suffix"])
    argument = Argument(
        name=match["name"],
        type=kind,
        optional=optional,
        out="!" in (match["alias"] or ""),
        keyword_only=keyword_only,
        has_default=match["default"] is not None,
        default=_parse_default(match["default"]),
    )
    if argument.out and kind not in OUT_CODES:
        raise ValueError(f"schema argument {text!r}: only a Tensor or Tensor[] can be written")
    return argument


def _parse_type(base: str, suffix: str) -> tuple[str, bool]:
    """Return the type without list length and outer '?', and whether it was optional."""
    kind = base + re.sub(r"\d", "", suffix)
    optional = kind.endswith("?")
    kind = kind.removesuffix("?")
    if kind not in _CODES:
        raise ValueError(f"unsupported schema type {kind!r}; supported: {', '.join(_CODES)}")
    return kind, optional


def _parse_default(text: str | None) -> object:
    if text is None:
        return None
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text.strip()


def _parse_returns(text: str) -> tuple[str, ...]:
    text = text.strip()
    parts = _split_top_level(text[1:-1]) if text.startswith("(") else [text]
    return tuple(_parse_return(part) for part in parts)


def _parse_return(text: str) -> str:
    match = _RETURN.fullmatch(text)
    if match is None:
        raise ValueError(f"schema return {text!r} is not a type")
    return _parse_type(match["type"], match["suffix"])[0]

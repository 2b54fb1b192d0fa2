"""Identifiers in generated code, by one rule for all languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_C = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while alignas alignof
    bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual
"""

# C++20, with the alternative tokens.
_CPP = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
    co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default
    delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template this
    thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor
    xor_eq
"""

_RUST = """
    Self abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if
    impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true try type
    typeof unsafe unsized use virtual where while yield
"""

_JAVA = """
    abstract assert boolean break byte case catch char class const continue default do double else enum extends false
    final finally float for goto if implements import instanceof int interface long native new null package private
    protected public record return sealed short static strictfp super switch synchronized this throw throws transient
    true try var void volatile when while yield permits
"""

_TYPESCRIPT = """
    abstract any arguments as asserts async await bigint boolean break case catch class const constructor continue
    debugger declare default delete do else enum eval export extends false finally for from function get if implements
    import in infer instanceof interface is keyof let module namespace never new null number object of package private
    protected public readonly require return set static string super switch symbol this throw true try type typeof
    undefined unique unknown var void while with yield
"""

RESERVED_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "c": _C,
        "cpp": _CPP,
        "java": _JAVA,
        "rust": _RUST,
        "typescript": _TYPESCRIPT,
    }.items()
}


def word(name: str) -> str:
    """Return `name` as a part of an identifier.

    The result has ASCII letters, digits and single '_'. Each run of other characters becomes one '_', or is removed at the ends.
    """
    return re.sub(r"[\W_]+", "_", name, flags=re.ASCII).strip("_")


def identifier(name: str, language: str, reserved: Iterable[str] = ()) -> str:
    """Return `name` as an identifier of a language in `RESERVED_WORDS`.

    A '_' follows a reserved word of the language or a name in `reserved`, and precedes a digit.
    """
    text = word(name) or "unnamed"
    if text in RESERVED_WORDS[language] or text in reserved:
        return text + "_"
    return "_" + text if text[0].isdigit() else text


def pascal_case(name: str, language: str) -> str:
    """Return `name` as the name of a type: "encode_image" as "EncodeImage"."""
    return identifier("".join(part[:1].upper() + part[1:] for part in word(name).split("_")), language)


def camel_case(name: str, language: str, reserved: Iterable[str] = ()) -> str:
    """Return `name` as the name of a variable or function: "input_ids" as "inputIds"."""
    return identifier(joined_words(name), language, reserved)


def joined_words(name: str) -> str:
    """Return the words of `name` in camel case, which may be a reserved word."""
    first, *others = word(name).split("_")
    start = first.lower() if first.isupper() else first[:1].lower() + first[1:]
    return start + "".join(part[:1].upper() + part[1:] for part in others)


def distinct(names: Iterable[str], alternatives: Iterable[str]) -> list[str]:
    """Return `names`, with each repeated name replaced by its alternative."""
    names = list(names)
    return [name if names.count(name) == 1 else other for name, other in zip(names, alternatives, strict=True)]

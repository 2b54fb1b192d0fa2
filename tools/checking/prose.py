"""Check the English of pages, comments and docstrings (`tools/check`).

Reports, for each file in the scope of prose.toml:

- terms and phrases that have a better replacement, with that replacement;
- docstrings whose first line is not a sentence of at most 80 characters;
- lines of Markdown prose over 100 columns.

Prints one finding per line as `file:line: problem; remedy`. The exit code is 1 if there are findings.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).absolute().parents[2]
CONFIG = Path(__file__).with_name("prose.toml")

MAX_COLUMNS = 100
MAX_FIRST_LINE = 80

# Languages with the comments of C.
_C_SUFFIXES = (".c", ".h", ".cc", ".hpp", ".java", ".js", ".kt", ".mjs", ".mts", ".rs", ".ts")
_STARLARK_SUFFIXES = (".bzl", ".bazel")

_SHELL_START = re.compile(r"#!.*\b(?:ba)?sh\b")
_SHELL_COMMENTS = re.compile(r"(?:^[ \t]*#.*\n?)+", re.MULTILINE)
_C_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_FENCE = re.compile(r"^ *(```|~~~)")
# Text that is not prose: code, link targets, addresses and HTML tags.
_NOT_PROSE = re.compile(r"`[^`]*`|\]\([^)]*\)|https?://\S+|<[^>\n]*>|\b[A-Za-z_]\w*[_/.]\w[\w./]*\b")
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.) ?)")
_LONG_BY_NATURE = re.compile(r"^\s*(?:\||\[[^\]]+\]:|!\[|<)|\]\([^)]{40,}\)|https?://")


@dataclass(frozen=True)
class Term:
    """A pattern that prose must not contain, and its replacement."""

    pattern: re.Pattern[str]
    use: str


@dataclass(frozen=True)
class Passage:
    """A passage of prose in a file. `line` is the number of its first line, from 1."""

    line: int
    text: str


def terms_of(config: dict) -> list[Term]:
    """Compile the terms of prose.toml.

    A term matches whole words. `^` and `$` match at the start and the end of a sentence.
    """
    return [Term(_whole_words(term["old"]), term["use"]) for term in config["term"]]


def _whole_words(old: str) -> re.Pattern[str]:
    begin = "" if old.startswith("^") else r"\b"
    end = r"[.;:,]?$" if old.endswith("$") else r"\b"
    return re.compile(f"{begin}(?:{old.removesuffix('$')}){end}", re.IGNORECASE if begin else 0)


def problems_of(path: str, text: str, terms: Sequence[Term]) -> list[str]:
    """Return all findings in one file, sorted by line."""
    found = [finding for passage in passages_of(path, text) for finding in _replaceable(passage, terms)]
    if path.endswith(".md"):
        found += _wide_lines(text)
    if path.endswith(".py"):
        found += _poor_docstrings(text)
    return [f"{path}:{line}: {problem}" for line, problem in sorted(found)]


def passages_of(path: str, text: str) -> Iterator[Passage]:
    """Yield the prose of a file: Markdown text, comments and docstrings.

    Files of other kinds have none.
    """
    if path.endswith(".md"):
        yield Passage(1, _without_code_blocks(text))
    elif path.endswith(_C_SUFFIXES):
        for match in _C_COMMENT.finditer(text):
            comment = re.sub(r"^\s*(?:/\*+|\*/|\*|//+)|\*/$", "", match.group(), flags=re.MULTILINE)
            yield Passage(text.count("\n", 0, match.start()) + 1, comment)
    elif path.endswith((".py", *_STARLARK_SUFFIXES)):
        yield from _python_comments(text)
        yield from (Passage(line, docstring) for line, docstring in _docstrings(text))
    elif path.endswith((".sh", ".bazelrc")) or _SHELL_START.match(text):
        for match in _SHELL_COMMENTS.finditer(text):
            yield Passage(
                text.count("\n", 0, match.start()) + 1, re.sub(r"^[ \t]*#!? ?", "", match.group(), flags=re.MULTILINE)
            )


def _without_code_blocks(text: str) -> str:
    """Replace fenced blocks with empty lines, to preserve line numbers."""
    lines, in_block = [], False
    for line in text.splitlines():
        is_fence = bool(_FENCE.match(line))
        in_block ^= is_fence
        lines.append("" if in_block or is_fence else line)
    return "\n".join(lines)


def _python_comments(text: str) -> Iterator[Passage]:
    """Yield Python and Starlark comments; consecutive lines form one passage."""
    first, last = 0, 0
    block: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        line = token.start[0]
        if block and line != last + 1:
            yield Passage(first, "\n".join(block))
            block = []
        first = line if not block else first
        last = line
        block.append(token.string.lstrip("#! "))
    if block:
        yield Passage(first, "\n".join(block))


def _docstrings(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each docstring. Starlark parses as Python."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or not node.body:
            continue
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            yield first.lineno, first.value.value


def _replaceable(passage: Passage, terms: Sequence[Term]) -> Iterator[tuple[int, str]]:
    # Replace code with a word of the same width, so that offsets and sentence boundaries are
    # preserved.
    prose = _NOT_PROSE.sub(lambda match: re.sub(r"[^\n]", "X", match.group()), passage.text)
    begin = 0
    for end in [match.start() for match in _SENTENCE_END.finditer(prose)] + [len(prose)]:
        raw = prose[begin:end]
        sentence = raw.lstrip(" \n-*#|>\t")
        offset = begin + len(raw) - len(sentence)
        joined = sentence.replace("\n", " ").rstrip()
        for term in terms:
            for match in term.pattern.finditer(joined):
                line = passage.line + prose.count("\n", 0, offset + match.start())
                yield line, f"{match.group().rstrip('.;:,')!r}; use {term.use}"
        begin = end


def _wide_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(_without_code_blocks(text).splitlines(), 1):
        if len(line) > MAX_COLUMNS and not _LONG_BY_NATURE.search(line):
            yield number, f"{len(line)} columns; wrap prose at {MAX_COLUMNS}"


def _poor_docstrings(text: str) -> Iterator[tuple[int, str]]:
    for line, docstring in _docstrings(text):
        first = docstring.strip().splitlines()[0] if docstring.strip() else ""
        if not first:
            yield line, "empty docstring; delete it or say what the code does"
        elif len(first) > MAX_FIRST_LINE:
            yield line, f"first line of {len(first)} characters; use one sentence of at most {MAX_FIRST_LINE}"
        elif not first.endswith((".", ":", "?")):
            yield line, "first line is not a sentence; end it with a full stop"


def scope() -> list[str]:
    """Return the paths that the prose check covers, from prose.toml."""
    return tomllib.loads(CONFIG.read_text(encoding="utf-8"))["scope"]


def covered_files(paths: Sequence[str]) -> list[str]:
    """Return the repository's files below `paths`; none if `paths` is empty."""
    if not paths:
        return []
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "--", *paths]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [name for name in listing.splitlines() if (ROOT / name).exists()]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", help="files and folders to check; default: the scope in prose.toml")
    options = parser.parse_args(arguments)
    terms = terms_of(tomllib.loads(CONFIG.read_text(encoding="utf-8")))
    problems = []
    for path in covered_files(options.paths or scope()):
        try:
            text = (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        problems += problems_of(path, text, terms)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

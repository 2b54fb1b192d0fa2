"""Format declarations as Markdown, for the pages of the C, C++ and Rust APIs."""

import re
from collections.abc import Iterator

from source_code import Declaration


def entry(declaration: Declaration, language: str, level: int = 4) -> Iterator[str]:
    """Yield the heading and the code of a declaration, which the comment follows."""
    yield "#" * level + " " + ", ".join(f"`{name}`" for name in declaration.names)
    yield f"```{language}\n{declaration.code}\n```"


def prose(comment: str, language: str) -> str:
    """Return a comment as Markdown: indented lines are code, and names are code spans."""
    parts = []
    for paragraph in re.split(r"\n\n+", comment):
        lines = paragraph.splitlines()
        if all(line.startswith("  ") for line in lines):
            parts.append("\n".join([f"```{language}", *(line[2:] for line in lines), "```"]))
        else:
            parts.append("\n".join(_escaped(line) for line in lines))
    return "\n\n".join(parts)


def _escaped(line: str) -> str:
    """Mark identifiers as code, and escape the markup of Markdown."""
    pieces = re.split(r"(`[^`]*`)", line)
    for index in range(0, len(pieces), 2):
        marked = re.sub(
            r"(?<![\w.*/])(?:(?:et|ET)_\w+(?:\.\w+)*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|\w+(?:_\w+)+(?:\.\w+)*)(?![\w*])",
            lambda match: f"`{match[0]}`",
            pieces[index],
        )
        outside = re.split(r"(`[^`]*`)", marked)
        outside[::2] = [re.sub(r"([*<\[\]]|\b_|_\b)", r"\\\1", text) for text in outside[::2]]
        pieces[index] = "".join(outside)
    return "".join(pieces)

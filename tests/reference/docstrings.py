"""Read the parameters that docstrings explain: lines of the form `name: text`."""

import inspect
import re

_EXPLAINED = re.compile(r"^(?P<names>\w+(?:, \w+)*): (?P<text>.*)$")


def documented_names(docstring: str) -> dict[str, str]:
    """Return the text for each name that a docstring explains."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in inspect.cleandoc(docstring).splitlines():
        match = _EXPLAINED.match(line)
        if match:
            names = match["names"].split(", ")
            found |= dict.fromkeys(names, match["text"])
        elif line.startswith(" "):
            found |= {name: f"{found[name]} {line.strip()}" for name in names}
        else:
            names = []
    return found


def as_sentence(text: str) -> str:
    """Format a text as a table cell: capitalized, with a full stop at the end."""
    escaped = text.replace("|", "\\|").rstrip(".")
    return f"{escaped[:1].upper()}{escaped[1:]}."

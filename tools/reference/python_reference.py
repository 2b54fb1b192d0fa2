"""Writes docs/reference/python.md from what the compiler's public modules say of themselves.

The command is `python3 tools/reference/python_reference.py`; a test holds the page to the sources.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from python_api import Definition, Sources, is_property, methods, signature

_PAGE = "docs/reference/python.md"
_INTRODUCTION = """\
# Reference of the Python API

Made from the compiler's sources by `python3 tools/reference/python_reference.py`; do not edit.
What is not here, or begins with an underscore, is free to change."""
_MODULES = (
    ("exir", "Compiling"),
    ("exir.model_spec", "What an entry point returns"),
    ("exir.passes", "Passes"),
    ("exir.quantize", "Quantizing"),
    ("exir.pass_manager", "Running passes"),
    ("exir.bundle", "What passes over all methods see"),
    ("exir.pass_base", "Passes that visit each node"),
    ("exir.pipeline", "Passes as text"),
    ("exir.memory_planning", "Planning memory"),
    ("exir.backend.entry", "Naming a backend"),
    ("exir.backend.partitioner", "Choosing what a backend gets"),
    ("exir.backend.backend_details", "Compiling for a backend"),
    ("exir._serialize._named_data_store", "Constants that delegates share"),
    ("exir.backend.compile_spec_schema", "A backend's options in the program"),
    ("exir.backend.backend_api", "Handing parts to a backend"),
    ("exir.backend.capability", "Proposing partitions"),
    ("exir.backend.tags", "Marking partitions"),
    ("exir.backend.utils", "Helpers for backends"),
    ("exir.lowered_backend_module", "What a backend returned"),
    ("exir.serde", "Saving programs of any stage"),
    ("exir.debug_record", "The record that developer tools read"),
    ("exir.tensor", "Tensors of lowered graphs"),
    ("exir.memory", "Memory in lowered graphs"),
    ("exir.error", "Errors"),
)
# A line of a docstring that explains one parameter or field, or several.
_EXPLAINED = re.compile(r"^(?P<names>\*{0,2}\w+(?:, \w+)*): (?P<text>.*)$")


def page(root: Path) -> str:
    """The whole page."""
    sources = Sources(root)
    parts = [_INTRODUCTION]
    for module, title in _MODULES:
        parts += [f"## {title}: `{module}`", *_entries(sources, module)]
    return "\n\n".join(parts) + "\n"


def _entries(sources: Sources, module: str) -> Iterator[str]:
    summary = ast.get_docstring(sources.tree(module))
    if summary:
        yield _prose(summary)
    for name in sources.public_names(module):
        found = sources.definition(module, name)
        yield f"### {name}"
        yield f"It is `{found}`." if isinstance(found, str) else _entry(found)


def _entry(node: Definition) -> str:
    parts = [f"```python\n{signature(node)}\n```", _prose(ast.get_docstring(node) or "")]
    parts += [_method(node.name, method) for method in methods(node)]
    return "\n\n".join(part for part in parts if part)


def _method(owner: str, method: ast.FunctionDef) -> str:
    head = method.name if is_property(method) else signature(method)
    return f"```python\n{owner}.{head}\n```\n\n{_prose(ast.get_docstring(method) or '')}"


def _prose(docstring: str) -> str:
    """A docstring as Markdown: explanations of parameters become a list, the rest stays."""
    lines: list[str] = []
    for line in docstring.splitlines():
        match = _EXPLAINED.match(line)
        in_list = bool(lines) and lines[-1].startswith(("- ", "  "))
        if lines and lines[-1] and line and in_list != (bool(match) or line.startswith("  ")):
            lines.append("")
        lines.append(_list_item(match) if match else line)
    return "\n".join(lines)


def _list_item(match: re.Match[str]) -> str:
    names = ", ".join(f"`{name}`" for name in match["names"].split(", "))
    return f"- {names}: {match['text']}"


if __name__ == "__main__":
    root = Path(__file__).absolute().parents[2]
    (root / _PAGE).write_text(page(root), encoding="utf-8")

"""Write docs/reference/python_api.md from the docstrings of the public modules.

The command is `python3 tools/reference/python_reference.py`; a test compares the page with the sources.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from page_links import linked
from python_api import Definition, Sources, is_property, methods, signature

_PAGE = "docs/reference/python_api.md"
_INTRODUCTION = """\
# Python API

This page lists the public names of the compiler, `exir`, and of the runtime's Python package,
`executorch_runtime`. It is for authors of export scripts, passes and backends. The text is
generated from the sources by `python3 tools/reference/python_reference.py`; do not edit.

Other names, and names that start with an underscore, can change at any time. The names and
signatures of `exir` follow ExecuTorch's; see [Compatibility](compatibility.md)."""
_NEXT = """\
## Next

- [Tutorial](../get_started/tutorial.md): the export API, step by step
- [Add a backend](../how_to/add_a_backend.md), [add a compiler pass](../how_to/add_a_pass.md)
- [Use the runtime from Python](../how_to/use_from_python.md)"""
_MODULES = (
    ("exir", "Compile a model"),
    ("exir.model.spec", "Entry points"),
    ("exir.passes", "Passes"),
    ("exir.quantize", "Quantization"),
    ("exir.pass_manager", "Pass managers"),
    ("exir.graph.program_bundle", "Program bundles"),
    ("exir.pass_base", "Node-by-node passes"),
    ("exir.passes.pipeline", "Pipelines as text"),
    ("exir.memory_planning", "Memory planning"),
    ("exir.backend.entry", "Backend entries"),
    ("exir.backend.partitioner", "Partitioners"),
    ("exir.backend.backend_details", "Backend compilers"),
    ("exir._serialize._named_data_store", "Named data"),
    ("exir.backend.compile_spec_schema", "Compile specs"),
    ("exir.backend.backend_api", "Lowering to a backend"),
    ("exir.backend.capability", "Capability-based partitioning"),
    ("exir.backend.tags", "Delegation tags"),
    ("exir.backend.utils", "Backend utilities"),
    ("exir.lowered_backend_module", "Lowered modules"),
    ("exir.serde", "Serialization"),
    ("exir.debug.record", "Debug record"),
    ("exir.tensor", "Tensor specs"),
    ("exir.memory", "Memory operators"),
    ("exir.error", "Errors"),
    ("executorch_runtime", "Run a program"),
    ("executorch_runtime.llm", "Generate text"),
)
# A line of a docstring that explains one or more parameters or fields.
_EXPLAINED = re.compile(r"^(?P<names>\*{0,2}[a-z_]\w*(?:, \w+)*): (?P<text>.*)$")


def page(root: Path) -> str:
    """Return the whole page."""
    sources = Sources(root)
    parts = [_INTRODUCTION]
    for module, title in _MODULES:
        parts += [f"## {title}: `{module}`", *_entries(sources, module)]
    return linked("\n\n".join([*parts, _NEXT])) + "\n"


def _entries(sources: Sources, module: str) -> Iterator[str]:
    summary = ast.get_docstring(sources.tree(module))
    if summary:
        yield _prose(summary)
    for name in sources.public_names(module):
        found = sources.definition(module, name)
        yield f"### {name}"
        yield f"An alias of `{found}`." if isinstance(found, str) else _entry(found)


def _entry(node: Definition) -> str:
    parts = [f"```python\n{signature(node)}\n```", _prose(ast.get_docstring(node) or "")]
    parts += [_method(node.name, method) for method in methods(node)]
    return "\n\n".join(part for part in parts if part)


def _method(owner: str, method: ast.FunctionDef) -> str:
    head = method.name if is_property(method) else signature(method)
    return f"```python\n{owner}.{head}\n```\n\n{_prose(ast.get_docstring(method) or '')}"


def _prose(docstring: str) -> str:
    """Return a docstring as Markdown, with its parameters as a list."""
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

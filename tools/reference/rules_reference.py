"""Write docs/reference/rules.md from the docs of the public .bzl files.

The command is `python3 tools/reference/rules_reference.py`; a test compares the page with the files.
"""

import ast
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from page_links import linked
from starlark import Attribute, Extension, Provider, Rule, Workspace

_PAGE = "docs/reference/rules.md"
_INTRODUCTION = """\
# Rules

This page lists the rules, macros, providers and repository rules with all their attributes, for
authors of BUILD files. It is generated from the `.bzl` files by `python3
tools/reference/rules_reference.py`; do not edit.

Rules and macros also take the attributes that every Bazel rule has (`tags`, `visibility`, …)."""
_NEXT = """\
## Next

- [Your first model](../get_started/first_model.md): the rules in use
- [Compiler options](config.md): the keys of `config`
- [Command-line tools](cli.md)"""
# The file, the title of its section, and the names to omit.
_SECTIONS = (
    ("rules/defs.bzl", "Rules and providers"),
    ("rules/aspects.bzl", "Aspects"),
    ("rules/toolchain.bzl", "Toolchain"),
    ("rules/extensions.bzl", "Module extension, for MODULE.bazel"),
    ("rules/repositories.bzl", "Repositories, for WORKSPACE"),
    ("bindings/java/defs.bzl", "Java"),
    ("bindings/rust/defs.bzl", "Rust"),
    ("bindings/web/defs.bzl", "WebAssembly"),
    ("llm/defs.bzl", "Language models"),
    ("text/defs.bzl", "Vocabularies"),
)
_ARGUMENTS = re.compile(r"\n *Args:\n(?P<rows>(?: .*\n?)*)")
_ARGUMENT = re.compile(r"^(?P<indent> +)(?P<name>\*{0,2}\w+): (?P<doc>.*)$")


def page(root: Path) -> str:
    """Return the whole page."""
    workspace = Workspace(root)
    parts = [_INTRODUCTION]
    for path, title in _SECTIONS:
        parts += [f"## {title}", f'`load("@rules_executorch//{":".join(path.rsplit("/", 1))}", …)`']
        parts += _entries(workspace, path)
    return linked("\n\n".join([*parts, _NEXT])) + "\n"


def _entries(workspace: Workspace, path: str) -> Iterator[str]:
    names = workspace.names_of(path)
    for name, value in names.items():
        if name.startswith("_") or not _is_defined_there(value, name, path, workspace):
            continue
        if isinstance(value, Provider):
            yield _provider_entry(name, value)
        elif isinstance(value, Extension):
            for tag, rule in value.tag_classes.items():
                yield _entry(f"{name}.{tag}", rule.doc, _attribute_rows(rule.attributes))
        elif isinstance(value, Rule):
            yield _entry(name, value.doc, _attribute_rows(value.attributes))
        else:
            yield _macro_entry(name, value, _wrapped_rule(value, name))


def _is_defined_there(value: Any, name: str, path: str, workspace: Workspace) -> bool:
    """Return whether the file itself defines the public name."""
    if not isinstance(value, Rule | Provider | Extension) and not inspect.isfunction(value):
        return False
    text = (workspace.root / path).read_text()
    return re.search(rf"^(def {name}\(|{name} = )", text, re.MULTILINE) is not None


def _wrapped_rule(macro: Callable[..., None], name: str) -> Rule | None:
    """Return the rule `<name>_rule` that a macro wraps, if any."""
    found = macro.__globals__.get(f"{name}_rule")
    return found if isinstance(found, Rule) else None


def _provider_entry(name: str, provider: Provider) -> str:
    rows = [f"| `{field}` | {_cell(doc)} |" for field, doc in provider.fields.items()]
    return "\n\n".join([f"### {name}", provider.doc, "\n".join(["| Field | Meaning |", "| --- | --- |", *rows])])


def _macro_entry(name: str, macro: Callable[..., None], rule: Rule | None) -> str:
    """Return the arguments of a macro, and the attributes that it passes to its rule."""
    doc, arguments = _parse(inspect.getdoc(macro) or "")
    attributes = rule.attributes if rule else {}
    defaults = {p.name: p.default for p in inspect.signature(macro).parameters.values()}
    defaults |= dict.fromkeys(_required_by(macro), inspect.Parameter.empty)
    own = {key: text for key, text in arguments.items() if not key.startswith("*")}
    rows = [_row(key, _kind(attributes.get(key)), _default(defaults[key]), text) for key, text in own.items()]
    if rule is None:
        rows += [f"| … | | | {_cell(text)} |" for key, text in arguments.items() if key.startswith("**")]
    unavailable = own.keys() | _set_by(macro)
    passed_on = {key: value for key, value in attributes.items() if key not in unavailable}
    return _entry(name, rule.doc if rule else doc, [*rows, *_attribute_rows(passed_on)])


def _set_by(macro: Callable[..., None]) -> set[str]:
    """Return the attributes that a macro sets itself, which users cannot set."""
    return {word.arg for call in _calls_of(macro, f"{macro.__name__}_rule") for word in call.keywords if word.arg}


def _required_by(macro: Callable[..., None]) -> set[str]:
    """Return the mandatory arguments of a macro: `require(where, "<argument>", …)`."""
    names = [call.args[1] for call in _calls_of(macro, "require")]
    return {str(name.value) for name in names if isinstance(name, ast.Constant)}


def _calls_of(macro: Callable[..., None], function: str) -> list[ast.Call]:
    calls = [node for node in ast.walk(ast.parse(inspect.getsource(macro))) if isinstance(node, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == function]


def _kind(attribute: Attribute | None) -> str:
    return attribute.kind if attribute else ""


def _parse(docstring: str) -> tuple[str, dict[str, str]]:
    """Split a docstring into its text and its arguments."""
    match = _ARGUMENTS.search(docstring)
    if match is None:
        return docstring, {}
    found: dict[str, str] = {}
    indent = ""
    for line in match["rows"].splitlines():
        argument = _ARGUMENT.match(line)
        if argument and argument["indent"] == (indent or argument["indent"]):
            indent = argument["indent"]
            name = argument["name"]
            found[name] = argument["doc"]
        elif line.strip():
            found[name] += f" {line.strip()}"
    return docstring[: match.start()].rstrip(), found


def _attribute_rows(attributes: Mapping[str, Attribute]) -> list[str]:
    public = {name: value for name, value in attributes.items() if not name.startswith("_")}
    return [
        _row(name, value.kind, "mandatory" if value.mandatory else _default(value.default), value.doc)
        for name, value in public.items()
    ]


def _default(value: Any) -> str:
    """Return a default in Starlark syntax, or an empty string for None."""
    if value is inspect.Parameter.empty:
        return "mandatory"
    if value is None:
        return ""
    return f"`{json.dumps(value) if isinstance(value, str) else repr(value)}`"


def _row(name: str, kind: str, default: str, doc: str) -> str:
    return f"| `{name}` | {kind} | {default} | {_cell(doc)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _entry(name: str, doc: str, rows: Iterable[str]) -> str:
    rows = list(rows)
    table = ["| Attribute | Type | Default | Meaning |", "| --- | --- | --- | --- |", *rows] if rows else []
    return "\n\n".join(part for part in (f"### {name}", doc.strip(), "\n".join(table)) if part)


if __name__ == "__main__":
    root = Path(__file__).absolute().parents[2]
    (root / _PAGE).write_text(page(root))

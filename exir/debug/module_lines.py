"""Find lines of a model's source from its modules."""

import inspect
import os
import re
from collections.abc import Iterator

import torch
from torch import nn

from exir.debug.source import import_path

_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_SCRIPTED_LINE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')


def line_that_makes(root: nn.Module, path: str) -> str:
    """Return the `file:line` that assigns or registers the attribute at `path`.

    If no line names the attribute, return the line of the nearest enclosing container. Returns "" if
    no line is found.
    """
    names = path.split(".") if path else []
    for count in range(len(names), 0, -1):
        name = re.escape(names[count - 1])
        pattern = rf"""\bself\.{name}\s*(:[^=]+)?=(?!=)|["']{name}["']"""
        found = _first_line(type(root.get_submodule(".".join(names[: count - 1]))), pattern)
        if found:
            return found
    return ""


def line_that_writes(module: nn.Module, name: str) -> str:
    """Return the `file:line` that changes the content of the attribute `name`.

    Without such a line, return the line of `forward` that reads the attribute, or "".
    """
    attribute = rf"\bself\.{re.escape(name)}\b"
    method = r"\.(append|appendleft|extend|insert|update|setdefault|add)\("
    changes = rf"{attribute}([\w.]*{method}|.*\]{method}|[\w.]*\[.*\]\s*=(?!=)|\.\w+\s*=(?!=)|\s*\+=)"
    return _first_line(type(module), changes) or _first_line(type(module), attribute, "forward")


def line_of_script(module: torch.jit.ScriptModule) -> str:
    """Return the `file:line` of the Python source of `module`.

    Returns "" if the source is unknown or belongs to torch.
    """
    try:
        text = "".join(str(node.sourceRange()) for node in module.graph.nodes())
    except (AttributeError, RuntimeError):  # the module has no forward
        return ""
    for match in _SCRIPTED_LINE.finditer(text):
        if not match["file"].startswith((_TORCH, "code/", "<")):
            return f"{import_path(match['file'])}:{match['line']}"
    return ""


def _first_line(kind: type, pattern: str, function: str = "") -> str:
    """Return the first line that matches, in the class or its bases.

    function: search only this method.
    """
    matches = re.compile(pattern).search
    for file, number, line in _function_lines(kind, function):
        if matches(line.split("#")[0]):
            return f"{import_path(file)}:{number}"
    return ""


def _function_lines(kind: type, function: str) -> Iterator[tuple[str, int, str]]:
    for base in kind.__mro__:
        source = vars(base).get(function) if function else base
        try:
            file = inspect.getsourcefile(source)  # type: ignore[arg-type]
            if file is None or file.startswith(_TORCH):
                continue
            lines, first = inspect.getsourcelines(source)  # type: ignore[arg-type]
        except (OSError, TypeError):
            continue
        for number, line in enumerate(lines, max(first, 1)):
            yield file, number, line

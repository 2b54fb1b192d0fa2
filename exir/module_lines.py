"""Lines of a model's source, found from its modules."""

import inspect
import os
import re
from collections.abc import Iterator

import torch
from torch import nn

from exir.source import import_path

_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_SCRIPTED_LINE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')


def line_that_makes(root: nn.Module, path: str) -> str:
    """`file:line` where a class of `root`'s modules assigns or registers what is at `path`; "" if none does.

    Where containers number it, that is the line of the nearest container.
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
    """`file:line` where a class of `module` changes what its attribute `name` holds, else reads it; "" if none does."""
    attribute = rf"\bself\.{re.escape(name)}\b"
    method = r"\.(append|appendleft|extend|insert|update|setdefault|add)\("
    changes = rf"{attribute}([\w.]*{method}|.*\]{method}|[\w.]*\[.*\]\s*=(?!=)|\.\w+\s*=(?!=)|\s*\+=)"
    return _first_line(type(module), changes) or _first_line(type(module), attribute, "forward")


def line_of_script(module: torch.jit.ScriptModule) -> str:
    """`file:line` of the Python that `module` was compiled from; "" if that is torch's, or not known."""
    try:
        text = "".join(str(node.sourceRange()) for node in module.graph.nodes())
    except (AttributeError, RuntimeError):  # it has no forward
        return ""
    for match in _SCRIPTED_LINE.finditer(text):
        if not match["file"].startswith((_TORCH, "code/", "<")):
            return f"{import_path(match['file'])}:{match['line']}"
    return ""


def _first_line(kind: type, pattern: str, function: str = "") -> str:
    """The first line of `kind`, or of its `function`, that has the pattern; of the classes it is made of, likewise."""
    matches = re.compile(pattern).search
    for file, number, line in _lines(kind, function):
        if matches(line.split("#")[0]):
            return f"{import_path(file)}:{number}"
    return ""


def _lines(kind: type, function: str) -> Iterator[tuple[str, int, str]]:
    for each in kind.__mro__:
        source = vars(each).get(function) if function else each
        try:
            file = inspect.getsourcefile(source)  # type: ignore[arg-type]
            if file is None or file.startswith(_TORCH):
                continue
            lines, first = inspect.getsourcelines(source)  # type: ignore[arg-type]
        except (OSError, TypeError):
            continue
        for number, line in enumerate(lines, max(first, 1)):
            yield file, number, line

"""Find the source line of a graph node in the user's model."""

import os
import re
import sys
from dataclasses import dataclass

import torch
from torch.fx import Node

_FRAME = re.compile(r'^ *File "(?P<file>.+)", line (?P<line>\d+), in (?P<function>.+)$')
_TORCH_ROOT = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_GENERATED = "<"
"""Prefix of the file names of torch's generated code, such as control-flow bodies."""


@dataclass(frozen=True)
class SourceLocation:
    """One line of a user's source file.

    file: the path relative to its import root, so that it does not depend on the machine or the
        sandbox.
    """

    file: str
    line: int
    function: str
    code: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def source_of(node: Node) -> SourceLocation | None:
    """Return the innermost recorded frame of user code of `node`, or None."""
    frames = frames_of(node)
    return frames[-1] if frames else None


def module_of(node: Node) -> str:
    """Return the qualified name of the innermost module that recorded `node`."""
    stack = node.meta.get("nn_module_stack") or {}
    paths = [path for path, _ in stack.values()]
    return str(paths[-1]) if paths else ""


def frames_of(node: Node) -> list[SourceLocation]:
    """Return the recorded frames of user code of `node`, outermost first.

    Frames of torch and of generated code are skipped.
    """
    lines = (node.meta.get("stack_trace") or "").splitlines()
    frames = []
    for index, text in enumerate(lines):
        match = _FRAME.match(text)
        if match and not match["file"].startswith((_TORCH_ROOT, _GENERATED)):
            code = lines[index + 1].strip() if index + 1 < len(lines) else ""
            frames.append(_format_location(match, code))
    return frames


def _format_location(match: re.Match[str], code: str) -> SourceLocation:
    return SourceLocation(import_path(match["file"]), int(match["line"]), match["function"], code)


def import_path(file: str) -> str:
    """Return `file` relative to the longest matching entry of `sys.path`.

    Returns the base name if no entry matches.
    """
    roots = [os.path.abspath(root) + os.sep for root in sys.path]
    above = [root for root in roots if os.path.abspath(file).startswith(root)]
    if not above:
        return os.path.basename(file)
    return os.path.abspath(file)[len(max(above, key=len)) :].replace(os.sep, "/")

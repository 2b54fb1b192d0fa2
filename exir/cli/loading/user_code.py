"""Describe exceptions by the lines of the user's model that caused them."""

import linecache
import os
import sysconfig
import traceback
from collections.abc import Iterable
from pathlib import Path

import torch

import exir
from exir.cli.worker.network import network_note

_MOST_FRAMES = 4
_LONGEST_REASON = 400

_OURS = tuple(
    os.path.dirname(os.path.abspath(path)) + os.sep
    for path in (exir.__file__, os.path.dirname(torch.__file__))
)
_SYSTEM = (os.path.abspath(sysconfig.get_path("stdlib")) + os.sep, "<")


def describe(error: BaseException, roots: Iterable[Path]) -> str:
    """Return the exception, the frames of user code and, if offline, a hint.

    The innermost frame is last.
    """
    frames = "".join(f"\n    {line}" for line in user_lines(error, roots))
    return f"{type(error).__name__}: {shorten(str(error))}{frames}{network_note(error)}"


def user_lines(error: BaseException, roots: Iterable[Path]) -> list[str]:
    """Return `file:line: code` of the user's frames of a traceback.

    Files are relative to their import root.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return [_format_line(_relative_to_roots(error.filename, roots), error.lineno, error.text)]
    found = []
    for frame, number in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if is_user_file(file, roots):
            code = linecache.getline(file, number, frame.f_globals)
            found.append(_format_line(_relative_to_roots(file, roots), number, code))
    return found[-_MOST_FRAMES:]


def is_user_file(file: str, roots: Iterable[Path]) -> bool:
    """Return whether `file` is below an import root and not part of exir or a library."""
    path = os.path.abspath(file)
    if file.startswith(_SYSTEM) or path.startswith((*_OURS, *_SYSTEM)):
        return False
    return any(path.startswith(os.path.abspath(root) + os.sep) for root in roots)


def shorten(reason: str) -> str:
    """Return the first paragraph of an error text. Texts of torch can fill pages."""
    paragraph = reason.strip().split("\n\n")[0]
    return paragraph if len(paragraph) <= _LONGEST_REASON else paragraph[:_LONGEST_REASON] + " …"


def _format_line(file: str, number: int | None, code: str | None) -> str:
    text = (code or "").strip()
    return f"{file}:{number}: {text}" if text else f"{file}:{number}"


def _relative_to_roots(file: str, roots: Iterable[Path]) -> str:
    path = os.path.abspath(file)
    above = [root for root in map(os.path.abspath, roots) if path.startswith(root + os.sep)]
    return path[len(max(above, key=len)) + 1 :] if above else os.path.basename(file)

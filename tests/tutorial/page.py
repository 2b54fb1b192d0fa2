"""Run the code of docs/get_started/tutorial.md, section by section.

`tools/python -m tests.tutorial.page FOLDER` writes the programs of the page to a folder.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

_ROOT = Path(__file__).resolve().parents[2]
_PAGE = _ROOT / "docs/get_started/tutorial.md"
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_IMPORT = "from executorch_runtime import Program\n"


@dataclass(frozen=True)
class Section:
    """A numbered section of the page: its title, and its code."""

    title: str
    code: str


@dataclass(frozen=True)
class Checked:
    """The arguments of a call to `check`: a program and its PyTorch model."""

    program: bytes
    model: Callable[..., Any]
    inputs: tuple[Any, ...]
    method: str
    atol: float


def sections() -> list[Section]:
    """Return the numbered sections of the page, in order."""
    parts = re.split(r"^## (?=\d)", _PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [Section(part.partition("\n")[0], "\n".join(_BLOCK.findall(part))) for part in parts]


def with_official_names(code: str) -> str:
    """Return code that imports the official package, which has no recipes."""
    return re.sub(r"^from exir(?!\.quantize)", "from executorch.exir", code, flags=re.MULTILINE)


def run_sections(spelled: Callable[[str], str] = str) -> Iterator[tuple[Section, list[Checked]]]:
    """Execute the page in one namespace, and yield the checks of each section.

    The C runtime of the tests replaces the page's own `check`: it links the demo backends.
    """
    found: list[Checked] = []

    def check(program: bytes, model: Any, *inputs: Any, method: str = "forward", atol: float = 1e-5) -> None:
        found.append(Checked(program, model, inputs, method, atol))

    torch.manual_seed(0)
    namespace: dict[str, Any] = {"__name__": "tutorial"}
    for section in sections():
        found.clear()
        exec(compile(spelled(section.code.replace(_IMPORT, "")), f"{_PAGE.name}: {section.title}", "exec"), namespace)
        namespace["check"] = check
        yield section, list(found)


def main(folder: str) -> None:
    """Write the programs of the page to `folder`."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for section, checked in run_sections():
        for index, item in enumerate(checked):
            name = re.sub(r"\W+", "_", section.title.lower()).strip("_")
            Path(folder, f"{name}_{index}.pte").write_bytes(item.program)


if __name__ == "__main__":
    main(sys.argv[1])

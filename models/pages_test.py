"""Runs the commands in docs/models and the README, and compares their output."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

_PAGES = [*sorted(Path("docs/models").glob("*.md")), Path("README.md")]
_COMMAND = re.compile(r"\./bazelw run (//models[/:\w]*)((?: -- [^`\n]*)?)")
# Arguments that `bazel run` inserts before those of the command: `args` of the target.
_FIRST_ARGUMENTS = {"classify": [os.environ["FLOWER"]], "listen": [os.environ["SOUND"]]}
_TIMED = re.compile(r"\d+(?:\.\d+)? a second")


def _commands() -> list[tuple[str, str]]:
    found = [match.groups() for page in _PAGES for match in _COMMAND.finditer(page.read_text(encoding="utf-8"))]
    named = [(target.rpartition(":")[2], words.removeprefix(" -- ").split("  #")[0]) for target, words in found]
    return sorted({(name, words) for name, words in named if name.upper() in os.environ})


def _run_page(name: str, words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, as a shell and `bazel run` would, with empty input."""
    given = [word.replace("$PWD", str(folder)) for word in shlex.split(words)]
    command = [os.environ[name.upper()], *_FIRST_ARGUMENTS.get(name, []), *given]
    return subprocess.run(command, input="", capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Create a folder with the files that the commands use."""
    shutil.copy("README.md", tmp_path / "README.md")
    shutil.copy("README.md", tmp_path / "text.txt")
    shutil.copy(os.environ["SOUND"], tmp_path / "recording.wav")
    for photo in ("photo.jpg", "another.png"):
        Image.open(os.environ["FLOWER"]).save(tmp_path / photo)
    return tmp_path


def test_every_model_page_has_a_command() -> None:
    assert {name for name, _ in _commands()} >= {"chat", "classify", "listen", "search", "perplexity"}


@pytest.mark.parametrize(("name", "words"), _commands())
def test_documented_command_runs(name: str, words: str, folder: Path) -> None:
    result = _run_page(name, words, folder)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() or not words


def _block(page: str, first: str) -> list[str]:
    """Return the lines of a page from `first` to a blank line or the end of the block."""
    lines = Path(page).read_text(encoding="utf-8").splitlines()
    begin = next(i for i, line in enumerate(lines) if line.strip().startswith(first))
    end = next(i for i in range(begin, len(lines)) if lines[i] in ("", "```"))
    indent = len(lines[begin]) - len(lines[begin].lstrip())
    return [line[indent:] for line in lines[begin:end]]


def test_documented_classes_match_the_output(folder: Path) -> None:
    assert _run_page("classify", "", folder).stdout.splitlines() == _block("README.md", os.environ["FLOWER"])


def test_documented_answer_matches_the_output(folder: Path) -> None:
    result = _run_page("chat", '"What is the capital of France?"', folder)
    shown = _block("docs/models/chat.md", "The capital of France")
    assert _without_times([*result.stdout.splitlines(), *result.stderr.splitlines()]) == _without_times(shown)


def _without_times(lines: Sequence[str]) -> list[str]:
    return [_TIMED.sub("… a second", line) for line in lines]

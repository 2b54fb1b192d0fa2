"""Compares the decoder example app with eager PyTorch.

The test uses a small model file. docs/models/llm_in_your_app.md shows the example's parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from exir.cli.loading.weights import read_weights
from models.chat import eager, small_files
from tests.outside_workspace.scratch_workspace import Workspace, new_example, repository_root
from text.generate import bpe, chat

_EXAMPLE = repository_root() / "examples" / "llm_in_your_app"
_GUIDE = repository_root() / "docs" / "models" / "llm_in_your_app.md"
_MODEL = re.compile(r'^_MODEL = ".*"$', re.MULTILINE)
_LENGTH = 512
_ANSWER = 256
_STOPS = ("<|endoftext|>", "<|im_end|>")
_REPLACED = "\ufffd"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Return the example with a small model file instead of the downloaded one."""
    scratch = new_example(tmp_path_factory, "llm_in_your_app")
    build, count = _MODEL.subn('_MODEL = "small.gguf"', (_EXAMPLE / "app/BUILD.bazel").read_text(encoding="utf-8"))
    assert count == 1
    scratch.write("app/BUILD.bazel", build)
    small_files.write(_gguf_file(scratch), replace(small_files.QWEN, length=_LENGTH))
    yield scratch
    scratch.shutdown()


def _gguf_file(workspace: Workspace) -> Path:
    return workspace.folder / "app/small.gguf"


def _encode_text(text: str, words: bpe.Vocabulary) -> list[int]:
    """Tokenize into control tokens, the only merge, and single letters."""
    pieces = re.findall(r"<\|\w+\|>|th|.", text, re.DOTALL)
    return [
        words.controls[piece] if piece in words.controls else words.tokens.index(piece.encode()) for piece in pieces
    ]


@torch.no_grad()
def _expected_answer(path: Path, prompt: str) -> str:
    """Return the answer of eager PyTorch with greedy decoding."""
    metadata = bpe.read_metadata(path)
    words = bpe.read_vocabulary(metadata)
    tokens = _encode_text(chat.split_template(chat.renderer(metadata)).text([("user", prompt)], asks=True), words)
    stops = {words.controls[name] for name in _STOPS}
    network = eager.in_floats(read_weights(path))
    scores, end = network.prefill(torch.tensor([tokens]), torch.arange(len(tokens))), len(tokens) + _ANSWER
    begin = len(tokens)
    while len(tokens) < end and int(scores.argmax()) not in stops:
        tokens.append(int(scores.argmax()))
        scores = network.decode(torch.tensor([tokens[-1:]]), torch.tensor([len(tokens) - 1]))
    return b"".join(words.tokens[token] for token in tokens[begin:]).decode(errors="replace")


def _normalize_replacements(text: str) -> str:
    """Collapse runs of replacement characters.

    Random weights produce invalid UTF-8, and the number of replacement characters does not matter.
    """
    return re.sub(f"{_REPLACED}+", _REPLACED, text).rstrip(f"{_REPLACED}\n")


@pytest.mark.parametrize("app", ["//app", "//app:cpp_app"])
@pytest.mark.parametrize("prompt", ["the cat", "o" * 57, "over there " * 12])
def test_llm_app_matches_eager(prompt: str, app: str, workspace: Workspace) -> None:
    """The prompts are one chunk, a chunk plus one token, and two chunks long."""
    result = workspace.run(app, prompt)
    assert result.returncode == 0, result.stderr
    expected = _normalize_replacements(_expected_answer(_gguf_file(workspace), prompt))
    assert _normalize_replacements(result.stdout) == expected and len(expected) > 10


@pytest.mark.parametrize("app", ["//app", "//app:cpp_app"])
def test_too_long_prompt_is_reported(app: str, workspace: Workspace) -> None:
    result = workspace.run(app, "word " * 2000)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == "the prompt is too long"


@pytest.mark.parametrize(
    ("language", "name"),
    [("python", "MODULE.bazel"), ("python", "app/BUILD.bazel"), ("c", "app/app.c"), ("cpp", "app/app.cc")],
)
def test_llm_guide_shows_the_examples_code(language: str, name: str) -> None:
    pattern = rf"```{language}\n(?:# |/\* |// ){re.escape(name)}(?: \*/)?\n(.*?)```"
    shown = re.findall(pattern, _GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    content = (_EXAMPLE / name).read_text(encoding="utf-8")
    assert shown
    assert [part for part in shown if part not in content] == []


def test_llm_guide_names_every_file() -> None:
    blocks = re.findall(r"```(?:python|c|cpp)\n(.*)\n", _GUIDE.read_text(encoding="utf-8"))
    assert all(re.match(r"(# |/\* |// )(MODULE.bazel|app/BUILD.bazel|app/app.cc?)", head) for head in blocks)

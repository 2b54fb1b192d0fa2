"""Compares the decoder example app with eager PyTorch.

The test uses a small model file. docs/how_to/use_a_language_model.md shows the example's parts.
"""

from __future__ import annotations

import json
import re
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from exir.cli.loading.weights import read_weights
from models.chat import eager, small_files
from tests.outside_workspace.scratch_workspace import Workspace, new_example, repository_root
from text.generate import bpe
from text.generate.bpe_vocabulary import Vocabulary, read_vocabulary
from text.generate.template_parts import split_template
from text.generate.template_renderer import renderer

_EXAMPLE = repository_root() / "examples" / "llm_in_your_app"
_GUIDE = repository_root() / "docs" / "how_to" / "use_a_language_model.md"
_MODEL = re.compile(r'^_MODEL = ".*"$', re.MULTILINE)
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
    small_files.write(_gguf_file(scratch), small_files.QWEN)
    yield scratch
    scratch.shutdown()


def _gguf_file(workspace: Workspace) -> Path:
    return workspace.folder / "app/small.gguf"


def _encode_text(text: str, words: Vocabulary) -> list[int]:
    """Tokenize into control tokens, the only merge, and single letters."""
    pieces = re.findall(r"<\|\w+\|>|th|.", text, re.DOTALL)
    return [
        words.controls[piece] if piece in words.controls else words.tokens.index(piece.encode()) for piece in pieces
    ]


@torch.no_grad()
def _expected_answer(path: Path, prompt: str) -> str:
    """Return the answer of eager PyTorch with greedy decoding."""
    metadata = bpe.read_metadata(path)
    words = read_vocabulary(metadata)
    tokens = _encode_text(split_template(renderer(metadata)).text([("user", prompt)], asks=True), words)
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
    result = workspace.run(app, text=f"{prompt}\n")
    assert result.returncode == 0, result.stderr
    expected = _normalize_replacements(_expected_answer(_gguf_file(workspace), prompt))
    assert _normalize_replacements(result.stdout) == expected and len(expected) > 10


@pytest.mark.parametrize("app", ["//app", "//app:cpp_app"])
def test_too_long_prompt_is_reported(app: str, workspace: Workspace) -> None:
    result = workspace.run(app, text="word " * 600)
    assert result.returncode == 1
    assert "the context has 512 tokens" in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("app", ["//app", "//app:cpp_app"])
def test_second_answer_depends_on_the_first_message(app: str, workspace: Workspace) -> None:
    one, two = (workspace.run(app, text=f"{first}\nagain\n").stdout for first in ("the cat", "the dog"))
    assert one != two


def test_command_line_matches_the_app(workspace: Workspace) -> None:
    chat = workspace.run("//app:assistant.chat", "--max-tokens", "256", "the cat")
    assert chat.stdout == workspace.run("//app", text="the cat\n").stdout


def test_server_answers_like_the_app(workspace: Workspace) -> None:
    built = workspace.build("//app:assistant.serve")
    assert built.exit_code == 0, built.stderr
    launcher = workspace.folder / "bazel-bin/app/assistant.serve.sh"
    runfiles = launcher.with_name(launcher.name + ".runfiles") / "_main"
    command = [str(launcher.resolve()), "app/assistant.so", "--port", "0"]
    with subprocess.Popen(command, cwd=runfiles, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = re.search("http://.*", server.stdout.readline())
            assert address
            answer = _ask_server(address[0], "the cat")
        finally:
            server.terminate()
    assert answer == workspace.run("//app", text="the cat\n").stdout.removesuffix("\n")


def _ask_server(address: str, text: str) -> str:
    body = {"messages": [{"role": "user", "content": text}], "max_tokens": 256}
    request = urllib.request.Request(
        f"{address}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)["choices"][0]["message"]["content"]


def test_answers_with_a_schema_are_valid(workspace: Workspace) -> None:
    result = workspace.run("//app:extract", text="the cat\nthe dog\n")
    assert result.returncode == 0, result.stderr
    decoder, rest = json.JSONDecoder(), result.stdout
    for _ in range(2):
        person, end = decoder.raw_decode(rest)
        rest = rest[end:].lstrip()
        assert list(person) == ["name", "age", "languages"]
        assert set(person["languages"]) <= {"English", "French", "German"}


@pytest.mark.parametrize(("name", "limit"), [("app.c", 40), ("app.cc", 25), ("extract.c", 40)])
def test_llm_app_is_short(name: str, limit: int) -> None:
    assert len((_EXAMPLE / "app" / name).read_text(encoding="utf-8").splitlines()) <= limit


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("python", "MODULE.bazel"),
        ("python", "app/BUILD.bazel"),
        ("c", "app/app.c"),
        ("c", "app/extract.c"),
        ("cpp", "app/app.cc"),
    ],
)
def test_llm_guide_shows_the_examples_code(language: str, name: str) -> None:
    pattern = rf"```{language}\n(?:# |/\* |// ){re.escape(name)}(?: \*/)?\n(.*?)```"
    shown = re.findall(pattern, _GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    content = (_EXAMPLE / name).read_text(encoding="utf-8")
    assert shown
    assert [part for part in shown if part not in content] == []


def test_llm_guide_names_every_file() -> None:
    blocks = re.findall(r"```(?:python|c|cpp)\n(.*)\n", _GUIDE.read_text(encoding="utf-8"))
    assert all(
        re.match(r"(# |/\* |// )(MODULE.bazel|(app/)?BUILD.bazel|app/app.cc?|app/extract.c)", head) for head in blocks
    )

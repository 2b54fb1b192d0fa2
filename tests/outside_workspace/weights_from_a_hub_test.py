"""Tests files of a Hugging Face repository as inputs.

The workspace is that of docs/how_to/weights_from_a_hub.md.
"""

from __future__ import annotations

import json
import re
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.huggingface.hub import Hub, running
from tests.outside_workspace.scratch_workspace import Workspace, new_workspace, repository_root, users_environment

_GUIDE = repository_root() / "docs" / "how_to" / "weights_from_a_hub.md"
_TOKEN = "hf_tokenOfTheOutsideTest"
_MODEL = """\
import exir
import torch

def model():
    assert exir.data_path("tokenizer/vocab.txt").read_text().split() == ["zero", "one"]
    return torch.nn.Linear(4, 2), (torch.ones(1, 4),)
"""
_MORE_TARGETS = """
genrule(name = "all", srcs = ["@digits//:files"], outs = ["all.txt"], cmd = "cat $(SRCS) > $@")
genrule(name = "other", outs = ["other.txt"], cmd = "touch $@")
"""


def _safetensors() -> bytes:
    header = json.dumps(
        {
            "weight": {"dtype": "F32", "shape": [2, 4], "data_offsets": [0, 32]},
            "bias": {"dtype": "F32", "shape": [2], "data_offsets": [32, 40]},
        }
    ).encode()
    return struct.pack("<Q", len(header)) + header + struct.pack("<8f", *range(8)) + struct.pack("<2f", 0.5, -0.5)


_TRANSPOSED = struct.pack("<8f", 0, 4, 1, 5, 2, 6, 3, 7)  # as the compiler stores the weight
_FILES = {
    "model.safetensors": _safetensors(),
    "tokenizer/vocab.txt": b"zero\none\n",
    "README.md": b"# Digits\n",
}


def _shown(language: str = "python") -> dict[str, str]:
    """Return the blocks of the guide that start with a file name."""
    blocks = re.findall(rf"```{language}\n# (\S+)\n(.*?)```", _GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    return dict(blocks)


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    """The private repository of the guide."""
    (commit,) = set(re.findall(r'revision = "(\w+)"', _GUIDE.read_text(encoding="utf-8")))
    repository = Hub(
        files=_FILES, large={"model.safetensors"}, repo="acme/digits", branches={"main": commit}, token=_TOKEN
    )
    with running(repository):
        yield repository


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, hub: Hub) -> Iterator[Workspace]:
    """Add the guide's files to both kinds of workspace."""
    scratch = new_workspace(tmp_path_factory)
    shown = _shown()
    assert list(shown) == ["MODULE.bazel", "WORKSPACE", "BUILD.bazel"]
    for name in ("MODULE.bazel", "WORKSPACE"):
        scratch.write(name, (scratch.folder / name).read_text(encoding="utf-8") + shown[name])
    scratch.write("BUILD.bazel", shown["BUILD.bazel"] + _MORE_TARGETS)
    scratch.write("digits.py", _MODEL)
    _remove_from_cache(hub)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_ENDPOINT", hub.url)
        patch.delenv("ACME_HF_TOKEN", raising=False)
        yield scratch
    scratch.shutdown()
    _remove_from_cache(hub)


def _remove_from_cache(hub: Hub) -> None:
    environment = users_environment()
    cache = Path(environment.get("XDG_CACHE_HOME") or f"{environment['HOME']}/.cache")
    for sha256 in hub.hashes().values():
        shutil.rmtree(cache / "rules_executorch" / "huggingface" / sha256, ignore_errors=True)


def test_hub_is_contacted_on_demand(workspace: Workspace, hub: Hub) -> None:
    """Runs first, because the other tests download."""
    build = workspace.build("//:other")
    assert build.exit_code == 0, build.stderr
    assert not hub.requests


def test_branch_of_a_hub_fails_the_build(workspace: Workspace, hub: Hub) -> None:
    (commit,) = set(hub.branches.values())
    texts = {name: (workspace.folder / name).read_text(encoding="utf-8") for name in ("MODULE.bazel", "WORKSPACE")}
    for name, text in texts.items():
        workspace.write(name, text.replace(commit, "main"))
    build = workspace.build("//:all")
    for name, text in texts.items():
        workspace.write(name, text)
    assert build.exit_code != 0
    assert "acme/digits: revision 'main' is not a commit hash of 40 lowercase hexadecimal digits; " in build.stderr


def test_private_repository_needs_its_token(workspace: Workspace) -> None:
    """Runs before the token is set."""
    build = workspace.build("//:digits_pte")
    assert build.exit_code != 0
    assert "model.safetensors of acme/digits at " in build.stderr
    assert "answers 401: the repository is private or does not exist; " in build.stderr
    assert "set ACME_HF_TOKEN to a token that can read it" in build.stderr


def test_model_has_the_weights_of_the_hub(workspace: Workspace, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_HF_TOKEN", _TOKEN)
    build = workspace.build("//:digits_pte")
    assert build.exit_code == 0, build.stderr
    assert _TRANSPOSED in (workspace.folder / "bazel-bin" / "digits.pte").read_bytes()
    assert hub.of("storage")
    assert all("Authorization" not in request.headers for request in hub.of("storage"))


def test_bazel_writes_no_token(workspace: Workspace) -> None:
    """Runs after the download with a token.

    Bazel logs its environment to java.log. Bazel 7 removes the values of variables with TOKEN in
    their names, but Bazel 4 does not.
    """
    folder = workspace.output_base
    found = [
        *folder.glob("*"),
        *folder.glob("server/*"),
        *folder.glob("external/@*"),
        *folder.glob("external/*digits*/**/*"),
    ]
    files = [path for path in found if path.is_file() and not path.name.startswith("java.log")]
    assert any(path.suffix == ".marker" for path in files)
    assert not [path for path in files if _TOKEN.encode() in path.read_bytes()]


def test_all_files_of_a_hub_are_one_target(workspace: Workspace, hub: Hub) -> None:
    hub.requests.clear()
    build = workspace.build("//:all")
    assert build.exit_code == 0, build.stderr
    expected = _FILES["model.safetensors"] + _FILES["tokenizer/vocab.txt"]
    assert (workspace.folder / "bazel-bin" / "all.txt").read_bytes() == expected
    assert not hub.requests, "the files are in the cache, and need no token"


def test_listing_prints_the_attributes_of_the_guide(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_HF_TOKEN", _TOKEN)
    (command,) = re.findall(r"^bazel run (\S+) -- (.*)$", _GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    result = workspace.run(command[0], *command[1].replace("'", "").split())
    assert result.returncode == 0, result.stderr
    printed = "".join(f"    {line}\n" for line in result.stdout.splitlines())
    assert printed in _shown()["MODULE.bazel"]
    assert printed in _shown()["WORKSPACE"]

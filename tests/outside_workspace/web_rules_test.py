"""Tests the web rules in BUILD files, with the oldest Bazel as well.

The oldest Bazel has no WebAssembly, but loads the rules and serves pages.
"""

from __future__ import annotations

import os
import subprocess
import urllib.request
from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, new_workspace

_LOADS = """\
load("@rules_executorch//bindings/web:defs.bzl", "executorch_wasm_library", "executorch_web_server")
load("@rules_executorch//text:defs.bzl", "wordpiece_vocabulary")
"""
_SERVER = 'executorch_web_server(name = "page", data = ["index.html"])\n'
_VOCABULARY = 'wordpiece_vocabulary(name = "words", vocabulary = "vocab.txt")\n'
_IS_OLDEST = "BAZEL" in os.environ


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = new_workspace(tmp_path_factory)
    scratch.write("index.html", "<h1>Hello</h1>\n")
    scratch.write("vocab.txt", "[UNK]\n[CLS]\n[SEP]\na\n")
    yield scratch
    scratch.shutdown()


def test_web_server_serves_the_files_of_its_package(workspace: Workspace) -> None:
    workspace.write("BUILD.bazel", _LOADS + _SERVER + _VOCABULARY)
    build = workspace.build("//:page", "//:words")
    assert build.exit_code == 0, build.stderr
    launcher = workspace.folder / "bazel-bin/page.sh"
    (folder,) = (path for path in launcher.with_name("page.sh.runfiles").iterdir() if (path / "index.html").exists())
    with subprocess.Popen([launcher.resolve(), "0"], cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            with urllib.request.urlopen(server.stdout.readline().strip() + "/index.html") as response:
                assert response.read() == b"<h1>Hello</h1>\n"
                assert response.headers["Content-Type"] == "text/html"
        finally:
            server.terminate()


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ("", "set either 'model' or 'models'"),
        ("model = ':net_pte', variants = ['mmx']", "'variants' is [\"mmx\"]; choose from: relaxed_simd, simd, plain"),
        (
            "model = ':net_pte', tokenizers = {':words': ''}",
            "'tokenizers' has an empty name; set the name of a class for each vocabulary",
        ),
    ],
)
def test_mistakes_in_wasm_libraries_have_messages(attributes: str, message: str, workspace: Workspace) -> None:
    workspace.write("BUILD.bazel", f"{_LOADS}executorch_wasm_library(name = 'net_web', {attributes})\n")
    build = workspace.build("//:net_web")
    assert build.exit_code != 0
    expected = "needs Bazel 7 or newer" if _IS_OLDEST else message
    assert f"executorch_wasm_library(name = 'net_web'): {expected}" in build.stderr

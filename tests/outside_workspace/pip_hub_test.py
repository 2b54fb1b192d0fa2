"""Tests rules_python's `pip.parse` with models and with tests that use its torch.

Run it manually: it needs the rules_python of Debian's Bazel 7, and pip downloads torch again.
`package_hub_test` has stubs for both Bazels.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.outside_workspace.pip_hub import add_hubs, download_tools
from tests.outside_workspace.scratch_workspace import Workspace, repository_root

# In addition to the rules' locked packages: one pure Python package, and one with shared objects and data files.
_OWN_PACKAGES = """
einops==0.8.1 --hash=sha256:919387eb55330f5757c6bea9165c5ff5cfe63a642682ea788a6d472576d81737
pillow==13.0.0 --hash=sha256:a625df9a2a5597fa5e5266e01aefc82604bb85d291e3547981e863560d75da6c
"""

_BUILD = """\
load("@rules_executorch//rules:defs.bzl", "executorch_model", "executorch_parity_test")
load("@rules_python//python:py_library.bzl", "py_library")
load("@rules_python//python:py_test.bzl", "py_test")

py_library(name = "net", srcs = ["net.py"], deps = ["@pip//einops", "@pip//pillow", "@pip//torch"])

executorch_model(name = "net_pte", module = ":net")

executorch_parity_test(name = "net_parity_test", model = ":net_pte")

py_test(
    name = "net_test",
    srcs = ["net_test.py"],
    deps = [":net", "@pip//flatbuffers", "@pip//numpy", "@rules_executorch//exir:without_packages"],
)
"""

_MODEL = """\
import torch
from einops.layers.torch import Rearrange
from PIL import Image

def model():
    side = Image.new("L", (3, 2)).resize((6, 4)).size[0]
    return torch.nn.Sequential(Rearrange("a b -> b a"), torch.nn.ReLU()), (torch.ones(2, side),)
"""

_TEST = """\
import torch
from app.net import model
from exir import to_edge

assert "pip_torch" in torch.__file__, torch.__file__
module, inputs = model()
program = to_edge(torch.export.export(module, inputs)).to_executorch()
assert program.buffer[4:8] == b"ET12"
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("scratch")
    scratch = Workspace(folder / "workspace", repository_root())
    lock = (repository_root() / "third_party/python/requirements.lock").read_text(encoding="utf-8")
    add_hubs(scratch, {"pip": lock + _OWN_PACKAGES})
    scratch.write("app/BUILD.bazel", _BUILD)
    scratch.write("app/net.py", _MODEL)
    scratch.write("app/net_test.py", _TEST)
    download_tools(scratch, folder / "tools")
    yield scratch
    scratch.shutdown()


def test_model_imports_hub_packages_with_the_rules_torch(workspace: Workspace) -> None:
    result = workspace.test("//app:net_parity_test")
    assert result.returncode == 0, result.stdout + result.stderr


def test_python_test_uses_the_compiler_with_the_hubs_torch(workspace: Workspace) -> None:
    result = workspace.test("--test_output=errors", "//app:net_test")
    assert result.returncode == 0, result.stdout + result.stderr

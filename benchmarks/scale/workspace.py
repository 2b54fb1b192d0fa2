"""A workspace with many small models, like a monorepo.

Ten models form a package and share a layer.
"""

from __future__ import annotations

from pathlib import Path

GROUP = 10  # models per package, which import the package's layer

_MODULE = """\
module(name = "many_models")
bazel_dep(name = "rules_executorch", version = "0.1.0")
local_path_override(module_name = "rules_executorch", path = "{root}")
bazel_dep(name = "rules_python", version = "1.0.0")
"""

_BUILD = """\
load("@rules_executorch//rules:defs.bzl", "executorch_cc_library", "executorch_model")
load("@rules_python//python:py_library.bzl", "py_library")

py_library(name = "layer", srcs = ["layer.py"])

[(
    py_library(name = name, srcs = [name + ".py"], deps = [":layer"]),
    executorch_model(name = name + "_pte", module = ":" + name),
    executorch_cc_library(name = name + "_cc", model = ":" + name + "_pte"),
) for name in ["net_%d" % index for index in range({models})]]
"""

_LAYER = """\
import torch

class Layer(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * {factor}
"""

_MODEL = """\
import torch
from {package}.layer import Layer

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)
        self.layer = Layer()

    def forward(self, x):
        return self.layer(self.linear(x)) + {constant}

def model():
    return Net().eval(), (torch.ones(1, 8),)
"""


class ManyModels:
    """The workspace, and the edits that are measured in it."""

    def __init__(self, folder: Path, root: Path, models: int):
        self.folder = folder
        self._write("MODULE.bazel", _MODULE.format(root=root))
        self._write(".bazelrc", f"import {root}/executorch.bazelrc\n")
        for first in range(0, models, GROUP):
            self._write(f"{_package(first)}/BUILD.bazel", _BUILD.format(models=min(GROUP, models - first)))
            self.write_layer(first // GROUP, factor=2)
        for index in range(models):
            self.write_model(index, constant=index)

    def write_model(self, index: int, constant: int, last_line: str = "") -> None:
        text = _MODEL.format(package=_package(index), constant=constant)
        self._write(f"{_package(index)}/net_{index % GROUP}.py", text + last_line)

    def write_layer(self, group: int, factor: int) -> None:
        self._write(f"{_package(group * GROUP)}/layer.py", _LAYER.format(factor=factor))

    def _write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def _package(index: int) -> str:
    return f"group_{index // GROUP}"

"""Tests the image code of //models/classify in another workspace.

A program and a calibration use the same code.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import numpy
import pytest
from safetensors.numpy import load_file

from tests.outside_workspace.scratch_workspace import Workspace, new_workspace, repository_root

_BUILD = """\
load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_executorch//models/classify:defs.bzl", "image_calibration")
load("@rules_executorch//rules:defs.bzl", "executorch_model")
load("@rules_python//python:py_library.bzl", "py_library")

py_library(name = "net", srcs = ["net.py"])

image_calibration(
    name = "photos",
    images = ["flower.ppm"],
    input = "x",
    side = 32,
    mean = [0.485, 0.456, 0.406],
    deviation = [0.229, 0.224, 0.225],
)

executorch_model(
    name = "net_pte",
    calibration = ":photos.safetensors",
    config = {"quantization": {"recipe": "int8_static"}},
    module = ":net",
)

cc_binary(name = "see", srcs = ["see.c"], deps = ["@rules_executorch//models/classify:photo"])
"""

_MODEL = """\
import torch

class Net(torch.nn.Conv2d):
    def forward(self, x):
        return torch.relu(super().forward(x))

def model():
    return Net(3, 4, 3), (torch.ones(1, 3, 32, 32),)
"""

_PROGRAM = """\
#include <stdio.h>

#include "models/classify/photo.h"

static float out[3 * 32 * 32];

int main(int argc, char **argv) {
  const photo_format format = {32, {0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}};
  return argc == 2 && photo_read_as(argv[1], &format, 1, out) &&
                 fwrite(out, sizeof out, 1, stdout) == 1
             ? 0
             : 1;
}
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = new_workspace(tmp_path_factory)
    scratch.write("app/BUILD.bazel", _BUILD)
    scratch.write("app/net.py", _MODEL)
    scratch.write("app/see.c", _PROGRAM)
    shutil.copy(repository_root() / "models/images/flower.ppm", scratch.folder / "app")
    yield scratch
    scratch.shutdown()


def test_program_and_calibration_share_preprocessed_images(workspace: Workspace) -> None:
    build = workspace.build("//app:see", "//app:photos")
    assert build.exit_code == 0, build.stderr
    program = [str(workspace.folder / "bazel-bin/app/see"), str(workspace.folder / "app/flower.ppm")]
    seen = subprocess.run(program, capture_output=True, check=True).stdout
    calls = load_file(workspace.folder / "bazel-bin/app/photos.safetensors")["x"]
    assert calls.shape == (3, 3, 32, 32)
    assert numpy.array_equal(numpy.frombuffer(seen, numpy.float32), calls[0].ravel())


def test_model_is_quantized_with_calibration_images(workspace: Workspace) -> None:
    build = workspace.build("//app:net_pte")
    assert build.exit_code == 0, build.stderr

"""Runs the example programs as a user would."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

_IMAGE = "models/images/flower.ppm"
_DIGITS = "models/digits_data/{}"


def _run_program(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([os.environ[program], *arguments], capture_output=True, text=True, check=False)


def test_digits_matches_pytorch_on_every_image() -> None:
    result = _run_program(
        "DIGITS", _DIGITS.format("images.idx3-ubyte"), _DIGITS.format("labels.idx1-ubyte"), os.environ["PREDICTIONS"]
    )
    assert result.returncode == 0, result.stderr
    assert "(1796 of 1797 digits)" in result.stdout
    assert "equal to PyTorch's prediction: 1797 of 1797" in result.stdout


def test_digits_links_only_its_models_kernels() -> None:
    manifest = json.loads(Path(os.environ["DIGITS_MANIFEST"]).read_text(encoding="utf-8"))
    called = {"et_op_" + re.sub(r"\W", "_", row["name"].removeprefix("aten::")) for row in manifest["operators"]}
    symbols = subprocess.run(["nm", os.environ["DIGITS"]], capture_output=True, text=True, check=True).stdout
    kernels = {name.removesuffix("_prepare") for name in re.findall(r"\bet_op_\w+", symbols)}
    prepared = {"et_op_addmm", "et_op_convolution"}  # listed without the overload
    assert kernels - prepared == called


def test_digits_refuses_a_truncated_data_set(tmp_path: Path) -> None:
    images = tmp_path / "images"
    images.write_bytes(Path(_DIGITS.format("images.idx3-ubyte")).read_bytes()[:1000])
    result = _run_program("DIGITS", str(images), _DIGITS.format("labels.idx1-ubyte"), os.environ["PREDICTIONS"])
    assert result.returncode == 1
    assert result.stderr == f"{images}: the elements are truncated\n"


def test_mobilenet_prints_classes_latency_and_memory() -> None:
    result = _run_program("MOBILENET", "--runs", "1", _IMAGE)
    assert result.returncode == 0, result.stderr
    assert "weights: seeded random; the classes are meaningless" in result.stdout
    assert re.search(r"latency: \d+\.\d\d ms", result.stdout)
    assert re.search(r"memory: \d+ bytes planned", result.stdout)
    assert len(re.findall(r"^  \d\. class", result.stdout, re.MULTILINE)) == 5


def test_planned_arena_is_within_five_percent_of_the_bound() -> None:
    memory = json.loads(Path(os.environ["MOBILENET_MANIFEST"]).read_text(encoding="utf-8"))["methods"][0]["memory"]
    assert sum(memory["planned_bytes"]) <= 1.05 * memory["lower_bound_bytes"]


def test_mobilenet_runs_a_file_like_the_embedded_program() -> None:
    embedded = _run_program("MOBILENET", "--runs", "1", _IMAGE).stdout
    from_file = _run_program("MOBILENET", "--runs", "1", "--program", os.environ["MOBILENET_PTE"], _IMAGE).stdout
    classes = re.findall(r"class .*", embedded)
    assert classes == re.findall(r"class .*", from_file)
    assert len(classes) == 5


@pytest.mark.parametrize("size", [0, 7, 63, 100, 4096, 1_000_000, -1])
def test_truncated_program_is_refused_with_one_message(size: int, tmp_path: Path) -> None:
    program = tmp_path / "cut.pte"
    program.write_bytes(Path(os.environ["MOBILENET_PTE"]).read_bytes()[:size])
    result = _run_program("MOBILENET", "--program", str(program), _IMAGE)
    assert result.returncode == 1
    assert result.stderr.startswith("mobilenet: ")
    assert result.stderr.count("\n") == 1


def test_missing_program_file_is_named() -> None:
    result = _run_program("MOBILENET", "--program", "nowhere.pte", _IMAGE)
    assert result.returncode == 1
    assert "nowhere.pte" in result.stderr


def test_unsupported_image_format_is_refused(tmp_path: Path) -> None:
    image = tmp_path / "photo.jpg"
    image.write_bytes(b"\xff\xd8\xff\xe0")
    result = _run_program("MOBILENET", str(image))
    assert result.returncode == 1
    assert "not a binary PPM (P6)" in result.stderr

"""Tests that wrong inputs of a generated C++ class do not compile."""

from __future__ import annotations

import subprocess

import pytest

_FOLDERS = ("runtime/include", "bindings/cc/include")
_STANDARDS = ("c++17", "c++20")

_FILE = """
#include <array>
#include <vector>
#include "executorch/tensor.hpp"
struct Inputs {
  executorch::Elements<float, 6> image;
  executorch::DynamicElements<float, executorch::kDynamic, 3> rows;
  executorch::DynamicElements<float, executorch::kDynamic, executorch::kDynamic> grid;
};
void run(const Inputs &) {}
const std::vector<float> values(6);
const std::vector<double> doubles(6);
const float matrix[2][3] = {};
const std::array<float, 5> five = {};
const double wide[6] = {};
void test() { run({%s}); }
"""


def _compile(arguments: str, standard: str) -> subprocess.CompletedProcess[str]:
    includes = [f"-I{folder}" for folder in _FOLDERS]
    command = ["g++", f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", *includes]
    return subprocess.run(
        [*command, "-x", "c++", "-"], input=_FILE % arguments, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("standard", _STANDARDS)
@pytest.mark.parametrize(
    "arguments",
    [
        "values, values, {values, {2, 3}}",
        "matrix, {values, {2, 3}}, {values.data(), values.size(), {3, 2}}",
        "{values.data(), values.size()}, values, {values, {6, 1}}",
    ],
)
def test_valid_inputs_compile(arguments: str, standard: str) -> None:
    result = _compile(arguments, standard)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("standard", _STANDARDS)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("doubles, values, {values, {2, 3}}", "the container's element type differs from the input's"),
        ("wide, values, {values, {2, 3}}", "the array's element type differs from the input's"),
        ("five, values, {values, {2, 3}}", "the container's element count differs from the input's"),
        ('"texts", values, {values, {2, 3}}', "the array's element type differs from the input's"),
        ("values, values, values", "the input has several dynamic sizes; pass {elements, {sizes}}"),
        ("values, doubles, {values, {2, 3}}", "the container's element type differs from the input's"),
        ("values, values", "Inputs"),
        ("7, values, {values, {2, 3}}", "invalid initialization"),
    ],
)
def test_wrong_inputs_do_not_compile(arguments: str, message: str, standard: str) -> None:
    result = _compile(arguments, standard)
    assert result.returncode != 0
    assert message in result.stderr
    assert result.stderr.count("error:") == 1

"""Tests Java programs with models, as separate workspaces.

Without the central registry, third_party/offline/modules/rules_java replaces rules_java.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import (
    Workspace,
    example_workspaces,
    new_workspace,
    repository_root,
    shown_files,
)

_PAGE = "docs/how_to/use_from_java.md"
_SMALL_MODEL = """
load("@rules_executorch//llm:defs.bzl", "executorch_llm")

executorch_llm(
    name = "assistant",
    chunk = 32,
    context = 512,
    weights = "@rules_executorch//models/chat:small_qwen.gguf",
)
"""
_OUTPUT = r"float32 \[1, 2\]: \[\d\.\d+, \d\.\d+\]\n"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    yield from example_workspaces(tmp_path_factory, "java_app")


@pytest.fixture(scope="module")
def documented(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Yield a workspace with the files that the page shows."""
    scratch = new_workspace(tmp_path_factory)
    module = re.search(r"```python\n# MODULE.bazel\n(.*?)```", _page(), re.DOTALL)
    assert module is not None
    scratch.write("MODULE.bazel", (scratch.folder / "MODULE.bazel").read_text(encoding="utf-8") + module[1])
    for path, text in shown_files(_PAGE) + re.findall(r"```java\n// (\w+/\w+.java)\n(.*?)```", _page(), re.DOTALL):
        scratch.write(path, text)
    net = repository_root() / "examples/app_monorepo/app/net.py"
    scratch.write("app/net.py", net.read_text(encoding="utf-8"))
    yield scratch
    scratch.shutdown()


def _page() -> str:
    return (repository_root() / _PAGE).read_text(encoding="utf-8")


def test_example_has_at_most_50_lines() -> None:
    source = repository_root() / "examples/java_app/app/App.java"
    assert len(source.read_text(encoding="utf-8").splitlines()) <= 50


def test_java_example_classifies_a_photo(example: Workspace) -> None:
    result = example.run("//app")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "daisy\n"


def test_tests_of_the_java_example_pass(example: Workspace) -> None:
    result = example.test("//...")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Executed 1 out of 1 test: 1 test passes." in result.stderr + result.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("P6\n2 2\n255\n0", "1 bytes of pixels for 2 x 2"),
        ("P5\n2 2\n255\n0000", "not a binary PPM file with 8 bits per channel"),
    ],
)
def test_java_example_reports_an_unusable_photo(content: str, message: str, example: Workspace) -> None:
    path = example.write("photo.ppm", content)
    result = example.run("//app", str(path))
    assert result.returncode == 1
    assert f"java.io.IOException: {path}: {message}" in result.stderr


def test_documented_java_program_runs(documented: Workspace) -> None:
    result = documented.run("//app")
    assert result.returncode == 0, result.stderr
    assert re.fullmatch(_OUTPUT, result.stdout)


def test_documented_java_program_runs_any_model(documented: Workspace) -> None:
    build = documented.build("//app:net_pte")
    assert build.exit_code == 0, build.stderr
    (program,) = (documented.folder / "bazel-bin/app").glob("*.pte")
    result = documented.run("//any", str(program))
    assert result.returncode == 0, result.stderr
    signature, scores = result.stdout.splitlines()
    assert signature == "forward(float32 [1, 4]) -> (float32 [1, 2])"
    assert scores in documented.run("//app").stdout


def test_java_library_exports_only_jni_onload(documented: Workspace) -> None:
    build = documented.build("//app:libnet_java_jni.so")
    assert build.exit_code == 0, build.stderr
    library = documented.folder / "bazel-bin/app/libnet_java_jni.so"
    listing = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    assert [line.split()[-1] for line in listing.stdout.splitlines()] == ["JNI_OnLoad"]


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("net.forward(new float[4]);", ""),
        ("net.forward(new double[4]);", "no suitable method found for forward(double[])"),
        ("net.forward();", "no suitable method found for forward(no arguments)"),
        ("net.backward(new float[4]);", "cannot find symbol"),
    ],
)
def test_misuse_in_java_is_a_compile_error(statement: str, error: str, documented: Workspace) -> None:
    """An empty error means that the program compiles."""
    source = documented.folder / "app/App.java"
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace("Tensor<float[]> scores", f"{statement} Tensor<float[]> scores"), encoding="utf-8")
    build = documented.build("//app")
    source.write_text(text, encoding="utf-8")
    assert (build.exit_code == 0) == (not error), build.stderr
    assert f"error: {error}" in build.stderr or not error


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ('class_name = "int",', "class_name: 'int' cannot be a name in Java"),
        ('class_name = "NetJavaNatives",', "class_name: two classes are 'NetJavaNatives'"),
    ],
)
def test_unusable_java_names_are_errors(attributes: str, message: str, documented: Workspace) -> None:
    path = documented.folder / "app/BUILD.bazel"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('    package = "app",', f'    package = "app",\n    {attributes}'), encoding="utf-8")
    build = documented.build("//app:net_java")
    path.write_text(text, encoding="utf-8")
    assert build.exit_code != 0
    assert f"//app:net_java: {message}" in build.stderr


def test_workspace_without_java_rules_is_told_how_to_select_them(documented: Workspace) -> None:
    path = documented.folder / "MODULE.bazel"
    text = path.read_text(encoding="utf-8")
    selected = 'executorch.java(rules = "@rules_java//java:defs.bzl")'
    assert selected in text
    path.write_text(text.replace(selected, ""), encoding="utf-8")
    build = documented.build("--nobuild", "//app:net_java")
    path.write_text(text, encoding="utf-8")
    assert build.exit_code != 0
    assert (
        "executorch_java_library(name = 'net_java'): this workspace has not selected Java rules; "
        'add executorch.java(rules = "@rules_java//java:defs.bzl") to MODULE.bazel'
    ) in build.stderr


def test_documented_language_model_answers(documented: Workspace) -> None:
    """The model has random weights, so only the length is known."""
    guide = (repository_root() / "docs/how_to/use_a_language_model.md").read_text(encoding="utf-8")
    section = guide[guide.index("## 6. Chat from Java") :]
    build = re.search(r"```python\n# BUILD.bazel\n(.*?)```", section, re.DOTALL)
    source = re.search(r"```java\n// app/Chat.java\n(.*?)```", section, re.DOTALL)
    assert build is not None and source is not None
    documented.write("chat/BUILD.bazel", build[1] + _SMALL_MODEL)
    documented.write("chat/Chat.java", source[1])
    result = documented.run("//chat")
    assert result.returncode == 0, result.stderr
    assert len(result.stdout) > 10

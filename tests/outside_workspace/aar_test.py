"""Tests Android libraries, which Debian's cross compilers compile."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, new_workspace, repository_root, shown_files

_PAGE = "docs/how_to/package_an_aar.md"
_JAVA_PAGE = "docs/how_to/use_from_java.md"
_TOOLCHAINS = """
load("@rules_executorch//platforms:cross_toolchain.bzl", "cross_toolchain")

[cross_toolchain(
    name = "android_%s_toolchain" % cpu,
    constraints = [
        "@platforms//cpu:" + cpu,
        "@platforms//os:android",
    ],
    includes = includes,
    linkopts = ["-lm"],
    prefix = system + "-",
) for cpu, system, includes in [
    ("aarch64", "aarch64-linux-gnu", ["/usr/aarch64-linux-gnu/include", "/usr/lib/gcc-cross/aarch64-linux-gnu"]),
    ("armv7", "arm-linux-gnueabihf", ["/usr/arm-linux-gnueabihf/include", "/usr/lib/gcc-cross/arm-linux-gnueabihf"]),
    ("x86_64", "x86_64-linux-gnu", ["/usr/include", "/usr/lib/gcc/x86_64-linux-gnu"]),
]]
"""
_LANGUAGE_MODEL = """
load("@rules_executorch//bindings/java:defs.bzl", "executorch_aar", "executorch_llm_java_library")
load("@rules_executorch//llm:defs.bzl", "executorch_llm")

executorch_llm(
    name = "assistant",
    chunk = 32,
    context = 256,
    weights = "@rules_executorch//models/chat:small_qwen.gguf",
)

executorch_llm_java_library(
    name = "assistant_java",
    class_name = "Assistant",
    model = ":assistant",
    package = "com.example.chat",
    platforms = ["//:android_x86_64"],
)

executorch_aar(
    name = "assistant_aar",
    library = ":assistant_java",
    package = "com.example.chat",
)
"""
_FLAGS = tuple(f"--extra_toolchains=//:android_{cpu}_toolchain" for cpu in ("aarch64", "armv7", "x86_64"))

# ABI: class (1: 32 bits, 2: 64 bits) and machine in the header of an ELF file.
_MACHINES = {"arm64-v8a": (2, 183), "armeabi-v7a": (1, 40), "x86_64": (2, 62)}


@pytest.fixture(scope="module")
def documented(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Yield a workspace with the files that the pages show."""
    scratch = new_workspace(tmp_path_factory)
    java_page = (repository_root() / _JAVA_PAGE).read_text(encoding="utf-8")
    module = re.search(r"```python\n# MODULE.bazel\n(.*?)```", java_page, re.DOTALL)
    page = (repository_root() / _PAGE).read_text(encoding="utf-8")
    platforms = re.search(r"```python\n# BUILD.bazel\n(.*?)```", page, re.DOTALL)
    assert module is not None and platforms is not None
    dependency = 'bazel_dep(name = "platforms", version = "0.0.10")\n'
    head = (scratch.folder / "MODULE.bazel").read_text(encoding="utf-8")
    scratch.write("MODULE.bazel", head + dependency * ('"platforms"' not in head) + module[1])
    scratch.write("BUILD.bazel", _TOOLCHAINS + platforms[1])
    # The model is that of the first page; its library is that of the second.
    build_files = [dict(shown_files(name))["app/BUILD.bazel"] for name in (_JAVA_PAGE, _PAGE)]
    model = build_files[0].partition("executorch_java_library(\n")[0]
    loads, _, targets = build_files[1].partition("\n\n")
    scratch.write("app/BUILD.bazel", f"{_without_java(model)}\n{loads}\n\n{targets}")
    net = repository_root() / "examples/app_monorepo/app/net.py"
    scratch.write("app/net.py", net.read_text(encoding="utf-8"))
    yield scratch
    scratch.shutdown()


def _without_java(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if "java:defs.bzl" not in line)


def _machine(library: bytes) -> tuple[int, int]:
    assert library[:4] == b"\x7fELF"
    return library[4], int.from_bytes(library[18:20], "little")


def test_documented_aar_has_a_library_for_each_platform(documented: Workspace) -> None:
    build = documented.build(*_FLAGS, "//app:net_aar")
    assert build.exit_code == 0, build.stderr
    with zipfile.ZipFile(documented.folder / "bazel-bin/app/net_aar.aar") as archive:
        names = archive.namelist()
        for abi, machine in _MACHINES.items():
            library = archive.read(f"jni/{abi}/libnet_java_jni.so")
            assert _machine(library) == machine
            assert b"JNI_OnLoad" in library
        (Path(documented.folder) / "classes.jar").write_bytes(archive.read("classes.jar"))
    assert set(names) > {"AndroidManifest.xml", "classes.jar", "proguard.txt", "R.txt"}
    with zipfile.ZipFile(documented.folder / "classes.jar") as classes:
        found = set(classes.namelist())
    assert found > {"com/example/net/Net.class", "com/example/net/NetJavaNatives.class"}
    assert "org/executorch/bazel/Tensor.class" in found
    assert not any(name.startswith("org/jetbrains/") for name in found)


def test_aar_of_a_language_model_has_its_classes(documented: Workspace) -> None:
    documented.write("chat/BUILD.bazel", _LANGUAGE_MODEL)
    build = documented.build(*_FLAGS, "//chat:assistant_aar")
    assert build.exit_code == 0, build.stderr
    with zipfile.ZipFile(documented.folder / "bazel-bin/chat/assistant_aar.aar") as archive:
        assert b"JNI_OnLoad" in archive.read("jni/x86_64/libassistant_java_jni.so")
        (Path(documented.folder) / "classes.jar").write_bytes(archive.read("classes.jar"))
    with zipfile.ZipFile(documented.folder / "classes.jar") as classes:
        found = set(classes.namelist())
    assert found > {"com/example/chat/Assistant.class", "com/example/chat/AssistantNatives.class"}
    assert found > {f"org/executorch/bazel/{name}.class" for name in ("Llm", "LlmNatives", "NativeLibrary")}


def test_aar_without_android_platforms_is_an_error(documented: Workspace) -> None:
    path = documented.folder / "BUILD.bazel"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("@platforms//os:android", "@platforms//os:linux"), encoding="utf-8")
    build = documented.build(*_FLAGS, "//app:net_aar")
    path.write_text(text, encoding="utf-8")
    assert build.exit_code != 0
    assert "//app:net_aar: library: it has natives for linux-aarch64; set its platforms" in build.stderr

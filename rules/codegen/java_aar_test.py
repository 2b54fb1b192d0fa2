"""Tests the contents of Android libraries."""

from __future__ import annotations

import io
import xml.etree.ElementTree
import zipfile
from pathlib import Path

import pytest

from rules.codegen import java_aar
from rules.codegen.archive import write_archive
from rules.codegen.java_natives import native_files


def _arguments(tmp_path: Path, *platforms: str) -> list[str]:
    natives, out = tmp_path / "natives.jar", tmp_path / "net.aar"
    files = [native_files("net_jni", platform, platform.encode()) for platform in platforms]
    write_archive(natives, {name: content for entries in files for name, content in entries.items()})
    classes = []
    for name in ("app/Net", "org/executorch/bazel/Tensor"):
        jar = tmp_path / f"{name.rpartition('/')[2]}.jar"
        write_archive(jar, {f"{name}.class": name.encode(), "META-INF/MANIFEST.MF": b""})
        classes.append(f"--classes={jar}")
    return [
        "--target=//app:aar",
        "--package=com.acme.net",
        "--min-sdk=33",
        *classes,
        f"--natives={natives}",
        f"--out={out}",
    ]


def test_aar_has_classes_libraries_manifest_and_rules(tmp_path: Path) -> None:
    assert java_aar.main(_arguments(tmp_path, "android-aarch64", "android-arm", "android-x86_64")) == 0
    with zipfile.ZipFile(tmp_path / "net.aar") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert {name: files[name] for name in files if name.startswith("jni/")} == {
        "jni/arm64-v8a/libnet_jni.so": b"android-aarch64",
        "jni/armeabi-v7a/libnet_jni.so": b"android-arm",
        "jni/x86_64/libnet_jni.so": b"android-x86_64",
    }
    with zipfile.ZipFile(io.BytesIO(files["classes.jar"])) as classes:
        assert classes.namelist() == ["app/Net.class", "org/executorch/bazel/Tensor.class"]
    manifest = xml.etree.ElementTree.fromstring(files["AndroidManifest.xml"])
    assert manifest.get("package") == "com.acme.net"
    for natives in (b"Natives", b"LlmNatives"):
        assert b"-keep class * extends org.executorch.bazel." + natives + b" {" in files["proguard.txt"]
    assert files["R.txt"] == b""


@pytest.mark.parametrize(
    ("platform", "message"),
    [
        (
            "linux-aarch64",
            "library: it has natives for linux-aarch64; set its platforms to platforms with @platforms//os:android",
        ),
        ("android-riscv64", "library: Android has no ABI for riscv64; its CPUs are aarch64, arm, x86_32, x86_64"),
    ],
)
def test_libraries_for_other_systems_are_rejected(
    platform: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert java_aar.main(_arguments(tmp_path, platform)) == 1
    assert capsys.readouterr().err == f"//app:aar: {message}\n"

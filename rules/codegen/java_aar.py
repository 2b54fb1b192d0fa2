"""Write an Android library (AAR) with Java classes and their native libraries.

Usage: `python3 -m rules.codegen.java_aar --target //app:net_aar --package com.example.net --min-sdk 33 --natives natives.jar
    --classes libnet.jar --classes libexecutorch.jar --out net.aar`
"""

from __future__ import annotations

import argparse
import io
import sys
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from rules.codegen.archive import write_archive

# CPU of a platform: Android's name of its ABI.
_ABIS = {"aarch64": "arm64-v8a", "arm": "armeabi-v7a", "x86_32": "x86", "x86_64": "x86_64"}

_MANIFEST = """\
<?xml version="1.0" encoding="utf-8"?>
<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="{package}">
    <uses-sdk android:minSdkVersion="{min_sdk}" />
</manifest>
"""

# JNI_OnLoad finds the class and its functions by name.
_PROGUARD = """\
-keep class * extends org.executorch.bazel.Natives { native <methods>; }
-keepnames class * extends org.executorch.bazel.Natives
-keep class * extends org.executorch.bazel.LlmNatives { native <methods>; }
-keepnames class * extends org.executorch.bazel.LlmNatives
"""


class AarError(Exception):
    """The library cannot be packaged. The message states the reason."""


def native_libraries(jar: Path) -> dict[str, bytes]:
    """Return the libraries in a jar by path in the AAR. Raises AarError."""
    libraries = {}
    with zipfile.ZipFile(jar) as archive:
        for entry in archive.namelist():
            if not entry.endswith(".txt"):
                continue
            folder, _, name = entry.removesuffix(".txt").rpartition("/")
            libraries[f"jni/{_abi(folder.rpartition('/')[2])}/lib{name}.so"] = archive.read(
                f"{folder}/{archive.read(entry).decode().split()[0]}"
            )
    return libraries


def _abi(platform: str) -> str:
    system, _, cpu = platform.partition("-")
    if system != "android":
        raise AarError(
            f"library: it has natives for {platform}; set its platforms to platforms with @platforms//os:android"
        )
    if cpu not in _ABIS:
        raise AarError(f"library: Android has no ABI for {cpu}; its CPUs are {', '.join(sorted(_ABIS))}")
    return _ABIS[cpu]


def _merged_classes(jars: Iterable[Path]) -> bytes:
    files: dict[str, bytes] = {}
    for jar in jars:
        with zipfile.ZipFile(jar) as archive:
            files |= {name: archive.read(name) for name in archive.namelist() if name.endswith(".class")}
    merged = io.BytesIO()
    write_archive(merged, files)
    return merged.getvalue()


def aar_files(package: str, min_sdk: int, classes: Iterable[Path], natives: Path) -> dict[str, bytes]:
    """Return the contents of the AAR by path. Raises AarError."""
    return {
        "AndroidManifest.xml": _MANIFEST.format(package=package, min_sdk=min_sdk).encode(),
        "R.txt": b"",
        "classes.jar": _merged_classes(classes),
        "proguard.txt": _PROGUARD.encode(),
        **native_libraries(natives),
    }


def _parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, fromfile_prefix_chars="@")
    parser.add_argument("--target", required=True, help="label of the AAR, for errors")
    parser.add_argument("--package", required=True, help="Android package of the manifest")
    parser.add_argument("--min-sdk", type=int, required=True, help="oldest API level")
    parser.add_argument("--classes", type=Path, action="append", required=True, help="jar with classes")
    parser.add_argument("--natives", type=Path, required=True, help="jar with native libraries")
    parser.add_argument("--out", type=Path, required=True, help="AAR to write")
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    options = _parse_arguments(argv)
    try:
        files = aar_files(options.package, options.min_sdk, options.classes, options.natives)
    except AarError as error:
        print(f"{options.target}: {error}", file=sys.stderr)
        return 1
    write_archive(options.out, files)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

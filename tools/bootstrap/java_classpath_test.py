"""Tests that the class path has all reachable jars, at their new paths."""

import sys
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from java_classpath import closed_class_path


def _jar(path: Path, class_path: str | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        if class_path is not None:
            archive.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\r\nClass-Path: {class_path}\r\n")
    return path


def test_manifest_entries_resolve_relative_to_the_jar(tmp_path: Path) -> None:
    first = _jar(tmp_path / "usr/share/java/first.jar", "second.jar /usr/share/other/third.jar")
    second = _jar(tmp_path / "usr/share/java/second.jar")
    third = _jar(tmp_path / "usr/share/other/third.jar", "../java/first.jar")
    assert closed_class_path(tmp_path, ["/usr/share/java/first.jar"]) == [first, second, third]


def test_folded_manifest_lines_are_joined(tmp_path: Path) -> None:
    first = _jar(tmp_path / "a.jar", "very-lo\r\n ng-name.jar")
    second = _jar(tmp_path / "very-long-name.jar")
    assert closed_class_path(tmp_path, ["/a.jar"]) == [first, second]


def test_links_to_one_jar_count_once(tmp_path: Path) -> None:
    real = _jar(tmp_path / "real-1.0.jar")
    (tmp_path / "real.jar").symlink_to("real-1.0.jar")
    assert closed_class_path(tmp_path, ["/real.jar", "/real-1.0.jar"]) == [real]


def test_missing_and_invalid_archives_are_omitted(tmp_path: Path) -> None:
    text = tmp_path / "text.jar"
    text.write_text("no archive")
    assert closed_class_path(tmp_path, ["/missing.jar", "/text.jar"]) == [text]

"""Tests the generator of the Java reference."""

from __future__ import annotations

import sys
from pathlib import Path

_ROOT = Path(__file__).absolute().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import java_reference

_CLASS = """
/** A {@code box} of {@link Lid#open}. */
public final class Box<A> {
  private final A content;

  /** A private constructor. */
  Box(A content) {}

  /**
   * Returns the content.
   *
   * <p>It may be null.
   *
   * @param key opens the {@link Lid}.
   * @return the content
   */
  @Override
  public @NotNull A get(
      @NotNull Integer key) {
    return content;
  }
}
"""


def test_java_reference_is_up_to_date() -> None:
    text = (_ROOT / java_reference.PAGE).read_text(encoding="utf-8")
    assert text == java_reference.page(_ROOT), "run python3 tools/reference/java_reference.py"


def test_public_members_have_their_documentation(tmp_path: Path) -> None:
    folder = tmp_path / java_reference.FOLDERS[0]
    folder.mkdir(parents=True)
    (folder / "Box.java").write_text(_CLASS, encoding="utf-8")
    box, get = java_reference.read_class(tmp_path, "Box")
    assert (box.code, box.doc) == ("final class Box<A>", "A `box` of `Lid.open`.")
    assert (get.code, get.doc) == ("A get(Integer key)", "Returns the content.\n\nIt may be null.")
    assert get.tags == ("param key opens the `Lid`.", "return the content")


def test_every_public_class_is_in_the_reference_or_for_generated_classes() -> None:
    paths = [path for folder in java_reference.FOLDERS for path in (_ROOT / folder).glob("*.java")]
    assert len(paths) > len(java_reference.CLASSES)
    for path in paths:
        text = path.read_text(encoding="utf-8")
        is_public = f"public final class {path.stem}" in text or f"public enum {path.stem}" in text
        assert not is_public or path.stem in java_reference.CLASSES or "* For generated classes: " in text

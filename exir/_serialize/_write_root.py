"""Writing a table, without `flatbuffers` for those who only read."""

from typing import Any


def write_root(root: Any, identifier: bytes, inline_alignment: int = 1) -> bytes:
    """The flatbuffer of `root` (a table of `exir.schema`), with a file identifier.

    `inline_alignment` raises the alignment of byte vectors that are force-aligned.
    """
    # Programs that were made elsewhere are linked by an interpreter without packages.
    from exir._serialize._flatbuffer_writer import written

    return written(root, identifier, inline_alignment)

"""Write a table. The `flatbuffers` package is imported only when writing."""

from typing import Any


def write_root(root: Any, identifier: bytes, inline_alignment: int = 1) -> bytes:
    """Return the flatbuffer of `root` (a table of `exir.schema`).

    inline_alignment: minimum alignment of force-aligned byte vectors.
    """
    # Prebuilt programs are linked by an interpreter that has no packages.
    from exir._serialize._flatbuffer_writer import written

    return written(root, identifier, inline_alignment)

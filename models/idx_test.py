"""Tests of reading and writing IDX files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models.idx import read_idx, write_idx


def test_idx_files_round_trip(tmp_path: Path) -> None:
    array = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    write_idx(tmp_path / "a.idx", array)
    assert np.array_equal(read_idx(tmp_path / "a.idx"), array)


@pytest.mark.parametrize(
    "content", [b"", b"\0\0\x08", b"\0\0\x09\x01\0\0\0\0", b"\0\0\x08\x01\0\0\0\x02a", b"\0\0\x08\x02\0\0\0\x02"]
)
def test_damaged_idx_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "damaged.idx"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="damaged.idx"):
        read_idx(path)

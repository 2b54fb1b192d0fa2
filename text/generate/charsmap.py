"""Read the precompiled character maps of SentencePiece."""

from __future__ import annotations

import struct

from text.generate.trie import double_array_keys


def read_charsmap(data: bytes) -> dict[bytes, str]:
    """Return the replacements of a precompiled charsmap. Raises `ValueError`.

    The data is the size of a double array, the array, and strings that end with a zero byte. A value
    of the array is the position of a string.
    """
    try:
        return _read(data)
    except (ValueError, struct.error) as error:
        raise ValueError(f"the precompiled charsmap is damaged: {error}") from error


def _read(data: bytes) -> dict[bytes, str]:
    (size,) = struct.unpack_from("<I", data)
    if size % 4 or size > len(data) - 4:
        raise ValueError(f"its double array has {size} of {len(data) - 4} bytes")
    units = struct.unpack_from(f"<{size // 4}I", data, 4)
    strings = data[4 + size :]
    found = {}
    for key, start in double_array_keys(units).items():
        end = strings.find(b"\0", start)
        if start >= len(strings) or end < 0:
            raise ValueError(f"the replacement of {key!r} is not in the data")
        found[key] = strings[start:end].decode()
    return found

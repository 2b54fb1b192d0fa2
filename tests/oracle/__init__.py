"""Tests that compare with the official package, which loads Python as a library."""

import ctypes

try:
    ctypes.CDLL("libpython3.11.so.1.0")
except OSError as error:
    raise ImportError(
        "the official package needs libpython3.11.so.1.0 (Debian: apt-get install libpython3.11)"
    ) from error

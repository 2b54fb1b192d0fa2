"""//models:chat, as a shared library."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char_p, c_int64, c_size_t, c_void_p

_ERROR_BYTES = 240
_MOST_TOKENS = 1 << 14
_SIGNATURES = {
    "bench_chat_open": (c_void_p, [c_size_t, c_char_p]),
    "bench_chat_close": (None, [c_void_p]),
    "bench_chat_restart": (None, [c_void_p]),
    "bench_chat_take": (c_int64, [c_void_p, POINTER(c_int64), c_size_t, c_char_p]),
    "bench_chat_tokens": (c_size_t, [c_void_p, c_char_p, c_size_t, POINTER(c_int64), c_size_t]),
}


class Ours:
    """A conversation on this project's runtime."""

    name = "rules_executorch"

    def __init__(self, threads: int) -> None:
        self._calls = ctypes.CDLL(os.environ["CHAT_LIBRARY"])
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(self._calls, name)
            function.restype, function.argtypes = result, arguments
        self._error = ctypes.create_string_buffer(_ERROR_BYTES)
        self._chat = self._calls.bench_chat_open(threads, self._error)
        if not self._chat:
            raise RuntimeError(self._error.value.decode())

    def tokens(self, text: str) -> list[int]:
        out, data = (c_int64 * _MOST_TOKENS)(), text.encode()
        return out[: self._calls.bench_chat_tokens(self._chat, data, len(data), out, _MOST_TOKENS)]

    def restart(self) -> None:
        self._calls.bench_chat_restart(self._chat)

    def take(self, tokens: list[int]) -> int:
        """Return the most probable token after these and all earlier tokens."""
        array = (c_int64 * len(tokens))(*tokens)
        chosen = self._calls.bench_chat_take(self._chat, array, len(tokens), self._error)
        if chosen < 0:
            raise RuntimeError(self._error.value.decode())
        return int(chosen)

    def close(self) -> None:
        self._calls.bench_chat_close(self._chat)

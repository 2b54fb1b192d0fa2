"""llama.cpp, through the package llama-cpp-python."""

from __future__ import annotations

import ctypes
import os

import llama_cpp as lib

_CONTEXT = 2048


@lib.llama_log_callback
def _quiet(level: int, text: bytes, data: ctypes.c_void_p) -> None:
    """Suppress llama.cpp's log, which is not part of the measurement."""


class LlamaCpp:
    """A conversation on llama.cpp with the GGUF file of //models:chat.

    The KV cache is float32 if `floats` is true, as in this project, otherwise float16.
    """

    def __init__(self, threads: int, floats: bool = False) -> None:
        self.name = "llama.cpp, float32 cache" if floats else "llama.cpp"
        lib.llama_log_set(_quiet, ctypes.c_void_p())
        lib.llama_backend_init()
        self._model = lib.llama_model_load_from_file(os.environ["MODEL"].encode(), lib.llama_model_default_params())
        self._context = lib.llama_init_from_model(self._model, _options(threads, floats))
        self._vocabulary = lib.llama_model_get_vocab(self._model)
        self._sampler = lib.llama_sampler_init_greedy()

    def tokens(self, text: str) -> list[int]:
        data = text.encode()
        room = len(data) + 1
        out = (lib.llama_token * room)()
        return out[: lib.llama_tokenize(self._vocabulary, data, len(data), out, room, False, False)]

    def restart(self) -> None:
        lib.llama_memory_clear(lib.llama_get_memory(self._context), True)

    def take(self, tokens: list[int]) -> int:
        """Return the most probable token after these and all earlier tokens."""
        array = (lib.llama_token * len(tokens))(*tokens)
        status = lib.llama_decode(self._context, lib.llama_batch_get_one(array, len(tokens)))
        if status:
            raise RuntimeError(f"llama_decode returned {status}")
        return int(lib.llama_sampler_sample(self._sampler, self._context, -1))

    def close(self) -> None:
        lib.llama_sampler_free(self._sampler)
        lib.llama_free(self._context)
        lib.llama_model_free(self._model)


def _options(threads: int, floats: bool) -> lib.llama_context_params:
    options = lib.llama_context_default_params()
    options.n_ctx = _CONTEXT
    options.n_threads = options.n_threads_batch = threads
    if floats:
        options.type_k = options.type_v = lib.GGML_TYPE_F32
    return options

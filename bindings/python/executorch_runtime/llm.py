"""Generate text with a compiled language model.

llm = Llm("app/assistant.so")
answer = "".join(llm.chat("What is the capital of France?"))
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Mapping, Sequence
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_bool,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
    pointer,
)
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol

from executorch_runtime.errors import checked
from executorch_runtime.structures import Error

_ROLES = {"system": 0, "user": 1, "assistant": 2}
_OVERFLOWS = {"error": 0, "slide": 1}
_FINISHES = ("", "stop", "stop_string", "length", "context", "canceled", "grammar")


class _Info(Structure):
    _fields_ = [
        (name, c_size_t)
        for name in (
            "context",
            "chunk",
            "vocabulary",
            "piece_bytes",
            "message_bytes",
            "stop_bytes",
            "cache_bytes",
            "llm_bytes",
            "session_bytes",
            "ring",
            "rewind",
        )
    ]


class _Sampling(Structure):
    _fields_ = [
        ("temperature", c_float),
        ("top_k", c_uint32),
        ("top_p", c_float),
        ("min_p", c_float),
        ("repetition", c_float),
        ("presence", c_float),
        ("frequency", c_float),
    ]


class _Bias(Structure):
    _fields_ = [("token", c_int64), ("bias", c_float)]


class _GrammarEdge(Structure):
    _fields_ = [
        ("first", c_uint8),
        ("last", c_uint8),
        ("target", c_uint16),
        ("pushed", c_uint16),
        ("pushed_count", c_uint16),
    ]


class _Grammar(Structure):
    _fields_ = [
        ("edge_starts", POINTER(c_uint32)),
        ("edges", POINTER(_GrammarEdge)),
        ("pushed", POINTER(c_uint16)),
        ("can_end", POINTER(c_bool)),
        ("least", POINTER(c_uint16)),
        ("most", POINTER(c_uint16)),
        ("state_count", c_uint32),
        ("loop_count", c_uint32),
        ("start", c_uint16),
    ]


class _Generation(Structure):
    _fields_ = [
        ("sampling", _Sampling),
        ("seed", c_uint64),
        ("max_tokens", c_size_t),
        ("stops", POINTER(c_char_p)),
        ("stop_count", c_size_t),
        ("stop_tokens", POINTER(c_int64)),
        ("stop_token_count", c_size_t),
        ("biases", POINTER(_Bias)),
        ("bias_count", c_size_t),
        ("processor", c_void_p),
        ("processor_user", c_void_p),
        ("overflow", c_int),
        ("kept_tokens", c_size_t),
        ("grammar", POINTER(_Grammar)),
    ]


class _Message(Structure):
    _fields_ = [("role", c_int), ("text", c_char_p), ("size", c_size_t)]


class _Prompt(Structure):
    _fields_ = [
        ("messages", POINTER(_Message)),
        ("message_count", c_size_t),
        ("tokens", POINTER(c_int64)),
        ("token_count", c_size_t),
        ("continues", c_bool),
    ]


class _Piece(Structure):
    _fields_ = [("text", c_void_p), ("size", c_size_t), ("token", c_int64), ("finish", c_int)]


class _Stats(Structure):
    _fields_ = [
        ("prompt_tokens", c_size_t),
        ("reused_tokens", c_size_t),
        ("generated_tokens", c_size_t),
        ("prompt_seconds", c_double),
        ("generation_seconds", c_double),
        ("finish", c_int),
    ]


# In the order of et_llm_shared_sizes, so that loading can compare the sizes.
_STRUCTURES: tuple[type[Structure], ...] = (
    *(_Info, _Generation, _Prompt, _Message, _Piece, _Stats, _Bias),
    *(_Grammar, _GrammarEdge),
)
_ERROR = POINTER(Error)
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "et_llm_shared_model": (c_void_p, []),
    "et_llm_shared_sizes": (c_size_t, [POINTER(c_size_t), c_size_t]),
    "et_llm_create": (c_int, [c_void_p, c_size_t, POINTER(c_void_p), _ERROR]),
    "et_llm_destroy": (None, [c_void_p]),
    "et_llm_session_create": (c_int, [c_void_p, POINTER(c_void_p), _ERROR]),
    "et_llm_session_destroy": (None, [c_void_p]),
    "et_llm_begin": (c_int, [c_void_p, POINTER(_Prompt), POINTER(_Generation), _ERROR]),
    "et_llm_next": (c_int, [c_void_p, POINTER(_Piece), _ERROR]),
    "et_llm_cancel": (None, [c_void_p]),
    "et_llm_rewind": (c_int, [c_void_p, c_size_t, _ERROR]),
    "et_llm_set_adapter": (c_int, [c_void_p, c_char_p, _ERROR]),
    "et_llm_shared_adapter": (c_char_p, [c_size_t]),
    "et_llm_get_tokens": (POINTER(c_int64), [c_void_p, POINTER(c_size_t)]),
    "et_llm_get_stats": (POINTER(_Stats), [c_void_p]),
    "et_llm_get_info": (POINTER(_Info), [c_void_p]),
    "et_status_name": (c_char_p, [c_int]),
    "et_status_text": (c_char_p, [c_int]),
}


class Grammar(Protocol):
    """A compiled grammar or JSON schema, which `llm.grammar.compile` returns.

    The attributes are the arrays of `et_grammar`.
    """

    @property
    def start(self) -> int: ...
    @property
    def edge_starts(self) -> Sequence[int]: ...
    @property
    def edges(self) -> Sequence[tuple[int, int, int, int, int]]: ...
    @property
    def pushed(self) -> Sequence[int]: ...
    @property
    def can_end(self) -> Sequence[bool]: ...
    @property
    def least(self) -> Sequence[int]: ...
    @property
    def most(self) -> Sequence[int]: ...


@dataclass(frozen=True)
class Generation:
    """Options of an answer. The defaults select the most probable tokens.

    temperature, top_k, top_p, min_p: sampling; a temperature of 0 selects the most probable token.
    repetition: penalty for tokens in the prompt or the answer.
    presence, frequency: penalties for tokens in the answer.
    seed: equal seeds and conversations give equal answers.
    max_tokens: maximum number of tokens; 0: no limit except the context.
    stops, stop_tokens: strings and tokens that end the answer.
    biases: numbers to add to the scores of tokens, by token.
    overflow: "error", or "slide" to remove the oldest tokens if the context is full.
    grammar: the grammar of the answer, from `llm.grammar.compile`.
    """

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 0.0
    min_p: float = 0.0
    repetition: float = 0.0
    presence: float = 0.0
    frequency: float = 0.0
    seed: int = 0
    max_tokens: int = 0
    stops: Sequence[str] = ()
    stop_tokens: Sequence[int] = ()
    biases: Mapping[int, float] = field(default_factory=dict)
    overflow: str = "error"
    grammar: Grammar | None = None


@dataclass(frozen=True)
class Stats:
    """Statistics of the latest answer.

    prompt_tokens: tokens before the answer; `reused_tokens` of them were already processed.
    finish: the reason for the end: "stop", "stop_string", "length", "context", "canceled",
        "grammar", or "".
    """

    prompt_tokens: int
    reused_tokens: int
    generated_tokens: int
    prompt_seconds: float
    generation_seconds: float
    finish: str


class Llm:
    """A language model and a conversation.

    path: the shared library `<name>.so` of an `executorch_llm`.
    threads: number of threads.

    Raises `OSError` if the library cannot be loaded, and `ExecutorchError`.
    """

    def __init__(self, path: str | os.PathLike[str], threads: int = 1) -> None:
        self._llm, self._session = c_void_p(), c_void_p()
        self._calls = _load_library(path)
        checked(self._calls, "et_llm_create", self._calls.et_llm_shared_model(), threads, byref(self._llm))
        try:
            checked(self._calls, "et_llm_session_create", self._llm, byref(self._session))
        except BaseException:
            self.close()
            raise

    def chat(self, text: str, options: Generation | None = None) -> Iterator[str]:
        """Append a user message to the conversation, and yield the text of the answer.

        The message is processed when the first text is requested.
        """
        return self._generate([("user", text)], True, options or Generation())

    def generate(self, messages: Sequence[tuple[str, str]], options: Generation | None = None) -> Iterator[str]:
        """Yield the answer to messages, which are the whole conversation.

        Messages are pairs of role and text. Only messages after the first change are processed.
        """
        return self._generate(messages, False, options or Generation())

    def cancel(self) -> None:
        """End the answer in progress. May be called from any thread."""
        self._calls.et_llm_cancel(self._opened())

    def rewind(self, count: int) -> None:
        """Remove the tokens from position `count` on. 0 begins a new conversation."""
        checked(self._calls, "et_llm_rewind", self._opened(), count)

    @property
    def adapters(self) -> tuple[str, ...]:
        """The names of the model's adapters."""
        names: list[str] = []
        while (name := self._calls.et_llm_shared_adapter(len(names))) is not None:
            names.append(name.decode())
        return tuple(names)

    def set_adapter(self, name: str | None) -> None:
        """Select an adapter; None selects the model without an adapter.

        The next answer processes the whole conversation again. Raises `ExecutorchError` for an unknown name.
        """
        checked(self._calls, "et_llm_set_adapter", self._opened(), None if name is None else name.encode())

    def tokens(self) -> list[int]:
        """Return the tokens of the conversation."""
        count = c_size_t()
        tokens = self._calls.et_llm_get_tokens(self._opened(), byref(count))
        return tokens[: count.value]

    def stats(self) -> Stats:
        """Return the statistics of the latest answer."""
        values = self._calls.et_llm_get_stats(self._opened()).contents
        return Stats(
            values.prompt_tokens,
            values.reused_tokens,
            values.generated_tokens,
            values.prompt_seconds,
            values.generation_seconds,
            _FINISHES[values.finish],
        )

    @property
    def context(self) -> int:
        """The maximum number of tokens of the conversation."""
        self._opened()
        return int(self._calls.et_llm_get_info(self._llm).contents.context)

    def close(self) -> None:
        """Free the model. Does nothing if it is closed."""
        self._calls.et_llm_session_destroy(self._session)
        self._calls.et_llm_destroy(self._llm)
        self._llm, self._session = c_void_p(), c_void_p()

    def __enter__(self) -> Llm:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_calls", None) is not None:
            self.close()

    def _opened(self) -> c_void_p:
        if not self._session:
            raise ValueError("the model is closed; open it again")
        return self._session

    def _generate(self, messages: Sequence[tuple[str, str]], continues: bool, options: Generation) -> Iterator[str]:
        texts = [(_role(role), text.encode()) for role, text in messages]
        items = (_Message * len(texts))(*(_Message(role, text, len(text)) for role, text in texts))
        prompt = _Prompt(messages=items, message_count=len(texts), continues=continues)
        native = _native_options(options)  # must exist until the answer ends
        checked(self._calls, "et_llm_begin", self._opened(), byref(prompt), byref(native))
        piece = _Piece()
        while not piece.finish:
            checked(self._calls, "et_llm_next", self._opened(), byref(piece))
            if piece.size:
                yield ctypes.string_at(piece.text, piece.size).decode()


def _role(name: str) -> int:
    if name not in _ROLES:
        raise ValueError(f"unknown role {name!r}; use one of: {', '.join(_ROLES)}")
    return _ROLES[name]


def _native_options(options: Generation) -> _Generation:
    if options.overflow not in _OVERFLOWS:
        raise ValueError(f"unknown overflow {options.overflow!r}; use one of: {', '.join(_OVERFLOWS)}")
    sampling = _Sampling(*(getattr(options, entry[0]) for entry in _Sampling._fields_))
    stops = (c_char_p * len(options.stops))(*(stop.encode() for stop in options.stops))
    tokens = (c_int64 * len(options.stop_tokens))(*options.stop_tokens)
    biases = (_Bias * len(options.biases))(*(_Bias(token, bias) for token, bias in options.biases.items()))
    return _Generation(
        sampling=sampling,
        seed=options.seed,
        max_tokens=options.max_tokens,
        stops=stops,
        stop_count=len(stops),
        stop_tokens=tokens,
        stop_token_count=len(tokens),
        biases=biases,
        bias_count=len(biases),
        overflow=_OVERFLOWS[options.overflow],
        grammar=None if options.grammar is None else pointer(_native_grammar(options.grammar)),
    )


def _native_grammar(grammar: Grammar) -> _Grammar:
    return _Grammar(
        edge_starts=(c_uint32 * len(grammar.edge_starts))(*grammar.edge_starts),
        edges=(_GrammarEdge * len(grammar.edges))(*(_GrammarEdge(*edge) for edge in grammar.edges)),
        pushed=(c_uint16 * len(grammar.pushed))(*grammar.pushed),
        can_end=(c_bool * len(grammar.can_end))(*grammar.can_end),
        least=(c_uint16 * len(grammar.least))(*grammar.least),
        most=(c_uint16 * len(grammar.most))(*grammar.most),
        state_count=len(grammar.can_end),
        loop_count=len(grammar.least),
        start=grammar.start,
    )


def _load_library(path: str | os.PathLike[str]) -> ctypes.CDLL:
    """Load a model's library. Calls to it release the GIL."""
    calls = ctypes.CDLL(os.path.abspath(path))
    for name, (result, arguments) in _SIGNATURES.items():
        if not hasattr(calls, name):
            raise OSError(
                f"{os.fspath(path)} is not the library of a language model; build '<name>.so' of executorch_llm"
            )
        function = getattr(calls, name)
        function.restype, function.argtypes = result, arguments
    sizes = (c_size_t * len(_STRUCTURES))()
    count = calls.et_llm_shared_sizes(sizes, len(sizes))
    if count != len(sizes) or list(sizes) != [ctypes.sizeof(structure) for structure in _STRUCTURES]:
        raise OSError(f"{os.fspath(path)} was built by another version of the rules; build it again")
    return calls

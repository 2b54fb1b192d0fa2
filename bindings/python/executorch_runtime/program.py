"""Open programs."""

from __future__ import annotations

import ctypes
import itertools
import os
import weakref
from collections.abc import Mapping

from executorch_runtime import _native
from executorch_runtime._handles import CallLock, Uncopied, c_string, python_string
from executorch_runtime.errors import checked
from executorch_runtime.method import Clock, Event, Method, Scalar, check_range, events_of, scalar_value
from executorch_runtime.values import Signature, read_signature

Path = str | os.PathLike[str]


class Program(Uncopied):
    """An open, verified `.pte` program, with the `.ptd` files of external weights.

    Files are memory-mapped, and must not change while they are open. `clock` is the clock of traces; by default, nanoseconds of the
    monotonic clock. Raises ExecutorchError for a damaged file.
    """

    def __init__(self, path: Path, *weights: Path, clock: Clock | None = None) -> None:
        self._calls = _native.library()
        self._clock = clock  # keeps its function alive
        paths = [c_string("a path", os.fsencode(file)) for file in (path, *weights)]
        handle = ctypes.c_void_p()
        clock_pointer = ctypes.byref(_native.Clock(clock.function, clock.context)) if clock else None
        names = (ctypes.c_char_p * len(paths))(*paths)
        checked(self._calls, "et_python_program_open", names, len(paths), clock_pointer, ctypes.byref(handle))
        assert handle.value is not None
        self._handle: int = handle.value
        # Do not close at exit: a daemon thread may be in a call.
        weakref.finalize(self, self._calls.et_python_program_close, self._handle).atexit = False

    @property
    def _view(self) -> int:
        view: int = self._calls.et_python_program_view(self._handle)
        return view

    @property
    def methods(self) -> tuple[str, ...]:
        """The names of the methods."""
        return tuple(self._method_name(index) for index in range(self._calls.et_program_method_count(self._view)))

    def _method_name(self, index: int) -> str:
        found = _native.Span()
        self._calls.et_program_method_name(self._view, index, ctypes.byref(found))
        return python_string(ctypes.string_at(found.data, found.size))

    def signature(self, method: str = "forward") -> Signature:
        """Return the inputs and outputs of a method without loading it."""
        return read_signature(self._calls, self._view, method)

    @property
    def load_events(self) -> tuple[Event, ...]:
        """The events of opening the program."""
        return events_of(self._calls.et_python_program_events(self._handle))

    def method(
        self,
        name: str = "forward",
        *,
        threads: int = 1,
        backend_options: Mapping[str, Mapping[str, Scalar]] | None = None,
        seed: int = 0,
        max_steps: int = 0,
        trace: bool = False,
        share: tuple[Method, int] | None = None,
    ) -> Method:
        """Load a method, with its own state.

        threads: number of threads, including the caller's.
        backend_options: options for each backend of the program, by its id.
        seed: seed for operators that draw random numbers.
        max_steps: maximum number of instructions in a run, so that an endless loop is an error; 0
          for ten million.
        trace: record events of loading and of each run (`Method.events`).
        share: a method, and the memory id of the planned buffer that it shares with the new method, including its state.

        Raises ValueError for a number that is negative or too large, for a NUL in a name, and for a backend that the program does not
        have. Raises TypeError if the owner in `share` is not a Method.
        """
        for what, value in (("threads", threads), ("seed", seed), ("max_steps", max_steps)):
            check_range(what, value, 0, 2**64 - 1)
        self._check_backends(backend_options or {})
        owner, memory_id = share or (None, 0)
        if share and not isinstance(owner, Method):
            raise TypeError(f"share: the owner is {type(owner).__name__}; pass a Method and a memory id")
        check_range("share: the memory id", memory_id, 0, 2**32 - 1)
        given = _BackendOptions(backend_options or {})
        options = _native.Options(threads, given.array, len(given.array), max_steps, seed, None, memory_id, trace)
        options.owner = owner.handle if owner else None
        handle = ctypes.c_void_p()
        lock = owner.lock if owner else CallLock()
        with lock:  # loading reads the buffer, which calls of the owner write
            encoded = c_string("the name of a method", name)
            checked(self._calls, "et_python_method_load", self._handle, encoded, options, ctypes.byref(handle))
        assert handle.value is not None
        return Method(handle.value, self.signature(name), lock, threads, (self, owner))

    def _check_backends(self, given: Mapping[str, Mapping[str, Scalar]]) -> None:
        name = self._calls.et_python_program_backend
        found = itertools.takewhile(bool, (name(self._handle, index) for index in itertools.count()))
        backends = sorted({python_string(backend) for backend in found})
        for backend in given:
            if backend not in backends:
                has = f"has {', '.join(backends)}" if backends else "has no backends"
                raise ValueError(f"backend_options for '{backend}': the program {has}")


class _BackendOptions:
    """The options of all backends as C structures."""

    def __init__(self, given: Mapping[str, Mapping[str, Scalar]]) -> None:
        self._kept: list[object] = []
        self.array = (_native.BackendOptions * len(given))(
            *(self._backend(name, options) for name, options in given.items())
        )

    def _backend(self, name: str, options: Mapping[str, Scalar]) -> _native.BackendOptions:
        array = (_native.BackendOption * len(options))(
            *(
                _native.BackendOption(c_string("the name of an option", key), self._option_value(value))
                for key, value in options.items()
            )
        )
        return _native.BackendOptions(c_string("the name of a backend", name), array, len(options))

    def _option_value(self, value: Scalar) -> _native.Value:
        found, kept = scalar_value(value)
        self._kept.append(kept)
        return found

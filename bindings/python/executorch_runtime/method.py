"""Loaded methods: run, read outputs, read traces."""

from __future__ import annotations

import ctypes
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

from executorch_runtime import _arrays, _native
from executorch_runtime._handles import CallLock, Uncopied, fork_count, python_string
from executorch_runtime.errors import ExecutorchError, checked
from executorch_runtime.values import TENSOR, TENSOR_TAG, Signature

Scalar = int | float | bool | str
_INT, _BOOL, _DOUBLE, _STRING, _NONE = 2, 3, 4, 6, 1
_KINDS = ("kernel", "delegate", "move", "jump", "step", "program load", "method load")


@dataclass(frozen=True)
class Clock:
    """A caller-provided clock for traces.

    `function` is the address of `uint64_t now(void *context)`.
    """

    function: int
    context: int | None = None
    owner: object = None  # keeps the function alive


@dataclass(frozen=True)
class Event:
    """A traced event, from `begin` to `end`.

    kind: "kernel", "delegate", "move" or "jump" (instruction `index` of the method), "step" (of the enclosing delegate call),
        "program load" or "method load".
    """

    kind: str
    index: int
    name: str
    begin: int
    end: int


@dataclass(frozen=True)
class Memory:
    """The bytes that a loaded method needs in addition to its file."""

    method: int
    scratch: int
    planned: int
    data: int  # bytes of file data that is not contiguous

    @property
    def total(self) -> int:
        return self.method + self.scratch + self.planned + self.data


def check_range(what: str, value: int, low: int, high: int) -> None:
    """Raise ValueError for a value that C would truncate."""
    if not low <= value <= high:
        raise ValueError(f"{what} is {value}; pass a value from {low} to {high}")


def scalar_value(value: Scalar | None) -> tuple[_native.Value, object]:
    """Convert a scalar to a runtime value; also return the object that keeps it alive.

    Raises TypeError for another type, and ValueError for an int of more than 64 bits.
    """
    found = _native.Value()
    if value is None:
        found.tag = _NONE
    elif isinstance(value, bool):
        found.tag, found.u.as_bool = _BOOL, value
    elif isinstance(value, int):
        check_range("an input", value, -(2**63), 2**63 - 1)
        found.tag, found.u.as_int = _INT, value
    elif isinstance(value, float):
        found.tag, found.u.as_double = _DOUBLE, value
    elif isinstance(value, str):
        text = ctypes.create_string_buffer(value.encode())
        found.tag = _STRING
        found.u.as_string = _native.Span(ctypes.addressof(text), len(text) - 1)
        return found, text
    else:
        raise TypeError(f"an input has type {type(value).__name__}; pass a tensor, int, float, bool, str or None")
    return found, None


def events_of(recorder: Any) -> tuple[Event, ...]:
    """Return the recorded events that have ended."""
    kept = recorder.contents
    return tuple(
        Event(_KINDS[event.kind], event.index, python_string(event.name or b""), event.begin, event.end)
        for event in (kept.events[index] for index in range(kept.count))
        if event.end >= event.begin
    )


class Method(Uncopied):
    """A loaded method, returned by `Program.method`.

    Mutable buffers keep their state.

    It can be called from any thread. Calls of one method, and of methods that share a buffer, wait for each
    other; others run concurrently. The child of a fork can use it, unless it has several threads or ran
    during the fork.
    """

    def __init__(self, handle: int, signature: Signature, lock: CallLock, threads: int, needs: object) -> None:
        self._calls = _native.library()
        self._forks = fork_count() if threads != 1 else None  # None: a forked child can run it
        self._borrowed: dict[int, object] = {}  # inputs that are set, until the next run
        self._needs = needs  # objects that must outlive the method
        self.handle = handle
        self.signature = signature
        self.lock = lock
        self._view: int = self._calls.et_python_method_view(handle)
        # Do not free at exit: a daemon thread may be in a call.
        weakref.finalize(self, _free, self._calls, handle, self._forks, needs).atexit = False

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        """Run the method once and return its outputs as new tensors.

        The outputs are torch tensors if an input is one, and NumPy arrays otherwise (bfloat16 as uint16
        bits). Raises ExecutorchError for an input that does not match. After a failed run, the contents
        of mutable buffers are unspecified.
        """
        expected = len(self.signature.inputs)
        if len(inputs) != expected:
            raise TypeError(f"{self.signature} takes {expected} inputs, got {len(inputs)}; pass {expected}")
        with self.lock:
            try:
                for index, value in enumerate(inputs):
                    self._set(index, value)
                self._call_runtime("et_method_execute")
                as_torch = _wants_torch(inputs)
                return tuple(self._output(index, as_torch) for index in range(len(self.signature.outputs)))
            finally:
                self._borrowed.clear()

    def set_input(self, index: int, value: Any) -> object:
        """Set an input, to measure `execute` alone.

        The method uses the value until the next call. Returns an object that keeps the value alive as well.
        """
        check_range("the index of an input", index, 0, len(self.signature.inputs) - 1)
        with self.lock:
            self._set(index, value)
            return self._borrowed[index]

    def execute(self) -> None:
        """Run the method on the inputs that were set; can be repeated."""
        with self.lock:
            for index, info in enumerate(self.signature.inputs):
                if info.kind == TENSOR and index not in self._borrowed:
                    raise ExecutorchError("INVALID_STATE", f"inputs[{index}] is not set; call set_input first")
            self._call_runtime("et_method_execute")

    def outputs(self, as_torch: bool = False) -> tuple[Any, ...]:
        """Return the outputs of the last run.

        Raises ExecutorchError (INVALID_STATE) if the run failed, or an input has been set since
        then.
        """
        with self.lock:
            return tuple(self._output(index, as_torch) for index in range(len(self.signature.outputs)))

    def reset(self) -> None:
        """Restore the initial values of mutable buffers, including shared ones."""
        with self.lock:
            self._calls.et_method_reset_state(self._view)

    @property
    def memory(self) -> Memory:
        found = self._calls.et_python_method_memory(self.handle)
        return Memory(found.method, found.scratch, found.planned, found.data)

    def events(self) -> tuple[Event, ...]:
        """Return the events of loading and of runs since `clear_events`; needs `trace`."""
        with self.lock:
            return events_of(self._calls.et_python_method_events(self.handle))

    def clear_events(self) -> None:
        with self.lock:
            self._calls.et_recorder_clear(self._calls.et_python_method_events(self.handle))

    def sizes_of(self, value: int) -> tuple[int, ...] | None:
        """Return the sizes of a value (by its index in the file) in the last run, or None."""
        with self.lock:
            found = self._calls.et_python_method_value(self.handle, value)
            if not found or found.contents.tag != TENSOR_TAG:
                return None
            tensor = found.contents.u.as_tensor.contents
            return tuple(tensor.sizes[: tensor.rank])

    def _call_runtime(self, function: str, *arguments: Any) -> None:
        if self._forks not in (None, fork_count()):
            raise ExecutorchError(
                "INVALID_STATE", "the method has threads of the process that forked; load it again in the child"
            )
        checked(self._calls, function, self._view, *arguments)

    def _set(self, index: int, value: Any) -> None:
        if isinstance(value, np.integer) and self.signature.inputs[index].kind == "int":
            value = int(value)
        if _arrays.is_tensor(value):
            self._borrowed[index] = self._set_tensor(index, value)
            return
        scalar, kept = scalar_value(value)
        self._call_runtime("et_method_set_scalar_input", index, ctypes.byref(scalar))
        self._borrowed[index] = kept

    def _set_tensor(self, index: int, value: Any) -> object:
        info = self.signature.inputs[index]
        borrowed = _arrays.borrow(value, info.dim_order, info.dtype)
        sizes = _arrays.size_array(borrowed.sizes)
        self._call_runtime(
            "et_method_set_input", index, borrowed.dtype, sizes, len(sizes), borrowed.address, borrowed.nbytes
        )
        return borrowed

    def _output(self, index: int, as_torch: bool) -> Any:
        found = ctypes.POINTER(_native.Value)()
        self._call_runtime("et_method_get_output", index, ctypes.byref(found))
        value = found.contents
        if value.tag == TENSOR_TAG:
            return _arrays.copied(value.u.as_tensor.contents, as_torch)
        return self._scalar(index, value)

    def _scalar(self, index: int, value: _native.Value) -> Scalar | None:
        if value.tag == _STRING:
            return python_string(ctypes.string_at(value.u.as_string.data, value.u.as_string.size))
        fields = {_INT: "as_int", _BOOL: "as_bool", _DOUBLE: "as_double"}
        if value.tag not in fields and value.tag != _NONE:
            kind = self._calls.et_value_tag_name(value.tag).decode()
            raise ExecutorchError("NOT_SUPPORTED", f"outputs[{index}] is {kind}; Python does not support this type")
        return getattr(value.u, fields[value.tag]) if value.tag != _NONE else None


def _wants_torch(inputs: tuple[Any, ...]) -> bool:
    return any(_arrays.is_torch(value) for value in inputs)


def _free(calls: ctypes.CDLL, handle: int, forks: int | None, needs: object) -> None:
    """Free a method.

    The argument `needs` keeps the objects alive until then. The child of a fork does not free a
    method with threads, because the threads belong to the parent.
    """
    del needs
    if forks in (None, fork_count()):
        calls.et_python_method_free(handle)

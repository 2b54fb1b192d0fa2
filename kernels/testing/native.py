"""Call compiled kernels from Python, on torch tensors, for tests.

The structures mirror `runtime/include/executorch/kernel.h`. Arguments are checked against the kernel's signature, as in
the method loader. The scratch memory has exactly the size that the call requests.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import (
    POINTER,
    Structure,
    addressof,
    byref,
    c_bool,
    c_char_p,
    c_double,
    c_int32,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
    cast,
    pointer,
)
from pathlib import Path
from typing import Any

import torch

from executorch_runtime.structures import MAX_RANK, Content, Error, Span, Tensor, Value

DTYPE_CODES = {
    torch.uint8: 0,
    torch.int8: 1,
    torch.int16: 2,
    torch.int32: 3,
    torch.int64: 4,
    torch.float16: 5,
    torch.float32: 6,
    torch.float64: 7,
    torch.complex64: 9,
    torch.complex128: 10,
    torch.bool: 11,
    torch.bfloat16: 15,
    torch.uint16: 27,
    torch.uint32: 28,
    torch.uint64: 29,
}

_NONE, _INT, _BOOL, _DOUBLE, _TENSOR, _STRING = range(1, 7)
_INT_LIST, _DOUBLE_LIST, _BOOL_LIST, _TENSOR_LIST, _OPTIONAL_LIST = range(7, 12)


# The initial contents of scratch memory, and the bytes after it that must keep them.
_FILL, _GUARD_BYTES = b"\x7b", 4096


class _Context(Structure):
    _fields_ = [
        ("scratch", Span),
        ("state", c_void_p),
        ("parallel", c_void_p),
        ("observer", c_void_p),
        ("error", POINTER(Error)),
        ("random", c_void_p),
    ]


class _PrepareContext(Structure):
    _fields_ = [
        ("arena", c_void_p),  # these kernels do not have state
        ("scratch_bytes", c_size_t),
        ("parallel", c_void_p),
        ("error", POINTER(Error)),
    ]


_PREPARE_FN = ctypes.CFUNCTYPE(c_int32, POINTER(_PrepareContext), POINTER(POINTER(Value)), POINTER(c_void_p))
_KERNEL_FN = ctypes.CFUNCTYPE(c_int32, POINTER(_Context), POINTER(POINTER(Value)))


class _Rule(Structure):
    _fields_ = [
        ("dtypes", c_uint32),
        ("rank_low", c_uint8),
        ("rank_high", c_uint8),
        ("layout", c_uint8),
        ("group", c_uint8),
    ]


class _Kernel(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("signature", c_char_p),
        ("rules", POINTER(_Rule)),
        ("run", c_void_p),
        ("prepare", c_void_p),
        ("scratch_bytes", c_size_t),
    ]


class _KernelTable(Structure):
    _fields_ = [("kernels", POINTER(_Kernel)), ("count", c_size_t)]


class KernelError(Exception):
    """A kernel returned an error status. The message is the kernel's."""


class Kernels:
    """The kernels of a shared library with an exported kernel table."""

    def __init__(self, library: Path | str, symbol: str = "et_all_kernels") -> None:
        self._library = ctypes.CDLL(str(library))
        table = _KernelTable.in_dll(self._library, symbol)
        self._rows: dict[str, list[_Kernel]] = {}
        for row in table.kernels[: table.count]:
            self._rows.setdefault(row.name.decode(), []).append(row)

    def __contains__(self, name: str) -> bool:
        return name in self._rows

    def call(self, name: str, *arguments: object) -> None:
        """Call an operator's kernel. Raises KernelError.

        `arguments` are all arguments of the schema, then its returns. Uses the first row that accepts them. If there is
        none, uses the last row, whose own checks must reject them.
        """
        _call_kernel(self._select(name, arguments), arguments)

    def scratch_bytes(self, name: str, *arguments: object) -> int:
        """Return the scratch memory that a call requests."""
        row, builder = self._select(name, arguments), _Builder()
        values = builder.values(row.signature.decode(), arguments)
        return _scratch_bytes(row, (POINTER(Value) * len(values))(*[pointer(value) for value in values]))

    def _select(self, name: str, arguments: Sequence[object]) -> _Kernel:
        rows = self._rows[name]
        return next((row for row in rows if _fits(row, arguments)), rows[-1])


def _scratch_bytes(row: _Kernel, values: ctypes.Array[Any]) -> int:
    """Return the scratch bytes that `prepare` requests, or that the row states."""
    context = _PrepareContext(scratch_bytes=row.scratch_bytes)
    if row.prepare:
        assert _PREPARE_FN(row.prepare)(byref(context), values, byref(c_void_p())) == 0
    return context.scratch_bytes


def _call_kernel(row: _Kernel, arguments: Sequence[object]) -> None:
    builder = _Builder()
    values = builder.values(row.signature.decode(), arguments)
    array = (POINTER(Value) * len(values))(*[pointer(value) for value in values])
    wanted = _scratch_bytes(row, array)
    # Kernels must not depend on the scratch's initial contents, or write after its end.
    scratch = ctypes.create_string_buffer(_FILL * (wanted + 64 + _GUARD_BYTES))
    start = -ctypes.addressof(scratch) % 64 + ctypes.addressof(scratch)
    error = Error()
    random = (c_uint64 * 4)(1, 2, 3, 4)
    context = _Context(scratch=Span(start, wanted), error=pointer(error), random=addressof(random))
    status = _KERNEL_FN(row.run)(byref(context), array)
    if status != 0:
        raise KernelError(f"status {status:#x}: {error.message.decode()}")
    assert ctypes.string_at(start + wanted, _GUARD_BYTES) == _FILL * _GUARD_BYTES, "the kernel exceeds its scratch"
    builder.copy_back()


def _fits(row: _Kernel, arguments: Sequence[Any]) -> bool:
    """Return whether the loader would choose the row for the call."""
    codes = _split_codes(row.signature.decode().partition(">")[0])
    tensors = [argument for code, argument in zip(codes, arguments) if code[-1] in "tmwTWO"]
    groups: dict[int, torch.dtype] = {}
    return all(
        _takes(row.rules[index], tensor, groups)
        for index, argument in enumerate(tensors)
        for tensor in (argument if isinstance(argument, (list, tuple)) else [argument])
        if tensor is not None
    )


def _takes(rule: _Rule, tensor: torch.Tensor, groups: dict[int, torch.dtype]) -> bool:
    agreed = tensor.dtype if rule.group == 0 else groups.setdefault(rule.group, tensor.dtype)
    order, rank = tensor.dim_order(), tensor.dim()
    orders = {1: tuple(range(rank)), 2: (0, *range(2, rank), 1)}
    return (
        bool(rule.dtypes >> DTYPE_CODES[tensor.dtype] & 1)
        and agreed == tensor.dtype
        and rule.rank_low <= rank <= rule.rank_high
        and order == orders.get(rule.layout, order)
    )


class _Builder:
    """Builds the values of one call, and keeps their memory alive."""

    def __init__(self) -> None:
        self._alive: list[object] = []
        self._outs: list[tuple[torch.Tensor, Tensor]] = []
        self._seen: dict[int, Value] = {}

    def values(self, signature: str, arguments: Sequence[object]) -> list[Value]:
        codes = _split_codes(signature)
        assert len(codes) == len(arguments), f"signature {signature} takes {len(codes)} values, got {len(arguments)}"
        return [self._value(code, argument) for code, argument in zip(codes, arguments, strict=True)]

    def copy_back(self) -> None:
        """Resize each output tensor to the shape that the kernel has set."""
        for tensor, native in self._outs:
            sizes = [native.sizes[i] for i in range(native.rank)]
            strides = [native.strides[i] for i in range(native.rank)]
            tensor.as_strided_(sizes, strides)

    def _value(self, code: str, argument: object) -> Value:
        if argument is None:
            assert code.startswith("?"), f"None for an argument of kind {code}"
            return Value(_NONE)
        return self._build(code.removeprefix("?"), argument)

    def _build(self, code: str, argument: Any) -> Value:
        if code in "twm":
            return self._tensor(argument, code != "t")
        if code in "TWOI":
            return self._list(code, argument)
        if code in "DB":
            return self._packed(code, argument)
        return self._scalar(code, argument)

    def _scalar(self, code: str, argument: object) -> Value:
        if code == "s":
            text = str(argument).encode()
            self._alive.append(text)
            return Value(_STRING, Content(as_string=Span(cast(c_char_p(text), c_void_p), len(text))))
        if isinstance(argument, bool):
            assert code in "bnx", f"bool for an argument of kind {code}"
            return Value(_BOOL, Content(as_bool=argument))
        if isinstance(argument, float):
            assert code in "dnx", f"float for an argument of kind {code}"
            return Value(_DOUBLE, Content(as_double=argument))
        assert code in "inx", f"int for an argument of kind {code}"
        return Value(_INT, Content(as_int=argument))

    def _list(self, code: str, items: Sequence[object]) -> Value:
        element = {"T": "t", "W": "w", "O": "t", "I": "i"}[code]
        pointers: list[Any] = [None if item is None else pointer(self._build(element, item)) for item in items]
        array = (POINTER(Value) * max(1, len(items)))(*pointers)
        self._alive.append((array, pointers))
        tag = {"T": _TENSOR_LIST, "W": _TENSOR_LIST, "O": _OPTIONAL_LIST, "I": _INT_LIST}[code]
        return Value(tag, Content(as_string=Span(cast(array, c_void_p), len(items))))

    def _packed(self, code: str, items: Sequence[float]) -> Value:
        kind: Any
        kind, tag = (c_double, _DOUBLE_LIST) if code == "D" else (c_bool, _BOOL_LIST)
        array = (kind * max(1, len(items)))(*items)
        self._alive.append(array)
        return Value(tag, Content(as_string=Span(cast(array, c_void_p), len(items))))

    def _tensor(self, tensor: torch.Tensor, out: bool) -> Value:
        if id(tensor) not in self._seen:
            native = self._native(tensor)
            self._seen[id(tensor)] = Value(_TENSOR, Content(as_tensor=pointer(native)))
            if out:
                self._outs.append((tensor, native))
        return self._seen[id(tensor)]

    def _native(self, tensor: torch.Tensor) -> Tensor:
        rank, order = tensor.dim(), tensor.dim_order()
        sizes = (c_int32 * MAX_RANK)(*tensor.shape)
        strides = (c_int32 * MAX_RANK)(*_dense_strides(tensor.shape, order))
        dim_order = (c_uint8 * MAX_RANK)(*order)
        self._alive.append((tensor, sizes, strides, dim_order))
        return Tensor(
            data=tensor.data_ptr(),
            capacity=tensor.untyped_storage().nbytes(),
            sizes=sizes,
            strides=strides,
            dim_order=dim_order,
            numel=tensor.numel(),
            dtype=DTYPE_CODES[tensor.dtype],
            rank=rank,
            dynamism=1,
        )


def _dense_strides(sizes: Sequence[int], order: Sequence[int]) -> list[int]:
    strides, stride = [0] * len(sizes), 1
    for dim in reversed(order):
        strides[dim] = stride
        stride *= sizes[dim]
    return strides


def _split_codes(signature: str) -> list[str]:
    codes: list[str] = []
    for character in signature.replace(">", ""):
        if codes and codes[-1] == "?":
            codes[-1] += character
        else:
            codes.append(character)
    return codes

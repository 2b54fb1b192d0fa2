"""Inputs and outputs of methods."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass

from executorch_runtime import _native
from executorch_runtime._handles import c_string
from executorch_runtime.errors import checked
from exir.inspection.ranges import Steps, shape_text

TENSOR = "Tensor"
TENSOR_TAG = 5


@dataclass(frozen=True)
class ValueInfo:
    """An input or output.

    kind: "Tensor", "int", "float", "bool", "str", "None" or a list of these. The next six fields are for tensors.
    shape: sizes; upper bounds if `is_dynamic`.
    is_planned: whether it is in planned memory.
    steps: for each dimension, the possible sizes, or None for a fixed one; one entry for an int
      that each call passes. It is empty for a static shape, and for a value that is compiled into
      the program.
    """

    kind: str
    dtype: str = ""
    shape: tuple[int, ...] = ()
    dim_order: tuple[int, ...] = ()
    is_dynamic: bool = False
    nbytes: int = 0
    is_planned: bool = False
    steps: tuple[Steps | None, ...] = ()

    def __str__(self) -> str:
        if self.kind != TENSOR:
            return " ".join([self.kind, *map(str, self.steps)])
        order = "" if self.dim_order == tuple(range(len(self.shape))) else f" in order {list(self.dim_order)}"
        return f"{self.dtype}[{shape_text(self.shape, self.steps)}]{order}"


@dataclass(frozen=True)
class Signature:
    """The inputs and outputs of a method, and the size of each planned buffer.

    conditions: conditions on sizes that each call checks, such as "x.shape[0] % 4 == 0".
    """

    name: str
    inputs: tuple[ValueInfo, ...]
    outputs: tuple[ValueInfo, ...]
    planned_bytes: tuple[int, ...]
    conditions: tuple[str, ...] = ()

    def __str__(self) -> str:
        taken, given = (", ".join(map(str, values)) for values in (self.inputs, self.outputs))
        conditions = f" if {'; '.join(self.conditions)}" if self.conditions else ""
        return f"{self.name}({taken}) -> ({given}){conditions}"


def read_signature(calls: ctypes.CDLL, program: int, name: str) -> Signature:
    """Read the signature of a method of an open program without loading it."""
    meta = _native.MethodMeta()
    checked(calls, "et_program_method_meta", program, c_string("the name of a method", name), meta)

    def each(count: int, read: Callable[[int], ValueInfo]) -> tuple[ValueInfo, ...]:
        return tuple(read(index) for index in range(count))

    return Signature(
        name,
        each(calls.et_method_meta_input_count(meta), lambda i: _info(calls, "et_method_meta_input", meta, i)),
        each(calls.et_method_meta_output_count(meta), lambda i: _info(calls, "et_method_meta_output", meta, i)),
        tuple(_planned(calls, meta, index) for index in range(calls.et_method_meta_planned_count(meta))),
        tuple(calls.et_method_meta_conditions(meta).decode(errors="replace").splitlines()),
    )


def _planned(calls: ctypes.CDLL, meta: _native.MethodMeta, index: int) -> int:
    size = ctypes.c_size_t()
    checked(calls, "et_method_meta_planned_bytes", meta, index, ctypes.byref(size))
    return size.value


def _info(calls: ctypes.CDLL, function: str, meta: _native.MethodMeta, index: int) -> ValueInfo:
    found = _native.ValueMeta()
    checked(calls, function, meta, index, ctypes.byref(found))
    kind = calls.et_value_tag_name(found.tag).decode()
    if found.tag != TENSOR_TAG:
        return ValueInfo(kind, steps=(Steps(found.min, found.max, found.step),) if found.step else ())
    return ValueInfo(
        kind,
        calls.et_scalar_type_name(found.dtype).decode(),
        tuple(found.sizes[: found.rank]),
        tuple(found.dim_order[: found.rank]),
        found.dynamism != 0,
        found.nbytes,
        found.is_planned,
        _steps(found) if found.dynamism else (),
    )


def _steps(found: _native.ValueMeta) -> tuple[Steps | None, ...]:
    rows = zip(found.min_sizes, found.sizes, found.size_steps)
    return tuple(Steps(*row) if row[2] else None for row, _ in zip(rows, range(found.rank)))

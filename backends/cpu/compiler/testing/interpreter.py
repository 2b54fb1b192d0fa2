"""Reference interpreter of payloads in PyTorch.

Tensors are at the addresses of the memory plan.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from math import prod

import torch
from torch import Tensor

from backends.cpu.compiler.lower import table  # noqa: F401  (registers the semantics of all ops)
from backends.cpu.compiler.ops.reference import check_shapes, evaluate
from backends.cpu.compiler.read_payload import PayloadRows, StepRow, ValueRow, read
from backends.cpu.schema.payload_tables import DimEntry, DimOp
from backends.cpu.schema.registry import BY_CODE
from exir.tensor import scalar_type

_DTYPES = {
    int(scalar_type(dtype)): dtype
    for dtype in (
        torch.float32,
        torch.float16,
        torch.bfloat16,
        torch.int8,
        torch.uint8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.bool,
    )
}
_OPS: dict[DimOp, Callable[[int, int], int]] = {
    DimOp.ADD: operator.add,
    DimOp.SUB: operator.sub,
    DimOp.MUL: operator.mul,
    DimOp.FLOORDIV: operator.floordiv,
    DimOp.MOD: operator.mod,
    DimOp.MIN: min,
    DimOp.MAX: max,
}
_NAN = 255  # Floats with all bits set are NaN.
_INPUT, _OUTPUT, _SCRATCH, _DATA, _STATE = range(5)
Arguments = Sequence[Tensor | int]


def run_payload(payload: bytes, named: Mapping[str, memoryview], arguments: Arguments) -> list[Tensor]:
    """Return the results of a call, and update arguments that are states.

    Scratch is initialized with NaN, so that reads of unwritten memory are detected.
    """
    return _Run(read(payload), named, arguments).results()


class _Run:
    """One call of a payload."""

    def __init__(self, rows: PayloadRows, named: Mapping[str, memoryview], arguments: Arguments) -> None:
        assert len(arguments) == rows.input_count
        self._rows = rows
        self._arguments = arguments
        self._dims = dim_values(rows.dims, arguments)
        self._results = _first_of_each(rows.values, _OUTPUT)
        self._bytes = {(_SCRATCH, 0): torch.full((rows.scratch_bytes,), _NAN, dtype=torch.uint8)}
        for index, (key, size) in enumerate(rows.data):
            assert len(named[key]) == size
            self._bytes[_DATA, index] = torch.frombuffer(bytearray(named[key]), dtype=torch.uint8)
        for place in (_INPUT, _STATE):
            for index, row in _first_of_each(rows.values, place).items():
                self._bytes[place, index] = self._given(row, arguments[index])
        for index, row in self._results.items():
            size = prod(self._sizes(row)) * _DTYPES[row.dtype].itemsize
            self._bytes[_OUTPUT, index] = torch.full((size,), _NAN, dtype=torch.uint8)

    def results(self) -> list[Tensor]:
        """Run all ops, and return the results."""
        for op in self._rows.ops:
            self._run(op)
        for index, row in _first_of_each(self._rows.values, _STATE).items():
            state = self._arguments[index]
            assert isinstance(state, Tensor)
            state.copy_(self._tensor(row).permute(_inverse(_order(row))))
        rows = [self._results[index] for index in range(self._rows.output_count)]
        return [self._tensor(row).permute(_inverse(_order(row))) for row in rows]

    def _run(self, op: StepRow) -> None:
        spec = BY_CODE[op.kind].read(op.words)
        inputs, outputs, workspaces = (
            [self._rows.values[index] for index in some] for some in (op.inputs, op.outputs, op.workspaces)
        )
        check_shapes(spec, [self._sizes(row) for row in (*inputs, *outputs, *workspaces)])
        dims = [self._dims[index] for index in op.dims]
        evaluate(spec, [self._tensor(row) for row in inputs], [self._tensor(row) for row in outputs], dims)

    def _given(self, row: ValueRow, argument: Tensor | int) -> Tensor:
        assert isinstance(argument, Tensor)
        assert scalar_type(argument.dtype) == row.dtype
        return argument.permute(_order(row)).contiguous().reshape(-1).view(torch.uint8)

    def _sizes(self, row: ValueRow) -> tuple[int, ...]:
        return tuple(self._dims[index] for index in row.dims)

    def _tensor(self, row: ValueRow) -> Tensor:
        sizes, dtype = self._sizes(row), _DTYPES[row.dtype]
        end = row.offset + prod(sizes) * dtype.itemsize
        return self._bytes[row.place, row.index][row.offset : end].view(dtype).reshape(sizes)


def _first_of_each(rows: Sequence[ValueRow], place: int) -> dict[int, ValueRow]:
    """Return the first value of each argument or result.

    The first value has the sizes of the argument or result itself.
    """
    found: dict[int, ValueRow] = {}
    for row in rows:
        if row.place == place:
            found.setdefault(row.index, row)
    return found


def _order(row: ValueRow) -> list[int]:
    return [row.order >> 4 * place & 15 for place in range(len(row.dims))]


def _inverse(order: Sequence[int]) -> list[int]:
    return [order.index(dim) for dim in range(len(order))]


def dim_values(entries: Sequence[DimEntry], arguments: Arguments) -> list[int]:
    """Return the values of the table of dims for a call.

    Raises `AssertionError` if a value exceeds its maximum.
    """
    values: list[int] = []
    for entry in entries:
        values.append(_dim_value(entry, values, arguments))
        assert 0 <= values[-1] <= entry.maximum, f"{entry} has value {values[-1]}, which is out of range"
    return values


def _dim_value(entry: DimEntry, values: Sequence[int], arguments: Arguments) -> int:
    if entry.op is DimOp.CONST:
        return entry.a
    if entry.op in (DimOp.SIZE, DimOp.INT):
        argument = arguments[entry.a]
        return argument.shape[entry.b] if isinstance(argument, Tensor) else argument
    return _OPS[entry.op](values[entry.a], values[entry.b])

"""Lists the ops of a payload as text (format: PAYLOAD.md). Does not import torch."""

from __future__ import annotations

from collections.abc import Sequence

from backends.cpu.schema.declarations import Dtype
from backends.cpu.schema.payload_tables import DataEntry, DimEntry, OpEntry, TableReader, ValueEntry, open_payload
from backends.cpu.schema.registry import BY_CODE


def describe(payload: bytes) -> list[tuple[str, list[str]]]:
    """Return the name, the inputs and the outputs of each op.

    Tensors are written as "float32[1, 3]", with their maximum sizes. Raises `ValueError` if
    `payload` is not a valid payload.
    """
    header, reader = open_payload(payload)
    try:
        maxima = [reader.entry(DimEntry).maximum for _ in range(header.dim_count)]
        texts = [_value(reader, maxima) for _ in range(header.value_count)]
        for _ in range(header.data_count):
            reader.entry(DataEntry)
        return [_op(reader, texts) for _ in range(header.op_count)]
    except (IndexError, ValueError) as error:
        raise ValueError("the CpuBackend payload is corrupt") from error


def _value(reader: TableReader, maxima: Sequence[int]) -> str:
    entry = reader.entry(ValueEntry)
    sizes = [str(maxima[number]) for number in reader.take(entry.rank)]
    return f"{_dtype_name(entry.dtype)}[{', '.join(sizes)}]"


def _op(reader: TableReader, texts: Sequence[str]) -> tuple[str, list[str]]:
    entry = reader.entry(OpEntry)
    values = [texts[number] for number in reader.take(entry.input_count + entry.output_count)]
    reader.take(entry.workspace_count + entry.dim_count + entry.attribute_count)
    return BY_CODE[entry.code].op_name() if entry.code in BY_CODE else f"op {entry.code}", values


def _dtype_name(dtype: int) -> str:
    return Dtype(dtype).name.lower() if dtype in set(Dtype) else str(dtype)

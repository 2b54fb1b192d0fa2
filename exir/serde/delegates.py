"""Serializes lowered modules, with the programs that they were compiled from."""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from torch.export import ExportedProgram

from exir._serialize import DataEntry, NamedDataStoreOutput, TensorLayout
from exir.backend.compile_spec_schema import CompileSpec
from exir.lowered_backend_module import LoweredBackendModule

# A program as a dictionary, its state and its constants.
Parts = tuple[dict[str, Any], bytes, bytes]


def module_text(lowered: LoweredBackendModule, parts_of: Callable[[ExportedProgram], Parts]) -> str:
    """Return a lowered module as text.

    `parts_of` splits its original program into parts.
    """
    program, state, constants = parts_of(lowered.original_module)
    named_data = lowered.named_data_store_output
    specs = [{"key": spec.key, "value": _decode_text(spec.value)} for spec in lowered.compile_specs]
    return json.dumps(
        {
            "backend_id": lowered.backend_id,
            "processed_bytes": _decode_text(lowered.processed_bytes),
            "compile_specs": specs,
            "original_module": program,
            "original_state_dict": _decode_text(state),
            "original_constants": _decode_text(constants),
            "named_data_store": None
            if named_data is None
            else json.dumps(_plain_data(named_data), default=_decode_text),
        }
    )


def module_of(text: str, program_of: Callable[[Parts], ExportedProgram]) -> LoweredBackendModule:
    """Parse the text of a lowered module; the inverse of `module_text`."""
    plain = json.loads(text)
    state, constants = b64decode(plain["original_state_dict"]), b64decode(plain["original_constants"])
    named_data = plain.get("named_data_store")
    return LoweredBackendModule(
        program_of((plain["original_module"], state, constants)),
        plain["backend_id"],
        b64decode(plain["processed_bytes"]),
        [CompileSpec(spec["key"], b64decode(spec["value"])) for spec in plain["compile_specs"]],
        named_data_store_output=None if named_data is None else _named_data(json.loads(named_data)),
    )


def _plain_data(named_data: NamedDataStoreOutput) -> dict[str, Any]:
    """Return `named_data` as dictionaries.

    Buffers, which can be `memoryview`s, are not copied.
    """
    return {
        "buffers": named_data.buffers,
        "pte_data": _plain_entries(named_data.pte_data),
        "external_data": {
            name: _plain_entries(entries) for name, entries in named_data.external_data.items()
        },
    }


def _plain_entries(entries: Mapping[str, DataEntry]) -> dict[str, Any]:
    return {key: asdict(entry) for key, entry in entries.items()}


def _named_data(plain: dict[str, Any]) -> NamedDataStoreOutput:
    files = {name: _data_entries(entries) for name, entries in plain["external_data"].items()}
    return NamedDataStoreOutput(
        [b64decode(text) for text in plain["buffers"]], _data_entries(plain["pte_data"]), files
    )


def _data_entries(plain: dict[str, Any]) -> dict[str, DataEntry]:
    return {key: _data_entry(**entry) for key, entry in plain.items()}


def _data_entry(
    buffer_index: int, alignment: int, tensor_layout: dict[str, Any] | None = None
) -> DataEntry:
    return DataEntry(buffer_index, alignment, TensorLayout(**tensor_layout) if tensor_layout else None)


def _decode_text(data: bytes | memoryview) -> str:
    return b64encode(data).decode()

"""Convert dataclasses to JSON for `flatc`, and run `flatc`.

Backends with their own flatbuffer schema use it.
"""

import dataclasses
import json
import os
import shutil
import subprocess
from enum import IntEnum
from typing import Any, Union, get_args, get_origin, get_type_hints


class DataclassEncoder(json.JSONEncoder):
    """A JSON encoder for dataclasses. A union field is preceded by `<field>_type`."""

    def default(self, o: Any) -> Any:
        """Encode objects that json does not support."""
        if dataclasses.is_dataclass(o) and not isinstance(o, type):
            return _to_json_object(o)
        if isinstance(o, (bytes, memoryview)):
            return list(bytes(o))
        return super().default(o)


def _to_json_object(value: Any) -> dict[str, Any]:
    hints = get_type_hints(type(value))
    found: dict[str, Any] = {}
    for field in dataclasses.fields(value):
        content = getattr(value, field.name)
        if _is_union_of_tables(hints[field.name]):
            found[f"{field.name}_type"] = type(content).__name__
        found[field.name] = content.name if isinstance(content, IntEnum) else content
    return found


def _is_union_of_tables(hint: Any) -> bool:
    return (
        get_origin(hint) is Union
        and type(None) not in get_args(hint)
        and all(map(dataclasses.is_dataclass, get_args(hint)))
    )


def json_to_dataclass(json_dict: Any, cls: Any) -> Any:
    """Decode JSON of `DataclassEncoder` as an object of class `cls`."""
    if get_origin(cls) is Union:
        inner = [arg for arg in get_args(cls) if arg is not type(None)]
        return None if json_dict is None else json_to_dataclass(json_dict, inner[0])
    if get_origin(cls) is list:
        return [json_to_dataclass(item, get_args(cls)[0]) for item in json_dict]
    if dataclasses.is_dataclass(cls):
        return _from_object(json_dict, cls)
    if isinstance(cls, type) and issubclass(cls, IntEnum) and isinstance(json_dict, str):
        return cls[json_dict]
    return bytes(json_dict) if cls is bytes else json_dict


def _from_object(json_dict: dict[str, Any], cls: Any) -> Any:
    hints = get_type_hints(cls)
    fields = {}
    for field in dataclasses.fields(cls):
        if field.name in json_dict:
            fields[field.name] = json_to_dataclass(
                json_dict[field.name], _field_type(json_dict, field.name, hints[field.name])
            )
    return cls(**fields)


def _field_type(json_dict: dict[str, Any], name: str, hint: Any) -> Any:
    if not _is_union_of_tables(hint):
        return hint
    return next(arg for arg in get_args(hint) if arg.__name__ == json_dict[f"{name}_type"])


def flatc_compile(output_dir: str, schema_path: str, json_path: str) -> None:
    """Convert JSON to a flatbuffer."""
    _run_flatc("--binary", "-o", output_dir, schema_path, json_path)


def flatc_decompile(output_dir: str, schema_path: str, bin_path: str, flatc_additional_args: Any = ()) -> None:
    """Convert a flatbuffer to JSON."""
    extra = list(flatc_additional_args or ())
    _run_flatc("--json", "--defaults-json", "--strict-json", *extra, "-o", output_dir, schema_path, "--", bin_path)


def _run_flatc(*arguments: str) -> None:
    """Run the `flatc` that the environment names, or the one on the path."""
    program = os.environ.get("FLATC_EXECUTABLE") or shutil.which("flatc")
    if program is None:
        raise RuntimeError("flatc was not found; add it to PATH, or set FLATC_EXECUTABLE to its path")
    subprocess.run([program, *arguments], check=True)

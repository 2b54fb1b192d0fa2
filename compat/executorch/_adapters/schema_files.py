"""The schema of `.pte` files for `flatc`, with configurable alignments."""

import importlib.resources
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

_PACKAGE = "schema"
_ROOT, _INCLUDED = "program.fbs", "scalar_type.fbs"
_TENSORS, _DELEGATES = b"@executorch-tensor-alignment", b"@executorch-delegate-alignment"
_ALIGNED = re.compile(rb"\(\s*force_align\s*:\s*(\d+)\s*\)")
_IDENTIFIER = re.compile(rb'file_identifier\s+"(....)"')


class ResourceFiles:
    """Files of the folder `schema`, which can be patched before they are written."""

    def __init__(self, resource_names: Sequence[str]) -> None:
        self._files = {name: importlib.resources.read_binary(_PACKAGE, name) for name in resource_names}

    def patch_files(self, patch_fn: Callable[[bytes], bytes]) -> None:
        """Replace the contents of each file with the result of `patch_fn`."""
        self._files = {name: patch_fn(data) for name, data in self._files.items()}

    def get(self, name: str) -> bytes:
        """Return the contents of a file."""
        return self._files[name]

    def write_to(self, out_dir: str) -> None:
        """Write the files to a folder."""
        for name, data in self._files.items():
            with open(os.path.join(out_dir, name), "wb") as file:
                file.write(data)


@dataclass
class SchemaInfo:
    """The location of a written schema, and its alignments."""

    root_path: str
    max_alignment: int
    file_identifier: bytes
    tensor_alignment: int
    delegate_alignment: int


def prepare_schema(
    out_dir: str, constant_tensor_alignment: int | None = None, delegate_alignment: int | None = None
) -> SchemaInfo:
    """Write the schema of programs to `out_dir`, with the given alignments."""
    requested = {_TENSORS: constant_tensor_alignment, _DELEGATES: delegate_alignment}
    _check_alignments(requested.values())
    files = ResourceFiles([_ROOT, _INCLUDED])
    files.patch_files(lambda schema: b"\n".join(_patch_line(line, requested) for line in schema.split(b"\n")))
    files.write_to(out_dir)
    root = files.get(_ROOT)
    identifier = _IDENTIFIER.search(root)
    if identifier is None:
        raise ValueError(f"{_ROOT} has no file_identifier")
    return SchemaInfo(
        os.path.join(out_dir, _ROOT),
        max(_schema_alignments(root + files.get(_INCLUDED))),
        identifier.group(1),
        _alignment_at_marker(root, _TENSORS),
        _alignment_at_marker(root, _DELEGATES),
    )


def _check_alignments(alignments: Iterable[int | None]) -> None:
    for alignment in alignments:
        if alignment is not None and (alignment <= 0 or alignment & (alignment - 1)):
            raise ValueError(f"alignments must be powers of two, got {alignment}")


def _patch_line(line: bytes, requested: dict[bytes, int | None]) -> bytes:
    for marker, alignment in requested.items():
        if marker in line and alignment is not None:
            return _ALIGNED.sub(b"(force_align: %d)" % alignment, line)
    return line


def _schema_alignments(schema: bytes) -> list[int]:
    return [int(number) for number in _ALIGNED.findall(schema)]


def _alignment_at_marker(schema: bytes, marker: bytes) -> int:
    """Return the alignment in the line with `marker`."""
    return next(_schema_alignments(line)[0] for line in schema.split(b"\n") if marker in line)

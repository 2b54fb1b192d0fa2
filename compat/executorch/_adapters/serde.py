"""Programs of either dialect to and from bytes, as torch.export keeps them."""

import io
from dataclasses import dataclass
from typing import Any, BinaryIO

import torch
from torch.export import ExportedProgram


@dataclass(frozen=True)
class SerializedArtifact:
    """A program as bytes."""

    exported_program: bytes


def serialize(exported_program: ExportedProgram, opset_version: dict[str, int] | None = None) -> SerializedArtifact:
    """The bytes of a program."""
    buffer = io.BytesIO()
    save(exported_program, buffer, opset_version=opset_version)
    return SerializedArtifact(buffer.getvalue())


def deserialize(artifact: SerializedArtifact) -> ExportedProgram:
    """The program of bytes that `serialize` has made."""
    return load(io.BytesIO(artifact.exported_program))


def save(
    ep_save: ExportedProgram,
    f: str | BinaryIO,
    *,
    extra_files: dict[str, Any] | None = None,
    opset_version: dict[str, int] | None = None,
) -> None:
    """Write a program to a file."""
    torch.export.save(ep_save, f, extra_files=extra_files, opset_version=opset_version)


def load(f: str | BinaryIO, *, extra_files: dict[str, Any] | None = None) -> ExportedProgram:
    """The program of a file that `save` has written."""
    return torch.export.load(f, extra_files=extra_files)

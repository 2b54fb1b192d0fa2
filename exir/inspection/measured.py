"""Measure the memory of delegates with a program of their backend."""

import json
import subprocess
from pathlib import Path

from exir import schema
from exir.base_error import ConfigError
from exir.inspection.memory import RuntimeMemory


def payload_of(delegate: schema.BackendDelegate, program: schema.Program) -> bytes:
    """Return the payload that the backend's runtime reads."""
    assert delegate.processed is not None
    return bytes(program.backend_delegate_data[delegate.processed.index].data)


def measured_memory(measure: Path, payload: bytes, backend_id: str) -> RuntimeMemory:
    """Run `measure` on a payload and return the memory that it prints.

    Raises a `ConfigError` with the reason if `measure` rejects the payload.
    """
    result = subprocess.run([measure.resolve()], input=payload, capture_output=True, check=False)
    if result.returncode != 0:
        reason = result.stderr.decode(errors="replace").strip()
        raise ConfigError(f"a delegate of '{backend_id}' cannot be run: {reason}")
    return RuntimeMemory(**json.loads(result.stdout))

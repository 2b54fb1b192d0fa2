"""Memory of delegates whose runtime side says itself what it needs, by a program of its backend's."""

import json
import subprocess
from pathlib import Path

from exir import schema
from exir.base_error import ConfigError
from exir.plan.memory import RuntimeMemory


def payload_of(delegate: schema.BackendDelegate, program: schema.Program) -> bytes:
    """What the delegate's runtime side reads."""
    assert delegate.processed is not None
    return bytes(program.backend_delegate_data[delegate.processed.index].data)


def measured_memory(measure: Path, payload: bytes, backend_id: str) -> RuntimeMemory:
    """What `measure`, which is given a payload, prints. Raises `ConfigError` when it refuses that, with its reason."""
    result = subprocess.run([measure.resolve()], input=payload, capture_output=True, check=False)
    if result.returncode != 0:
        reason = result.stderr.decode(errors="replace").strip()
        raise ConfigError(f"a delegate of '{backend_id}' cannot be run: {reason}")
    return RuntimeMemory(**json.loads(result.stdout))

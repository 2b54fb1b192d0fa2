"""A remote execution service: storage, action cache and two local workers.

It consists of Debian's BuildBox programs, which prepare_servers.py unpacks.
"""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.many_machines.network import free_port
from tests.many_machines.programs import server_program

# The system's interpreter has the system's gRPC.
_PYTHON = "/usr/bin/python3"
_LOWER_VERSION = Path(__file__).with_name("lower_version.py")


@contextlib.contextmanager
def engine(folder: Path) -> Iterator[str]:
    """Run the service, and yield its address; `folder` stores its data."""
    inner, outer = (f"127.0.0.1:{free_port()}" for _ in range(2))
    command = [
        server_program("usr/bin/buildbox-casd"),
        f"--bind={inner}",
        f"--buildbox-run={server_program('usr/bin/buildbox-run-hosttools')}",
        "--jobs=2",
        str(folder),
    ]
    with _running(command), _running([_PYTHON, str(_LOWER_VERSION), outer, inner]) as proxy:
        assert proxy.stdout is not None
        assert proxy.stdout.readline() == b"ready\n", "the proxy in front of the engine does not start"
        yield f"grpc://{outer}"


@contextlib.contextmanager
def _running(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.terminate()

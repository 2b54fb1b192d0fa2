"""Local ports for test servers, and a network that is limited to this machine."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator

# In a new network namespace, even loopback is down. The constants are SIOCSIFFLAGS and IFF_UP.
_HOLD = """
import fcntl, socket, struct, sys
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh", b"lo", 1))
print("up", flush=True)
sys.stdin.read()
"""


def free_port() -> int:
    """Return a free port of this machine."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def cut_off() -> Iterator[list[str]]:
    """Yield a command prefix that limits a command to the local network."""
    users = [] if os.getuid() == 0 else ["--user", "--preserve-credentials"]
    command = ["unshare", "--net", *(["--map-root-user"] if users else []), sys.executable, "-c", _HOLD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdin is not None
        assert holder.stdout.readline() == b"up\n", "this machine does not permit private networks (unshare --net)"
        try:
            yield ["nsenter", f"--target={holder.pid}", "--net", *users, "--"]
        finally:
            holder.stdin.close()

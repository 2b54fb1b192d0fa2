"""Where servers of a test listen, and a network without anything beyond this machine."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator

# In a new network even the way back to this machine is down. The numbers are SIOCSIFFLAGS and IFF_UP.
_HOLD = """
import fcntl, socket, struct, sys
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh", b"lo", 1))
print("up", flush=True)
sys.stdin.read()
"""


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def cut_off() -> Iterator[list[str]]:
    """What to put before a command that has no network but this machine's own."""
    users = [] if os.getuid() == 0 else ["--user", "--preserve-credentials"]
    command = ["unshare", "--net", *(["--map-root-user"] if users else []), sys.executable, "-c", _HOLD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdin is not None
        assert holder.stdout.readline() == b"up\n", "this machine gives no network of one's own (unshare --net)"
        try:
            yield ["nsenter", f"--target={holder.pid}", "--net", *users, "--"]
        finally:
            holder.stdin.close()

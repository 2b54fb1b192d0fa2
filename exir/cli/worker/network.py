"""Block the network during a compilation, so that only declared files are inputs.

There are three layers, because none covers everything:

- Environment variables put model hubs into offline mode, and their caches are empty folders.
- Python's sockets reject remote hosts immediately, with a clear error.
- A network namespace, if the system grants one, stops C libraries and subprocesses.
"""

import ctypes
import fcntl
import ipaddress
import os
import socket
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from errno import ENETUNREACH
from pathlib import Path
from typing import Any

_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "WANDB_MODE": "offline",
    "PIP_NO_INDEX": "1",
}

# Variables that name cache folders of packages, and their paths in an empty home folder.
_CACHES = {
    "HOME": "",
    "XDG_CACHE_HOME": ".cache",
    "TORCH_HOME": ".cache/torch",
    "HF_HOME": ".cache/huggingface",
}
_OVERRIDES = ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE", "HF_DATASETS_CACHE")

# Exceptions with which huggingface_hub reports offline mode.
_OFFLINE_ERRORS = ("OfflineModeIsEnabled", "LocalEntryNotFoundError")
_BLOCKED = "network access is blocked during compilation"
_NOTE = (
    "\n    create the model without weights (`pretrained=False`), and set the attribute `weights` to "
    "their file (docs/how_to/published_weights.md)"
)

# Attempts to reach one destination before a retry loop is stopped.
_MOST_ATTEMPTS = 3

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1


class NetworkBlockedError(OSError):
    """A connection to a remote host was blocked."""


class NameLookupBlockedError(socket.gaierror):
    """The lookup of a remote host's name was blocked."""


class RetriesEndedError(BaseException):
    """Stops a loop that retries a blocked connection.

    It is not an `Exception`, because such loops catch every `Exception`.
    """


def block_network(home: Path) -> None:
    """Block this process from reaching other machines.

    Call this function in a compilation's own process, before user code runs.

    home: an empty folder that replaces the user's home folder.
    """
    os.environ.update(_OFFLINE)
    os.environ.update({name: str(home / place) for name, place in _CACHES.items()})
    for name in _OVERRIDES:
        os.environ.pop(name, None)
    if sys.platform == "linux":
        _enter_empty_network()
    _guard_sockets()


def network_note(error: BaseException) -> str:
    """Return a line of advice if the blocked network caused the error, or ""."""
    return _NOTE if any(_is_blocked(link) for link in _error_chain(error)) else ""


def _is_blocked(error: BaseException) -> bool:
    if isinstance(error, NetworkBlockedError | NameLookupBlockedError | RetriesEndedError):
        return True
    text = str(error)
    return (
        type(error).__name__ in _OFFLINE_ERRORS
        or _BLOCKED in text
        or any(name in text for name in _OFFLINE)
    )


def _error_chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error and the errors that caused it."""
    visited: set[int] = set()
    while error is not None and id(error) not in visited:
        visited.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _enter_empty_network() -> None:
    """Move this process to a network namespace with only the loopback interface.

    Nothing changes if the system does not permit it. Without privileges, this also needs a user
    namespace, which maps only the user. Root does not enter a user namespace, because it would lose
    access to other users' files.
    """
    user, group = os.geteuid(), os.getegid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNET if user == 0 else _CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        return
    try:
        if user != 0:
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
            Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
        with socket.socket() as any_socket:
            fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh", b"lo", _IFF_UP))
    except (
        OSError
    ):  # the system permits the namespace but grants no rights in it: loopback is blocked, too
        pass


def _guard_sockets() -> None:
    attempts: Counter[str] = Counter()

    def check_host(host: Any, refuse: Callable[[str], OSError]) -> None:
        if _is_local(host):
            return
        attempts[str(host)] += 1
        message = f"{_BLOCKED}: {host}"
        raise refuse(message) if attempts[str(host)] < _MOST_ATTEMPTS else RetriesEndedError(message)

    def refuse_connection(message: str) -> OSError:
        return NetworkBlockedError(ENETUNREACH, message)

    def refuse_lookup(message: str) -> OSError:
        return NameLookupBlockedError(socket.EAI_FAIL, message)

    def guard_address(method: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(self: socket.socket, *arguments: Any) -> Any:
            address = arguments[-1]
            if self.family in (socket.AF_INET, socket.AF_INET6) and isinstance(address, tuple):
                check_host(address[0], refuse_connection)
            return method(self, *arguments)

        return guarded

    def guard_lookup(function: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(host: Any, *arguments: Any, **options: Any) -> Any:
            check_host(host, refuse_lookup)
            return function(host, *arguments, **options)

        return guarded

    for name in ("connect", "connect_ex", "sendto"):
        setattr(socket.socket, name, guard_address(getattr(socket.socket, name)))
    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr"):
        setattr(socket, name, guard_lookup(getattr(socket, name)))


def _is_local(host: Any) -> bool:
    """Return whether `host` is this machine: empty, its name, or a loopback address."""
    text = host.decode(errors="replace") if isinstance(host, bytes) else host
    if text in (None, "", "localhost") or text == socket.gethostname():
        return True
    try:
        address = ipaddress.ip_address(str(text).partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified

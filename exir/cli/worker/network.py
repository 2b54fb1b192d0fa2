"""Blocks the network for a compilation: its inputs are files that its target names, so that it is reproducible.

Three layers, as none covers everything:

- Variables put model hubs into offline mode. Their caches are folders that are empty.
- Python's sockets refuse remote hosts at once, with an error that says so.
- A network namespace, where the system grants one, stops C libraries and subprocesses.
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

# Variables that name the folders in which packages keep their downloads, and the place of each below an empty home.
_CACHES = {
    "HOME": "",
    "XDG_CACHE_HOME": ".cache",
    "TORCH_HOME": ".cache/torch",
    "HF_HOME": ".cache/huggingface",
}
_OVERRIDES = ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE", "HF_DATASETS_CACHE")

# Exceptions by which huggingface_hub reports offline mode.
_OFFLINE_ERRORS = ("OfflineModeIsEnabled", "LocalEntryNotFoundError")
_BLOCKED = "network access is blocked while a model is compiled"
_NOTE = (
    "\n    the compiler has no network: weights are an input; make the model without them (`pretrained=False`), and"
    " give their file to the target: `weights = …` (docs/how_to/published_weights.md)"
)

# Attempts at one destination after which a loop of retries is ended.
_MOST_ATTEMPTS = 3

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1


class NetworkBlockedError(OSError):
    """A connection to a remote host."""


class NameLookupBlockedError(socket.gaierror):
    """A lookup of a remote host's name."""


class RetriesEndedError(BaseException):
    """The end of a loop that retries a blocked connection; libraries catch every `Exception` there."""


def block_network(home: Path) -> None:
    """Let this process reach no other machine. `home`: an empty folder in place of the user's.

    Call it in a compilation's own process, before user code runs.
    """
    os.environ.update(_OFFLINE)
    os.environ.update({name: str(home / place) for name, place in _CACHES.items()})
    for name in _OVERRIDES:
        os.environ.pop(name, None)
    if sys.platform == "linux":
        _enter_empty_network()
    _guard_sockets()


def network_note(error: BaseException) -> str:
    """What to do about an error whose cause is the blocked network, as a line; else nothing."""
    return _NOTE if any(_is_blocked(each) for each in _chain(error)) else ""


def _is_blocked(error: BaseException) -> bool:
    if isinstance(error, NetworkBlockedError | NameLookupBlockedError | RetriesEndedError):
        return True
    text = str(error)
    return (
        type(error).__name__ in _OFFLINE_ERRORS
        or _BLOCKED in text
        or any(name in text for name in _OFFLINE)
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and the errors that led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _enter_empty_network() -> None:
    """Move this process into a network that has its loopback interface alone, where the system permits that.

    The user namespace that this takes without privileges maps only the user. Root does not enter one: it would lose access
    to other users' files.
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
    ):  # a system that grants the namespace and no rights within it: loopback is blocked, too
        pass


def _guard_sockets() -> None:
    attempts: Counter[str] = Counter()

    def check(host: Any, refuse: Callable[[str], OSError]) -> None:
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
                check(address[0], refuse_connection)
            return method(self, *arguments)

        return guarded

    def guard_lookup(function: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(host: Any, *arguments: Any, **named: Any) -> Any:
            check(host, refuse_lookup)
            return function(host, *arguments, **named)

        return guarded

    for name in ("connect", "connect_ex", "sendto"):
        setattr(socket.socket, name, guard_address(getattr(socket.socket, name)))
    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr"):
        setattr(socket, name, guard_lookup(getattr(socket, name)))


def _is_local(host: Any) -> bool:
    """Whether it is this machine: no host, its loopback names and addresses."""
    text = host.decode(errors="replace") if isinstance(host, bytes) else host
    if text in (None, "", "localhost") or text == socket.gethostname():
        return True
    try:
        address = ipaddress.ip_address(str(text).partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified

"""Tests that a compilation cannot reach other machines, and gives advice."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from exir.cli.loading.user_code import describe
from exir.cli.worker.isolation import Outcome, run_isolated
from exir.cli.worker.network import block_network, network_note

pytestmark = pytest.mark.usefixtures("idle_threads_allowed")

_ADDRESS = "http://weights.example/net.pt"


def _run_without_network(run: Callable[[], object], home: Path) -> Outcome:
    """Return the output of `run` without a network. Exceptions are described."""

    def child() -> int:
        block_network(home)
        try:
            run()
        except BaseException as error:
            print(describe(error, [Path(__file__).parent]))
            return 1
        return 0

    return run_isolated(child)


def _retry_connection() -> None:
    while True:
        try:
            urllib.request.urlopen(_ADDRESS)
        except Exception:
            time.sleep(0.01)


def _raise_offline_error() -> None:
    raise type("LocalEntryNotFoundError", (FileNotFoundError,), {})("cannot find the file")


def _raise_without_a_chain() -> None:
    raise OSError("cannot load it; check your connection, or unset TRANSFORMERS_OFFLINE")


_ATTEMPTS: dict[str, Callable[[], object]] = {
    "urllib": lambda: urllib.request.urlopen(_ADDRESS),
    "by address": lambda: urllib.request.urlopen("http://192.0.2.1/net.pt"),
    "connect": lambda: socket.socket().connect(("192.0.2.1", 80)),
    "connect_ex": lambda: socket.socket().connect_ex(("192.0.2.1", 80)),
    "datagram": lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 80)),
    "version 6": lambda: socket.socket(socket.AF_INET6).connect(("2001:db8::1", 80)),
    "name": lambda: socket.gethostbyname("weights.example"),
    "retries": _retry_connection,
    "hub": _raise_offline_error,
    "message": _raise_without_a_chain,
}


@pytest.mark.parametrize("name", _ATTEMPTS)
def test_connection_attempt_fails_immediately_with_a_remedy(name: str, tmp_path: Path) -> None:
    begun = time.monotonic()
    outcome = _run_without_network(_ATTEMPTS[name], tmp_path)
    assert outcome.exit_code == 1
    assert (
        "create the model without weights" in outcome.output
        and "set the attribute `weights`" in outcome.output
    )
    assert time.monotonic() - begun < 5


def _reach_itself() -> None:
    server = socket.create_server(("127.0.0.1", 0))
    with socket.create_connection(("localhost", server.getsockname()[1])):
        pass
    left, right = socket.socketpair()
    left.sendall(b"x")
    assert right.recv(1) == b"x"


def test_localhost_is_reachable(tmp_path: Path) -> None:
    outcome = _run_without_network(_reach_itself, tmp_path)
    assert outcome.exit_code == 0, outcome.output


def _connect_by_another_program() -> None:
    code = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=3)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    raise RuntimeError(result.stderr.splitlines()[-1])


def test_child_programs_have_no_network(tmp_path: Path) -> None:
    outcome = _run_without_network(_connect_by_another_program, tmp_path)
    assert "Network is unreachable" in outcome.output or "timed out" in outcome.output


def test_download_caches_of_the_user_are_hidden(tmp_path: Path) -> None:
    def show() -> None:
        import torch

        print(os.path.expanduser("~"), torch.hub.get_dir(), os.environ["HF_HUB_OFFLINE"])

    assert _run_without_network(show, tmp_path).output.split() == [
        str(tmp_path),
        f"{tmp_path}/.cache/torch/hub",
        "1",
    ]


def test_unrelated_errors_have_no_network_note() -> None:
    assert network_note(FileNotFoundError("no such file: weights.pt")) == ""
    assert network_note(ConnectionRefusedError("127.0.0.1")) == ""

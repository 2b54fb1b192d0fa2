"""Tests of messages about compilations that did not end normally."""

import os
import signal
import time
from pathlib import Path

import pytest

from exir.cli.worker.attended import attend

pytestmark = pytest.mark.usefixtures("idle_threads_allowed")

_ARGV = ("--target", "@@//app:net_pte", "--timeout=1")


def test_successful_compilation_is_returned() -> None:
    def compilation() -> int:
        print("error: //app:net_pte: no model")
        return 1

    outcome = attend(_ARGV, compilation)
    assert (outcome.exit_code, outcome.output) == (1, "error: //app:net_pte: no model\n")


@pytest.mark.parametrize("exit_code", [0, 1, 3])
def test_exiting_code_is_reported(exit_code: int) -> None:
    def compilation() -> int:
        os._exit(exit_code)

    outcome = attend(_ARGV, compilation)
    assert outcome.exit_code == 1
    assert outcome.output == (
        "error: //app:net_pte: the model or a library it imports ended the process with exit code"
        f" {exit_code}, as os._exit does; raise an exception instead\n"
    )


def test_compilation_beyond_the_timeout_is_killed() -> None:
    def compilation() -> int:
        time.sleep(600)
        return 0

    outcome = attend(_ARGV, compilation)
    assert outcome.exit_code == 1
    assert outcome.output == (
        "error: //app:net_pte: the compilation did not finish within 1 s; if the model needs longer,"
        " increase 'timeout'\n"
    )


def test_timeout_applies_to_processes_that_block_signals() -> None:
    def compilation() -> int:
        signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP})
        signal.setitimer(signal.ITIMER_REAL, 0)
        time.sleep(600)
        return 0

    started = time.monotonic()
    assert "did not finish within 1 s" in attend(_ARGV, compilation).output
    assert time.monotonic() - started < 60


def test_killed_compilation_is_retried_once(tmp_path: Path) -> None:
    def compilation() -> int:
        if (tmp_path / "again").exists():
            return 0
        (tmp_path / "again").touch()
        os.kill(os.getpid(), signal.SIGKILL)
        return 1

    outcome = attend(_ARGV, compilation)
    assert (outcome.exit_code, outcome.output) == (0, "")


def test_compilation_killed_twice_fails() -> None:
    def compilation() -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    outcome = attend(_ARGV, compilation)
    assert outcome.exit_code == 2
    assert outcome.output.endswith(
        "was killed by signal 9 (SIGKILL); the machine may be out of memory\n"
    )

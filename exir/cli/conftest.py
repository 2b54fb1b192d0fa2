"""Fixtures for the tests of the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from exir.cli.one_shot import compile_command_line
from exir.cli.worker.isolation import Outcome, run_isolated

# A function that compiles a source file, with additional flags. The outputs (by default pte and
# manifest) are written to the folder "out", as net.pte and so on.
Compile = Callable[..., Outcome]


@pytest.fixture
def idle_threads_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pytest fork although numeric libraries have idle threads.

    worker_test.py tests that the worker has no such threads.
    """
    monkeypatch.setattr("exir.cli.worker.isolation.check_single_threaded", lambda: None)


@pytest.fixture
def compile_source(tmp_path: Path, idle_threads_allowed: None) -> Compile:
    """Return a function that compiles `app/net.py` in a child process."""

    def compile_it(source: str, *flags: str, outputs: tuple[str, ...] = ("pte", "manifest")) -> Outcome:
        (tmp_path / "app").mkdir(exist_ok=True)
        (tmp_path / "app" / "net.py").write_text(source)
        (tmp_path / "out").mkdir(exist_ok=True)
        argv = [
            "--target=@@//app:net_pte",
            "--module=app.net",
            f"--module-file={tmp_path / 'app' / 'net.py'}",
            f"--import-root={tmp_path}",
            *(f"--out-{name}={tmp_path / 'out' / 'net'}.{name}" for name in outputs),
            *flags,
        ]
        return run_isolated(lambda: compile_command_line(argv))

    return compile_it

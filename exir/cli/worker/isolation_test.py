"""Tests of forked children: output, exit codes, and cleanup."""

import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
import torch

from exir.cli.worker.environment import seed_everything
from exir.cli.worker.isolation import check_single_threaded, run_isolated
from exir.error import InternalError


@pytest.mark.usefixtures("idle_threads_allowed")
def test_all_printed_output_is_captured() -> None:
    def child() -> int:
        print("to stdout")
        print("to stderr", file=sys.stderr)
        os.system("echo from a grandchild")
        os.write(1, b"raw\xff\n")
        return 3

    outcome = run_isolated(child)
    assert outcome.exit_code == 3 and outcome.returned
    lines = sorted(outcome.output.splitlines())
    assert lines == sorted(["to stdout", "to stderr", "from a grandchild", "raw�"])


@pytest.mark.usefixtures("idle_threads_allowed")
def test_killed_child_is_reported_by_its_signal() -> None:
    def child() -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    outcome = run_isolated(child)
    assert outcome.exit_code == -signal.SIGKILL and not outcome.returned


@pytest.mark.usefixtures("idle_threads_allowed")
def test_child_that_exits_by_itself_did_not_return() -> None:
    def child() -> int:
        os._exit(0)

    outcome = run_isolated(child)
    assert outcome.exit_code == 0 and not outcome.returned


@pytest.mark.usefixtures("idle_threads_allowed")
def test_compiler_exception_is_an_internal_error() -> None:
    def child() -> int:
        raise ValueError("slipped through")

    outcome = run_isolated(child)
    assert outcome.exit_code == 2
    assert "ValueError: slipped through" in outcome.output


@pytest.mark.usefixtures("idle_threads_allowed")
def test_standard_input_is_empty() -> None:
    assert run_isolated(lambda: len(os.read(0, 10))).exit_code == 0


@pytest.mark.usefixtures("idle_threads_allowed")
def test_orphaned_processes_are_killed(tmp_path: Path) -> None:
    def child() -> int:
        if os.fork() == 0:
            (tmp_path / "pid").write_text(str(os.getpid()))
            signal.pause()
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            pass
        return 0

    assert run_isolated(child).exit_code == 0
    while _is_running(int((tmp_path / "pid").read_text())):
        time.sleep(0.01)


@pytest.mark.usefixtures("idle_threads_allowed")
def test_descendants_in_other_sessions_are_killed(tmp_path: Path) -> None:
    def daemon(name: str) -> None:
        os.setsid()
        (tmp_path / name).write_text(str(os.getpid()))
        signal.pause()

    def child() -> int:
        if os.fork() == 0:
            if os.fork() == 0:
                daemon("inner")
            daemon("outer")
        while not all(
            (tmp_path / name).exists() and (tmp_path / name).read_text() for name in ("inner", "outer")
        ):
            time.sleep(0.01)
        return 0

    assert run_isolated(child).exit_code == 0
    assert not any(_is_running(int((tmp_path / name).read_text())) for name in ("inner", "outer"))


@pytest.mark.usefixtures("idle_threads_allowed")
@pytest.mark.parametrize("spoil", ["none", "closed"])
def test_error_messages_survive_closed_streams(spoil: str) -> None:
    def child() -> int:
        print("before", file=sys.stderr)
        if spoil == "closed":
            sys.stdout.close()
            sys.stderr.close()
        sys.stdout = sys.stderr = None
        return 3

    outcome = run_isolated(child)
    assert (outcome.exit_code, outcome.output, outcome.returned) == (3, "before\n", True)


@pytest.mark.usefixtures("idle_threads_allowed")
def test_control_characters_are_escaped() -> None:
    def child() -> int:
        print("a\x1b[2Jb\u202ec\td\r\ne\rf")
        return 0

    assert run_isolated(child).output == "a\\x1b[2Jb\\x202ec\td\ne\nf\n"


@pytest.mark.usefixtures("idle_threads_allowed")
def test_long_output_keeps_its_end() -> None:
    def child() -> int:
        print("first" + "x" * (2 << 20) + "last")
        return 0

    output = run_isolated(child).output
    assert len(output) < 2 << 20 and output.endswith("xlast\n")
    assert output.startswith("(1048586 earlier bytes of output are omitted)\n")


def _is_running(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    try:
        return state.read_text().split()[2] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.usefixtures("idle_threads_allowed")
def test_child_processes_are_isolated() -> None:
    def spoil() -> int:
        sys.modules["exir_spoiled"] = sys
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)
        torch.manual_seed(7)
        random.seed(7)
        os.environ["EXIR_SPOILED"] = "1"
        os.chdir("/")
        sys.path.append("/exir_spoiled")
        library = torch.library.Library("exir_spoiled", "DEF")
        library.define("op(Tensor x) -> Tensor")
        return 0 if _leftover_traces() == _SPOILED else 1

    assert run_isolated(spoil).exit_code == 0
    assert run_isolated(lambda: 0 if not _leftover_traces() else 1).exit_code == 0
    assert not _leftover_traces()


_SPOILED = {"module", "dtype", "grad", "environ", "cwd", "path", "operator"}


def _leftover_traces() -> set[str]:
    found = {
        "module": "exir_spoiled" in sys.modules,
        "dtype": torch.get_default_dtype() is torch.float64,
        "grad": not torch.is_grad_enabled(),
        "environ": "EXIR_SPOILED" in os.environ,
        "cwd": os.getcwd() == "/",
        "path": "/exir_spoiled" in sys.path,
        "operator": hasattr(torch.ops.exir_spoiled, "op"),
    }
    return {name for name, seen in found.items() if seen}


@pytest.mark.usefixtures("idle_threads_allowed")
def test_random_numbers_are_independent_of_earlier_requests(tmp_path: Path) -> None:
    def draw(name: str) -> int:
        seed_everything()
        (tmp_path / name).write_text(f"{torch.randn(3).tolist()} {random.random()}")
        return 0

    run_isolated(lambda: draw("first"))
    torch.randn(100)
    run_isolated(lambda: draw("second"))
    assert (tmp_path / "first").read_text() == (tmp_path / "second").read_text()


def test_multithreaded_process_does_not_fork() -> None:
    release = threading.Event()
    thread = threading.Thread(target=release.wait)
    thread.start()
    try:
        with pytest.raises(InternalError, match=r"\d threads and cannot fork safely"):
            check_single_threaded()
    finally:
        release.set()
        thread.join()

"""Tests the worker as Bazel runs it: a process with pipes and sequential requests."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from exir.cli.worker.worker_protocol import encode_varint

_ROOT = Path(__file__).parents[3]

_MODEL = """
import os, sys, torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
        self.norm = torch.nn.BatchNorm2d(4)
        self.linear = torch.nn.Linear(4, 5)

    def forward(self, x):
        return self.linear(torch.relu(self.norm(self.conv(x))).mean((2, 3)))

def model():
    return Net(), (torch.randn(1, 3, 8, 8),)
"""

_DYNAMIC = """
import torch
from exir import ModelSpec

class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x):
        self.total.add_(x.sum(0))
        return x @ torch.ones(4, 2) + self.total.sum()

def model():
    n = torch.export.Dim("n", min=2, max=6)
    return ModelSpec(Counter(), (torch.randn(3, 4),), dynamic_shapes={"x": {0: n}})
"""

_SPOILER = """
import os, random, sys, torch
torch.set_default_dtype(torch.float64)
torch.manual_seed(99)
random.seed(99)
torch.nn.init.kaiming_uniform_ = lambda tensor, **options: torch.nn.init.zeros_(tensor)
sys.modules["math"].pi = 3
os.environ["OMP_NUM_THREADS"] = "7"
torch.library.define("spoiler::op", "(Tensor x) -> Tensor")
"""

_CRASH = "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n"

_VARIATIONS = (
    {"PYTHONHASHSEED": "0", "TZ": "UTC", "LANG": "C"},
    {"PYTHONHASHSEED": "4711", "TZ": "Asia/Tokyo", "LANG": "tr_TR.UTF-8", "HOME": "/nowhere"},
)


def _worker_environment(**changes: str) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", ""),
        "PYTHONPATH": os.pathsep.join([str(_ROOT), *sys.path]),
        **changes,
    }


def _encode_field(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2]) + encode_varint(len(data)) + data


class _WorkerProcess:
    """A worker process."""

    def __init__(self, cwd: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "exir.cli.lower", "--persistent_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=_worker_environment(PYTHONHASHSEED="1", PYTHONSAFEPATH="1"),
        )
        assert self.process.stdin and self.process.stdout
        self._requests, self._responses = self.process.stdin, self.process.stdout

    def request(
        self, *arguments: str, sandbox_dir: str = "", inputs: tuple[str, ...] = ()
    ) -> tuple[int, str]:
        """Return the exit code and the output of one compilation."""
        fields = [(1, argument.encode()) for argument in arguments] + [(6, sandbox_dir.encode())]
        fields += [(2, _encode_field(1, path.encode())) for path in inputs]
        message = b"".join(_encode_field(number, data) for number, data in fields)
        self._requests.write(encode_varint(len(message)) + message)
        self._requests.flush()
        return self._read_response()

    def close(self) -> str:
        """Close the worker's input, and return the log that it printed."""
        _, log = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, log
        return log.decode()

    def _read_varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._responses.read(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def _read_response(self) -> tuple[int, str]:
        message = self._responses.read(self._read_varint())
        exit_code, at = (message[1], 2) if message[:1] == b"\x08" else (0, 0)
        text = message[at:].split(b"\x12", 1)
        if len(text) == 1:
            return exit_code, ""
        skip = 1 if len(text[1]) < 129 else 2
        return exit_code, text[1][skip:].decode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with several models, like an execution root."""
    root = tmp_path_factory.mktemp("workspace")
    (root / "app").mkdir()
    sources = {"net": _MODEL, "dynamic": _DYNAMIC, "spoiler": _SPOILER + _MODEL, "crash": _CRASH}
    for name, source in sources.items():
        (root / "app" / f"{name}.py").write_text(source)
    return root


@pytest.fixture(scope="module")
def worker(folder: Path) -> Iterator[_WorkerProcess]:
    """One worker for all tests, so that each request follows other requests."""
    started = _WorkerProcess(folder)
    yield started
    started.process.kill()
    started.process.wait()


def _compile_flags(name: str, out: str, *more: str) -> list[str]:
    return [
        f"--target=//app:{name}",
        f"--module=app.{name}",
        f"--module-file=app/{name}.py",
        "--import-root=.",
        f"--out-pte={out}.pte",
        f"--out-manifest={out}.json",
        f"--out-reference={out}.calls",
        *more,
    ]


def _output_digests(folder: Path, out: str) -> dict[str, str]:
    names = [f"{out}.pte", f"{out}.calls"]
    return {
        Path(name).suffix: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names
    }


def _one_shot(folder: Path, name: str, out: str, variation: int) -> None:
    environment = _worker_environment(**_VARIATIONS[variation])
    params = folder / f"{out}.params"
    params.write_text("\n".join(_compile_flags(name, out)))
    subprocess.run(
        [sys.executable, "-m", "exir.cli.lower", f"@{params}"],
        cwd=folder,
        env=environment,
        check=True,
        preexec_fn=_use_one_core if variation else None,
    )


def _use_one_core() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def test_output_bytes_do_not_depend_on_other_requests(
    folder: Path, worker: _WorkerProcess, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "another" / "folder"
    elsewhere.mkdir(parents=True)
    (elsewhere / "app").symlink_to(folder / "app")
    for name in ("net", "dynamic"):
        _one_shot(folder, name, f"{name}_0", 0)
        _one_shot(elsewhere, name, f"{name}_1", 1)
        assert worker.request(*_compile_flags(name, f"{name}_2")) == (0, "")
        assert worker.request(*_compile_flags("spoiler", "spoiler")) == (0, "")
        assert worker.request(*_compile_flags(name, f"{name}_3")) == (0, "")
        expected = _output_digests(folder, f"{name}_0")
        assert _output_digests(elsewhere, f"{name}_1") == expected
        assert _output_digests(folder, f"{name}_2") == expected
        assert _output_digests(folder, f"{name}_3") == expected


def test_outputs_contain_no_machine_paths(folder: Path, worker: _WorkerProcess) -> None:
    assert worker.request(*_compile_flags("net", "places"))[0] == 0
    for suffix in ("pte", "json", "calls"):
        data = (folder / f"places.{suffix}").read_bytes()
        assert str(folder).encode() not in data and str(_ROOT).encode() not in data


def test_user_error_does_not_stop_the_worker(folder: Path, worker: _WorkerProcess) -> None:
    exit_code, output = worker.request(*_compile_flags("net", "wrong", "--entry-point=modle"))
    assert exit_code == 1
    assert output.startswith("error: //app:net: module 'app.net' has no entry point 'modle'")
    assert not (folder / "wrong.pte").exists()
    assert worker.request(*_compile_flags("net", "right")) == (0, "")


def test_crash_does_not_stop_the_worker(folder: Path, worker: _WorkerProcess) -> None:
    exit_code, output = worker.request(*_compile_flags("crash", "crash"))
    assert exit_code == 2
    assert "//app:crash: the compiler process was killed by signal 11 (SIGSEGV)" in output
    assert worker.request(*_compile_flags("net", "after_crash")) == (0, "")


def test_paths_are_relative_to_the_sandbox(folder: Path, worker: _WorkerProcess) -> None:
    sandbox = folder / "sandboxes" / "1"
    sandbox.mkdir(parents=True)
    (sandbox / "app").symlink_to(folder / "app")
    assert worker.request(*_compile_flags("net", "boxed"), sandbox_dir="sandboxes/1") == (0, "")
    assert (sandbox / "boxed.pte").exists() and not (folder / "boxed.pte").exists()


_READER = """
import torch
from pathlib import Path

class Net(torch.nn.Module):
    def forward(self, x):
        return x + 1.0

def model():
    assert {path}.read_text() == "words"
    return Net(), (torch.ones(4),)
"""


@pytest.mark.parametrize(
    "path",
    [
        'Path("app/words.txt")',
        'Path(__file__).with_name("words.txt")',
        'Path(__file__).resolve().with_name("words.txt")',
        '__import__("exir").data_path("app/words.txt")',
    ],
)
def test_undeclared_file_is_not_found(folder: Path, worker: _WorkerProcess, path: str) -> None:
    (folder / "app" / "words.txt").write_text("words")
    (folder / "app" / "reader.py").write_text(_READER.format(path=path))
    inputs = ("app/reader.py",)
    exit_code, output = worker.request(*_compile_flags("reader", "unread"), inputs=inputs)
    assert exit_code == 1 and "words.txt" in output and "'data'" in output
    assert not (folder / "unread.pte").exists()
    assert worker.request(*_compile_flags("reader", "read"), inputs=(*inputs, "app/words.txt")) == (
        0,
        "",
    )


def test_undeclared_module_is_not_found(folder: Path, worker: _WorkerProcess) -> None:
    (folder / "app" / "importer.py").write_text("import app.net\n" + _MODEL)
    inputs = ("app/importer.py",)
    exit_code, output = worker.request(*_compile_flags("importer", "importer"), inputs=inputs)
    assert exit_code == 1
    assert "add the library that provides 'app.net' to 'deps' of the model's py_library" in output
    assert worker.request(*_compile_flags("importer", "importer"), inputs=(*inputs, "app/net.py")) == (
        0,
        "",
    )


def test_input_paths_do_not_change_the_bytes(folder: Path, worker: _WorkerProcess) -> None:
    assert worker.request(*_compile_flags("net", "unlisted")) == (0, "")
    assert worker.request(*_compile_flags("net", "listed"), inputs=("app/net.py", "app")) == (0, "")
    assert _output_digests(folder, "listed") == _output_digests(folder, "unlisted")


def test_changed_source_is_reloaded(folder: Path, worker: _WorkerProcess) -> None:
    source = folder / "app" / "edited.py"
    source.write_text(_MODEL)
    assert worker.request(*_compile_flags("edited", "before"))[0] == 0
    source.write_text(_MODEL.replace("Linear(4, 5)", "Linear(4, 6)"))
    assert worker.request(*_compile_flags("edited", "after"))[0] == 0
    assert '"shape": [\n      1,\n      6' in (folder / "after.json").read_text()
    source.unlink()
    assert worker.request(*_compile_flags("edited", "gone"))[0] == 1


def test_warm_worker_has_one_thread_and_exits_at_end_of_input(folder: Path) -> None:
    started = _WorkerProcess(folder)
    assert started.request(*_compile_flags("net", "threads"))[0] == 0
    assert len(os.listdir(f"/proc/{started.process.pid}/task")) == 1
    assert started.close() == ""

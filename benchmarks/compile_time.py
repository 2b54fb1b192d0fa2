"""Measure compilation of MobileNetV2, interleaved with the official exporter.

This project compiles it in a new process and with a warm worker.

./bazelw run //benchmarks:compile_time -- [ROUNDS]
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

_LOWER = [sys.executable, "-m", "exir.cli.lower"]
_MODEL = ["--target=//models:mobilenet_pte", "--module=models.mobilenet", "--module-file=models/mobilenet.py"]
_MODEL += ["--import-root=.", "--entry-point=mobilenet_v2", "--kernels=kernels/portable/kernels.toml"]
_OFFICIAL = """
import torch
from executorch.exir import to_edge
from models.mobilenet import mobilenet_v2
module, inputs = mobilenet_v2()
open({path!r}, "wb").write(to_edge(torch.export.export(module, inputs)).to_executorch().buffer)
"""


class Worker:
    """A persistent worker, driven with Bazel's protocol."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [*_LOWER, "--persistent_worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self._process.stdin and self._process.stdout
        self._requests, self._responses = self._process.stdin, self._process.stdout

    def request(self, arguments: list[str]) -> None:
        """Compile once. A successful response is an empty message: one zero byte."""
        fields = b"".join(b"\x0a" + bytes([len(argument)]) + argument.encode() for argument in arguments)
        assert len(fields) < 1 << 14 and all(len(argument) < 128 for argument in arguments)
        self._requests.write(bytes([len(fields) & 127 | 128, len(fields) >> 7]) + fields)
        self._requests.flush()
        if self._responses.read(1) != b"\x00":
            sys.exit("the worker refused the request")

    def close(self) -> None:
        self._requests.close()
        self._process.wait()


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _measure(rounds: int, folder: Path) -> dict[str, list[float]]:
    arguments = [*_MODEL, f"--out-pte={folder / 'net.pte'}", f"--out-manifest={folder / 'net.json'}"]
    official = _OFFICIAL.format(path=str(folder / "official.pte"))
    worker = Worker()
    times: dict[str, list[float]] = {"worker's first": [_seconds(lambda: worker.request(arguments))]}
    for _ in range(rounds):
        for name, run in (
            ("warm worker", lambda: worker.request(arguments)),
            ("one-shot", lambda: subprocess.run([*_LOWER, *arguments], check=True, capture_output=True)),
            ("official", lambda: subprocess.run([sys.executable, "-c", official], check=True, capture_output=True)),
        ):
            times.setdefault(name, []).append(_seconds(run))
    worker.close()
    return times


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        times = _measure(rounds, Path(folder))
    for name, values in times.items():
        print(
            f"{name:16s} {statistics.median(values):6.2f} s   ({min(values):.2f} to {max(values):.2f}, {len(values)} runs)"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)

"""Measure MobileNetV2 on portable kernels with one thread.

Runs of eager PyTorch, the official portable kernels and this project's are interleaved.

./bazelw run -c opt //benchmarks:mobilenet_latency -- [ROUNDS]
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch

from models.mobilenet import mobilenet_v2

_OUR_RUNS = 20
_IMAGE = "models/images/flower.ppm"


def _milliseconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return 1e3 * (time.perf_counter() - start)


def _official_program(folder: Path) -> Path:
    """Compile the same module with the official exporter, for portable kernels."""
    from executorch.exir import to_edge

    module, inputs = mobilenet_v2()
    path = folder / "official.pte"
    path.write_bytes(to_edge(torch.export.export(module, inputs)).to_executorch().buffer)
    return path


def _official_runner(path: Path) -> Callable[[], object]:
    from executorch.runtime import Runtime

    method = Runtime.get().load_program(path).load_method("forward")
    inputs = [torch.randn(1, 3, 224, 224)]
    return lambda: method.execute(inputs)


def _eager_runner() -> Callable[[], object]:
    module, inputs = mobilenet_v2()
    return lambda: module(*inputs)


def _ours() -> float:
    """Return the median in milliseconds that our program prints."""
    command = [os.environ["MOBILENET"], "--runs", str(_OUR_RUNS), _IMAGE]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (latency,) = re.findall(r"latency: ([\d.]+) ms", output)
    return float(latency)


def _measure(rounds: int, official: Callable[[], object]) -> dict[str, list[float]]:
    eager = _eager_runner()
    eager()
    times: dict[str, list[float]] = {"eager PyTorch": [], "official portable": [], "rules_executorch": []}
    for _ in range(rounds):
        times["eager PyTorch"].append(statistics.median(_milliseconds(eager) for _ in range(_OUR_RUNS)))
        times["official portable"].append(_milliseconds(official))
        times["rules_executorch"].append(_ours())
    return times


def main(rounds: int) -> None:
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    with tempfile.TemporaryDirectory() as folder:
        times = _measure(rounds, _official_runner(_official_program(Path(folder))))
    ours = statistics.median(times["rules_executorch"])
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:18s} {median:8.1f} ms   {median / ours:6.2f} x ours   (median of {rounds} rounds)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)

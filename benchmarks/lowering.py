"""Compare compilation with the official exporter.

Measures time, peak memory, planned memory and program size.

./bazelw run //benchmarks:lowering -- [--rounds N] [MODEL…]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from exir._serialize import deserialize_pte_binary

# Module and function of each model.
_MODELS = {
    "mobilenet_v2": ("models.mobilenet", "mobilenet_v2"),
    "resnet50": ("benchmarks.latency.models.resnet", "resnet50"),
    "minilm": ("benchmarks.latency.models.encoder", "minilm"),
    "bert_base": ("benchmarks.latency.models.encoder", "bert_base"),
    "llama_42m": ("benchmarks.lowering_decoder", "decoder"),
}
_OFFICIAL = """
import torch
from executorch.exir import to_edge
from {module} import {function}
module, inputs = {function}()
program = to_edge(torch.export.export(module, inputs)).to_executorch()
with open({path!r}, "wb") as file:
    program.write_to_file(file)
"""
_EXPORT = """
import torch
from {module} import {function}
module, inputs = {function}()
torch.export.export(module, inputs)
"""


@dataclass(frozen=True)
class Cost:
    """Processor seconds and peak memory (MB) of a process."""

    seconds: float
    peak: float


def _ours(module: str, function: str, path: str) -> list[str]:
    file = module.replace(".", "/") + ".py"
    flags = [f"--module={module}", f"--module-file={file}", f"--entry-point={function}", f"--out-pte={path}"]
    flags += ["--target=//benchmarks:lowering", "--import-root=.", "--kernels=kernels/portable/kernels.toml"]
    return [sys.executable, "-m", "exir.cli.lower", *flags]


def _script(text: str) -> Callable[[str, str, str], list[str]]:
    return lambda module, function, path: [
        sys.executable,
        "-c",
        text.format(module=module, function=function, path=path),
    ]


_SIDES = {"ours": _ours, "official": _script(_OFFICIAL), "torch.export alone": _script(_EXPORT)}


def _cost_of(command: list[str]) -> Cost:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(command)}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _arena(path: str) -> int:
    """Planned memory of all methods."""
    program = deserialize_pte_binary(Path(path).read_bytes()).program
    return sum(size for plan in program.execution_plan for size in plan.non_const_buffer_sizes)


def _measure(name: str, rounds: int, folder: str) -> None:
    costs: dict[str, list[Cost]] = {side: [] for side in _SIDES}
    paths = {side: str(Path(folder, f"{name}.{side}.pte")) for side in _SIDES}
    for _ in range(rounds):
        for side, command in _SIDES.items():
            costs[side].append(_cost_of(command(*_MODELS[name], paths[side])))
    for side, of_side in costs.items():
        cost = min(of_side, key=lambda cost_of: cost_of.seconds)
        line = f"{name:14s} {side:20s} {cost.seconds:7.2f} s {cost.peak:8.0f} MB"
        if os.path.exists(paths[side]):
            line += f" {_arena(paths[side]):12,d} {os.path.getsize(paths[side]):13,d}"
        print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="lowering", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("models", nargs="*", choices=[[], *_MODELS], help="default: all")
    options = parser.parse_args()
    print(f"{'':35s} {'cheapest run':>8s} {'peak':>7s} {'arena, bytes':>13s} {'program, bytes':>13s}")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.models or _MODELS:
            _measure(name, options.rounds, folder)


if __name__ == "__main__":
    main()

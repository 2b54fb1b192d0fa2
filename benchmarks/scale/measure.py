"""Measure the time, and the actions that Bazel runs, after each edit."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.scale.processes import WorkerMemory, processor_seconds
from benchmarks.scale.workspace import ManyModels

# Bazel's names for runners that execute actions, and for those that do not.
_NOT_RUN = ("total", "internal", "disk cache hit", "remote cache hit", "action cache hit")

# The default of Bazel 7 and newer, which executorch.bazelrc changes.
MERGED = "--experimental_merged_skyframe_analysis_execution"

_REPETITIONS = 5  # of builds without an edit


@dataclass(frozen=True)
class Phase:
    """One invocation of Bazel."""

    models: int
    edit: str
    ran: int  # actions
    compiled: int  # models
    from_cache: int  # actions
    seconds: float
    processor_seconds: float
    worker_megabytes: int


class Bazel:
    """Bazel in a workspace with many models; `base` is its output base."""

    def __init__(self, program: Path, folder: Path, base: Path, flags: list[str]):
        self._folder = folder
        self._command = [str(program), f"--output_base={base}"]
        self._flags = flags
        self._events = base.parent / f"{base.name}.events.json"

    def build_unchanged(self, models: int, edit: str, *flags: str) -> Phase:
        """Build without an edit.

        The time is the shortest of several builds that write no build events.
        """
        phase = self.build(models, edit, *flags)
        return replace(phase, seconds=round(min(self._time_of_build(flags) for _ in range(_REPETITIONS)), 1))

    def _time_of_build(self, flags: Sequence[str]) -> float:
        start = time.monotonic()
        self._run("build", *self._flags, *flags, "//...")
        return time.monotonic() - start

    def build(self, models: int, edit: str, *flags: str) -> Phase:
        server = int(self._run("info", "server_pid"))
        before, start = processor_seconds(server), time.monotonic()
        with WorkerMemory(server) as memory:
            self._run("build", *self._flags, f"--build_event_json_file={self._events}", *flags, "//...")
        seconds, spent = time.monotonic() - start, processor_seconds(server) - before
        runners, compiled = _metrics(self._events)
        return Phase(
            models=models,
            edit=edit,
            ran=sum(count for name, count in runners.items() if name not in _NOT_RUN),
            compiled=compiled if "worker" in runners else 0,
            from_cache=runners.get("disk cache hit", 0),
            seconds=round(seconds, 1),
            processor_seconds=round(spent, 1),
            worker_megabytes=memory.peak >> 20,
        )

    def shutdown(self) -> None:
        self._run("shutdown")

    def _run(self, *arguments: str) -> str:
        command = [*self._command, *arguments]
        result = subprocess.run(command, cwd=self._folder, capture_output=True, text=True, check=False)
        if result.returncode:
            raise SystemExit(f"{' '.join(command)}\n{result.stderr}")
        return result.stdout


def _metrics(events: Path) -> tuple[dict[str, int], int]:
    """Count actions per runner, and compiled models, from Bazel's build events."""
    for line in events.read_text(encoding="utf-8").splitlines():
        summary = json.loads(line).get("buildMetrics", {}).get("actionSummary")
        if summary is not None:
            runners = {entry["name"]: entry.get("count", 0) for entry in summary.get("runnerCount", [])}
            executed = {
                entry["mnemonic"]: int(entry.get("actionsExecuted", 0)) for entry in summary.get("actionData", [])
            }
            return runners, executed.get("ExecutorchLower", 0)
    raise SystemExit(f"{events} has no metrics")


def measure(models: int, root: Path, folder: Path, workers: int, analysis_alone: bool = False) -> Iterator[Phase]:
    """Run every phase, or only analysis, in a new workspace under `folder`."""
    workspace = ManyModels(folder / "workspace", root, models)
    flags = ["--curses=no", f"--disk_cache={folder / 'cache'}", f"--worker_max_instances=ExecutorchLower={workers}"]
    bazel = Bazel(root / "bazelw", workspace.folder, folder / "base", flags)
    yield bazel.build(models, "analysis, cold", "--nobuild")
    yield bazel.build(models, "analysis, warm", "--nobuild")
    if analysis_alone:
        bazel.shutdown()
        return
    yield bazel.build(models, "all, compiled")
    yield bazel.build_unchanged(models, "nothing")
    yield bazel.build_unchanged(models, "nothing, with Bazel's default", MERGED)
    for edit, apply in _edits(workspace):
        apply()
        yield bazel.build(models, edit)
    yield bazel.build(models, "another compilation mode", "--compilation_mode=opt")
    bazel.shutdown()
    other = Bazel(root / "bazelw", workspace.folder, folder / "other_base", flags)
    yield other.build(models, "all, from the cache, in a new server")
    other.shutdown()


def _edits(workspace: ManyModels) -> list[tuple[str, Callable[[], None]]]:
    return [
        ("a comment in one model", lambda: workspace.write_model(0, 0, "# Nothing.\n")),
        ("a constant in one model", lambda: workspace.write_model(0, 7777)),
        ("a layer that ten models share", lambda: workspace.write_layer(0, 3)),
    ]

"""One architecture from its making to its outputs on the C runtime, compared with eager PyTorch."""

from __future__ import annotations

import copy
import enum
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as pytree

from exir import ExecutorchProgramManager, to_edge
from exir.cli.reporting.calls import Call, write_calls
from tests.architectures.architecture import Subject

Lower = Callable[[torch.export.ExportedProgram], ExecutorchProgramManager]

# Of the largest element of what eager gives, and of outputs that vanish: float32 has few bits below its smallest normal number.
TOLERANCE = 2e-5
_VANISHING = torch.finfo(torch.float32).tiny


class Outcome(enum.Enum):
    """How far it came."""

    MATCHES = "runs as in eager PyTorch"
    MODEL = "the model does not run in eager PyTorch"
    EXPORT = "torch.export refuses"
    COMPILER = "the compiler refuses"
    RUNTIME = "the runtime refuses, or differs"


class Stopped(Exception):
    """A trial ended before the end; the cause says why."""

    def __init__(self, outcome: Outcome, why: str) -> None:
        super().__init__(why)
        self.outcome = outcome


@dataclass(frozen=True)
class Result:
    outcome: Outcome
    why: str = ""


@contextmanager
def _step(outcome: Outcome) -> Iterator[None]:
    """What fails inside is of that outcome."""
    try:
        yield
    except Exception as error:
        text = str(error).strip()
        raise Stopped(outcome, f"{type(error).__name__}: {text}") from error


def lower(program: torch.export.ExportedProgram) -> ExecutorchProgramManager:
    """For the portable kernels."""
    return to_edge(program).to_executorch()


def attempt(make: Callable[[], Subject], run_calls: Path, lower: Lower = lower) -> Result:
    """Compile what `make` makes and replay its calls with the program `run_calls`."""
    try:
        with _step(Outcome.MODEL):
            torch.manual_seed(1)
            subject = make()
            subject.module.eval()
            # Its state must be at the beginning when it is exported.
            expected = _eager(copy.deepcopy(subject.module), subject.calls)
        with _step(Outcome.EXPORT):
            program = torch.export.export(
                subject.module, subject.calls[0], dynamic_shapes=subject.dynamic_shapes, strict=subject.strict
            )
        with _step(Outcome.COMPILER):
            manager = lower(program)
        _replay(manager, subject.calls, expected, run_calls)
    except Stopped as stopped:
        return Result(stopped.outcome, str(stopped))
    return Result(Outcome.MATCHES)


def _eager(module: torch.nn.Module, calls: tuple[tuple[Any, ...], ...]) -> list[tuple[Any, ...]]:
    with torch.no_grad():
        return [tuple(_kept(value) for value in pytree.tree_leaves(module(*inputs))) for inputs in calls]


def _kept(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value


def _replay(
    manager: ExecutorchProgramManager, calls: tuple[tuple[Any, ...], ...], expected: list[tuple[Any, ...]], run: Path
) -> None:
    recorded = [
        Call(method="forward", inputs=tuple(pytree.tree_leaves(inputs)), outputs=outputs)
        for inputs, outputs in zip(calls, expected, strict=True)
    ]
    with tempfile.TemporaryDirectory() as folder:
        program, file = Path(folder, "program.pte"), Path(folder, "calls")
        with program.open("wb") as out:
            manager.write_to_file(out)
        file.write_bytes(write_calls(recorded))
        atol = max(TOLERANCE * _largest(expected), _VANISHING)
        done = subprocess.run(
            [run, program, file, f"--atol={atol}", "--rtol=0"], capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        raise Stopped(Outcome.RUNTIME, (done.stdout + done.stderr).strip())


def _largest(outputs: list[tuple[Any, ...]]) -> float:
    tensors = [each for call in outputs for each in call if isinstance(each, torch.Tensor) and each.numel()]
    return max((float(each.abs().max()) for each in tensors if each.is_floating_point()), default=1.0)

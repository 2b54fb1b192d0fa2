"""Compiles one architecture, and compares its results with eager PyTorch."""

from __future__ import annotations

import collections
import copy
import enum
import hashlib
import math
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils import _pytree as pytree

from executorch_runtime import Method, Program
from exir import ExecutorchProgramManager, to_edge, to_edge_transform_and_lower
from exir.schema import DelegateCall, KernelCall
from tests.architectures.architecture import Subject

Lower = Callable[[torch.export.ExportedProgram], ExecutorchProgramManager]

# Tolerance relative to the largest element. Outputs of subnormal size are ignored.
TOLERANCE = 2e-5
_VANISHING = torch.finfo(torch.float32).tiny


class Outcome(enum.Enum):
    """The outcome of a trial: success, or the stage that failed."""

    MATCHES = "runs as in eager PyTorch"
    MODEL = "the model does not run in eager PyTorch"
    EXPORT = "torch.export rejects the model"
    COMPILER = "the compiler rejects the model"
    RUNTIME = "the runtime rejects the program, or results differ"


class Stopped(Exception):
    """A trial that ended early; the message states the cause."""

    def __init__(self, outcome: Outcome, why: str) -> None:
        super().__init__(why)
        self.outcome = outcome


@dataclass(frozen=True)
class Result:
    """The result of a trial.

    error: the largest difference from eager PyTorch, relative to the largest output; None if it did not run.
    program: SHA-256 of the program; empty if the program did not run.
    calls: number of instructions by kernel or backend.
    """

    outcome: Outcome
    why: str = ""
    error: float | None = field(default=None, compare=False)
    program: str = field(default="", compare=False)
    calls: dict[str, int] = field(default_factory=dict, compare=False)


@contextmanager
def _step(outcome: Outcome) -> Iterator[None]:
    """Convert an exception to `Stopped` with this outcome."""
    try:
        yield
    except Exception as error:
        text = str(error).strip()
        raise Stopped(outcome, f"{type(error).__name__}: {text}") from error


def lower(program: torch.export.ExportedProgram) -> ExecutorchProgramManager:
    """Lower for the portable kernels."""
    return to_edge(program).to_executorch()


def lower_for_cpu(program: torch.export.ExportedProgram) -> ExecutorchProgramManager:
    """Lower for the CPU backend, with portable kernels for unsupported operators."""
    from backends.cpu.compiler.partitioner import CpuPartitioner

    return to_edge_transform_and_lower(program, partitioner=[CpuPartitioner()]).to_executorch()


def attempt(make: Callable[[], Subject], lower: Lower = lower, tolerance: float = TOLERANCE) -> Result:
    """Compile the model, run its calls on the C runtime, and compare the results."""
    try:
        with _step(Outcome.MODEL):
            torch.manual_seed(1)
            subject = make()
            subject.module.eval()
            # Copy the module, because its initial state is exported.
            expected = _eager(copy.deepcopy(subject.module), subject.calls)
        with _step(Outcome.EXPORT):
            program = torch.export.export(
                subject.module, subject.calls[0], dynamic_shapes=subject.dynamic_shapes, strict=subject.strict
            )
        with _step(Outcome.COMPILER):
            manager = lower(program)
        with _step(Outcome.RUNTIME):
            found = run_calls(manager, subject.calls)
            difference = _difference(found, expected)
    except Stopped as stopped:
        return Result(stopped.outcome, str(stopped))
    largest = _largest(expected)
    error = difference / largest if largest else difference
    matches = difference <= max(tolerance * largest, _VANISHING)
    outcome = Outcome.MATCHES if matches else Outcome.RUNTIME
    why = "" if matches else f"differs by {error:.1e} of the largest output"
    return Result(outcome, why, error, hashlib.sha256(manager.buffer).hexdigest(), _counted_calls(manager))


def _counted_calls(manager: ExecutorchProgramManager) -> dict[str, int]:
    """Return the number of instructions of all methods by kernel or backend."""
    counts: collections.Counter[str] = collections.Counter()
    for plan in manager.executorch_program.execution_plan:
        for instruction in (instruction for chain in plan.chains for instruction in chain.instructions):
            call = instruction.instr_args
            if isinstance(call, KernelCall):
                counts[plan.operators[call.op_index].full_name] += 1
            elif isinstance(call, DelegateCall):
                counts[str(plan.delegates[call.delegate_index].id)] += 1
    return dict(counts)


def _eager(module: torch.nn.Module, calls: tuple[tuple[Any, ...], ...]) -> list[tuple[Any, ...]]:
    with torch.no_grad():
        return [tuple(_detached(value) for value in pytree.tree_leaves(module(*inputs))) for inputs in calls]


def _detached(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value


def run_calls(manager: ExecutorchProgramManager, calls: tuple[tuple[Any, ...], ...]) -> list[list[Any]]:
    """Run calls on the C runtime. Return the outputs of each call, in order."""
    with tempfile.NamedTemporaryFile(suffix=".pte") as file:
        manager.write_to_file(file)
        file.flush()
        method = Program(file.name).method()
        return [_called(method, pytree.tree_leaves(inputs)) for inputs in calls]


def _called(method: Method, inputs: list[Any]) -> list[Any]:
    borrowed = [method.set_input(index, value) for index, value in enumerate(inputs)]
    method.execute()
    outputs = [_detached(value) for value in method.outputs(as_torch=True)]
    del borrowed
    return outputs


def _difference(found: list[list[Any]], expected: list[tuple[Any, ...]]) -> float:
    """Return the largest difference; infinity if integers differ.

    Raises `ValueError` for different shapes or dtypes.
    """
    differences = [0.0]
    for ours, theirs in zip(found, expected, strict=True):
        differences += [_between(a, b) for a, b in zip(ours, theirs, strict=True)]
    return max(differences)


def _between(found: Any, expected: Any) -> float:
    a, b = torch.as_tensor(found), torch.as_tensor(expected)
    if a.shape != b.shape or a.dtype != b.dtype:
        raise ValueError(f"{list(a.shape)} of {a.dtype}, but eager PyTorch returns {list(b.shape)} of {b.dtype}")
    if not (a.is_floating_point() or a.is_complex()):
        return 0.0 if torch.equal(a, b) else math.inf
    same = (a == b) | (a.isnan() & b.isnan())
    return float(torch.where(same, 0, (a - b).abs()).nan_to_num(math.inf).max()) if a.numel() else 0.0


def _largest(outputs: list[tuple[Any, ...]]) -> float:
    tensors = [tensor for call in outputs for tensor in call if isinstance(tensor, torch.Tensor) and tensor.numel()]
    return max((float(tensor.abs().max()) for tensor in tensors if tensor.is_floating_point()), default=1.0)

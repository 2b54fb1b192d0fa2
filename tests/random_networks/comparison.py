"""One network by our compiler, its program on the C runtime, and what eager PyTorch gives."""

from __future__ import annotations

import enum
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.export import Dim

from executorch_runtime import Program
from exir.bundle import Facts
from exir.cli.compile import Pipeline, export_methods, lower_programs
from exir.cli.config import CompilerConfig
from exir.cli.quantization import Quantization, quantize_methods
from exir.cli.reporting.calls import Call, QuantizedOutput, write_calls
from exir.cli.reporting.reference import record_calls
from exir.cli.reporting.steps import record_steps
from exir.error import ConfigError, ExirError
from exir.model_spec import ModelSpec
from exir.program import ExecutorchProgramManager
from tests.random_networks.network import Network

BACKENDS = ("kernels", "cpu")
_LARGEST_SIZE = 24
_CALIBRATION = 4

# Of the largest element of what eager gives. Where eager itself loses more to rounding, thirty times what it loses.
_TOLERANCE, _TIMES_EAGERS = 2e-5, 30
# Of weights or operands in few bits, rounding apart in one step may be several steps apart further on.
_TOLERANCE_OF_FEW_BITS = 0.03


class Outcome(enum.Enum):
    """How far a network came."""

    MATCHES = "matches eager PyTorch"
    NOT_EXPORTED = "torch.export refuses it"
    NOT_QUANTIZED = "the recipe has nothing to quantize"
    REFUSED = "the compiler refuses it"
    DIFFERS = "the runtime refuses it, or differs"
    CRASHED = "the process ended"

    @property
    def is_a_finding(self) -> bool:
        return self in (Outcome.REFUSED, Outcome.DIFFERS, Outcome.CRASHED)


@dataclass(frozen=True)
class Result:
    outcome: Outcome
    why: str = ""


class _Stopped(Exception):
    def __init__(self, outcome: Outcome, why: str) -> None:
        super().__init__(why)
        self.result = Result(outcome, why)


@contextmanager
def _stage(outcome: Outcome) -> Iterator[None]:
    """What fails inside is of that outcome."""
    try:
        yield
    except _Stopped:
        raise
    except Exception as error:
        raise _Stopped(outcome, f"{type(error).__name__}: {str(error).strip()}") from error


def compare(network: Network, backend: str) -> Result:
    """Compile for `backend` and run: the calls of a parity test, and on the CPU backend other instruction sets and two threads."""
    try:
        spec, programs = _exported(network)
        quantization = _quantized(network, spec, programs)
        with _stage(Outcome.REFUSED):
            given = quantization.programs if quantization is not None else programs
            manager = lower_programs(given, spec, _pipeline(backend))
        with _stage(Outcome.DIFFERS):
            calls = [_alone(each) for each in record_calls(spec, programs, quantization=quantization)]
            _check_calls(network, manager, calls, quantization)
            if backend == "cpu":
                _check_ways_of_the_cpu(network, manager, [each for each in calls if each.outputs], quantization)
    except _Stopped as stopped:
        return stopped.result
    return Result(Outcome.MATCHES)


def _exported(network: Network) -> tuple[ModelSpec, Any]:
    """With its open size where torch.export leaves it open, else with the sizes that it has."""
    for dynamic in [network.dynamic, None] if network.dynamic is not None else [None]:
        spec = _spec(replace(network, dynamic=dynamic))
        try:
            return spec, export_methods(spec)
        except Exception as error:
            refusal = error
    raise _Stopped(Outcome.NOT_EXPORTED, f"{type(refusal).__name__}: {refusal}")


def _spec(network: Network) -> ModelSpec:
    inputs = network.inputs()
    sizes = {network.dynamic: Dim("size", min=2, max=_LARGEST_SIZE)} if network.dynamic is not None else None
    generator = torch.Generator().manual_seed(network.seed + 1)
    measured = [tuple(torch.randn(each.shape, generator=generator) for each in inputs) for _ in range(_CALIBRATION)]
    return ModelSpec(
        module=network.module(),
        example_args=inputs,
        dynamic_shapes=None if sizes is None else (sizes,),
        calibration_inputs={"forward": measured} if network.recipe == "int8_static" else {},
    )


def _pipeline(backend: str) -> Pipeline:
    if backend == "kernels":
        return Pipeline(CompilerConfig())
    from backends.cpu.compiler.partitioner import CpuPartitioner

    return Pipeline(CompilerConfig(), partitioners=(CpuPartitioner(),), facts=Facts())


def _quantized(network: Network, spec: ModelSpec, programs: Any) -> Quantization | None:
    if not network.recipe:
        return None
    options = CompilerConfig(quantization={"recipe": network.recipe}).quantization_options()
    assert options is not None
    try:
        return quantize_methods(spec, programs, options, None)
    except ConfigError as error:
        raise _Stopped(Outcome.NOT_QUANTIZED, str(error)) from error
    except ExirError as error:
        raise _Stopped(Outcome.REFUSED, f"{type(error).__name__}: {error}") from error


def _alone(call: Call) -> Call:
    """Without what the float model gives: of few elements that are nearly zero the signs may be others."""
    outputs = (replace(each, real=None) if isinstance(each, QuantizedOutput) else each for each in call.outputs)
    return replace(call, outputs=tuple(outputs))


def _check_calls(
    network: Network, manager: ExecutorchProgramManager, calls: Sequence[Call], quantization: Quantization | None
) -> None:
    """Replays them; the first instruction that is not as in eager PyTorch is a part of what is said then."""
    steps = record_steps(manager, calls, False, quantization is not None)
    tolerances = _tolerances(network, calls, quantization)
    contents = {"net.pte": manager.buffer, "net.calls": write_calls(calls), "net.steps": write_calls(steps)}
    with tempfile.TemporaryDirectory() as folder:
        for name, content in contents.items():
            Path(folder, name).write_bytes(content)
        options = ["--atol=0", "--rtol=0", *(f"--output-atol={index}:{each}" for index, each in enumerate(tolerances))]
        command = [os.environ["RUN_CALLS"], *(str(Path(folder, name)) for name in contents), *options]
        found = result_of_replay(subprocess.run(command, capture_output=True, text=True, check=False))
    if found.outcome is not Outcome.MATCHES:
        raise _Stopped(found.outcome, found.why)


def result_of_replay(replay: subprocess.CompletedProcess[str]) -> Result:
    """What a run of `run_calls` says of a program."""
    if replay.returncode == 0:
        return Result(Outcome.MATCHES)
    outcome = Outcome.DIFFERS if replay.returncode == 1 else Outcome.CRASHED
    return Result(outcome, f"exit status {replay.returncode}\n{replay.stdout}{replay.stderr}")


def _tolerances(network: Network, calls: Sequence[Call], quantization: Quantization | None) -> list[float]:
    """Of each output, the largest error that is no finding."""
    compared = [call for call in calls if call.outputs]
    share = _TOLERANCE if quantization is None else _TOLERANCE_OF_FEW_BITS
    found = [share * max(_largest(call.outputs[index]) for call in compared) for index in range(len(network.outputs))]
    if quantization is None:
        for index, lost in enumerate(_lost_by_eager(network, compared)):
            found[index] = max(found[index], _TIMES_EAGERS * lost)
    return [max(each, torch.finfo(torch.float32).tiny) for each in found]


def _lost_by_eager(network: Network, calls: Sequence[Call]) -> list[float]:
    """How far float32 is from float64, for each output."""
    module, exact, lost = network.module(), network.module().double(), [0.0] * len(network.outputs)
    with torch.no_grad():
        for call in calls:
            try:
                better = _as_tuple(exact(*(each.double() for each in call.inputs)))
            except RuntimeError:
                continue  # it makes floats of 32 bits itself
            for index, (a, b) in enumerate(zip(_as_tuple(module(*call.inputs)), better, strict=True)):
                lost[index] = max(lost[index], _apart(a, b.float()))
    return lost


def _as_tuple(outputs: Any) -> tuple[Any, ...]:
    return outputs if isinstance(outputs, tuple) else (outputs,)


def _largest(output: Any) -> float:
    value = output.value if isinstance(output, QuantizedOutput) else output
    finite = value[torch.isfinite(value)]
    return float(finite.abs().max()) if finite.numel() else 1.0


def _apart(found: Tensor, expected: Tensor) -> float:
    """The largest difference; elements that are not finite must be the same, or it is infinite."""
    if found.shape != expected.shape:
        return float("inf")
    same = (found == expected) | (found.isnan() & expected.isnan())
    return (
        float(torch.where(same, 0, (found - expected).abs()).nan_to_num(float("inf")).max()) if found.numel() else 0.0
    )


def _check_ways_of_the_cpu(
    network: Network, manager: ExecutorchProgramManager, calls: Sequence[Call], quantization: Quantization | None
) -> None:
    """Two threads give the very bits of one; other instruction sets what eager PyTorch gives."""
    tolerances = _tolerances(network, calls, quantization)
    with tempfile.NamedTemporaryFile(suffix=".pte") as file:
        manager.write_to_file(file)
        file.flush()
        program = Program(file.name)
        one, two = _run(program, calls), _run(program, calls, threads=2)
        for number, (a, b) in enumerate(zip(one, two, strict=True)):
            if any(_apart(x, y) for x, y in zip(a, b, strict=True)):
                raise _Stopped(Outcome.DIFFERS, f"call {number}: two threads give other bits than one")
        if "CpuBackend" not in _backends(manager):
            return
        for isa in ("avx2", "plain"):
            outputs = _run(program, calls, backend_options={"CpuBackend": {"isa": isa}})
            _check_outputs(isa, outputs, calls, tolerances)


def _backends(manager: ExecutorchProgramManager) -> set[str]:
    return {each.id for plan in manager.executorch_program.execution_plan for each in plan.delegates}


def _run(program: Program, calls: Sequence[Call], **options: Any) -> list[list[Tensor]]:
    method = program.method("forward", **options)
    return [[each.clone() for each in method(*call.inputs)] for call in calls]


def _check_outputs(isa: str, found: list[list[Tensor]], calls: Sequence[Call], tolerances: list[float]) -> None:
    for number, (outputs, call) in enumerate(zip(found, calls, strict=True)):
        for index, (output, expected) in enumerate(zip(outputs, call.outputs, strict=True)):
            value = expected.value if isinstance(expected, QuantizedOutput) else expected
            error = _apart(output, value)
            if error > tolerances[index]:
                allowed = f"{error:.2e}, and {tolerances[index]:.2e} is allowed"
                raise _Stopped(Outcome.DIFFERS, f"{isa}: call {number}, output {index}: differs by {allowed}")

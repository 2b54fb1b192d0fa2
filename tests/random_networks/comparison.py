"""Compiles one network, and compares its results with eager PyTorch."""

from __future__ import annotations

import copy
import enum
import functools
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sympy
import torch
from torch import Tensor
from torch.export import Dim, ExportedProgram
from torch.utils._pytree import tree_leaves

from executorch_runtime import Program
from exir.cli.compile import Pipeline, export_methods, lower_programs
from exir.cli.config import CompilerConfig
from exir.cli.quantization import Quantization, quantize_methods
from exir.cli.reporting.calls import Call, QuantizedOutput, write_calls
from exir.cli.reporting.instruction_values import record_instruction_values
from exir.cli.reporting.reference import Further, record_calls
from exir.error import ConfigError, ModelError
from exir.graph.input_bounds import correct_ranges
from exir.graph.program_bundle import CompilationContext
from exir.model.spec import ModelSpec
from exir.program import ExecutorchProgramManager
from exir.verification.assumptions import input_conditions, line_of_condition
from exir.verification.sizes import satisfies_guards
from tests.random_networks.accuracy import check_sqnr
from tests.random_networks.eager_limits import (
    check_declared_sizes,
    cloned,
    is_finite,
    quantizable_calls,
    symbol_values,
)
from tests.random_networks.network import Network, Varying
from tests.random_networks.tolerances import max_error, tolerances_of, value_of

BACKENDS = ("kernels", "cpu")
_CALIBRATION = 4
_LOWERED_TWICE = 4
"""One of this many seeds is exported and lowered twice."""


class Outcome(enum.Enum):
    """The outcome of a comparison: success, or the stage that failed."""

    MATCHES = "matches eager PyTorch"
    NOT_EXPORTED = "torch.export rejects it"
    NOT_QUANTIZED = "the recipe has nothing to quantize"
    REFUSED = "the compiler rejects it"
    INACCURATE = "the quantized network is inaccurate"
    DIFFERS = "the runtime rejects it, or results differ"
    NOT_DETERMINISTIC = "two lowerings differ"
    CRASHED = "the process ended"

    @property
    def is_a_finding(self) -> bool:
        return self not in (Outcome.MATCHES, Outcome.NOT_EXPORTED, Outcome.NOT_QUANTIZED)


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
    """Convert an exception to this outcome."""
    try:
        yield
    except _Stopped:
        raise
    except Exception as error:
        raise _Stopped(outcome, f"{type(error).__name__}: {str(error).strip()}") from error


def compare(network: Network, backend: str) -> Result:
    """Compile for `backend`, and compare with eager PyTorch.

    The calls are those of a parity test, and calls with sizes and integers at the ends of their
    ranges. On the CPU backend, other instruction sets and two threads are also compared.
    """
    try:
        exported = export_network(network)
        manager, quantization = _lowered(exported, backend)
        if network.seed % _LOWERED_TWICE == 0:
            with _stage(Outcome.NOT_DETERMINISTIC):
                again, _ = _lowered(export_network.__wrapped__(exported.network), backend)
                if again.buffer != manager.buffer:
                    raise ValueError("two lowerings produce different bytes")
        with _stage(Outcome.DIFFERS):
            ends = [inputs for inputs in exported.ends if _takes_branches(manager, exported, inputs)]
            ends = ends if quantization is None else quantizable_calls(quantization, ends)
            further = Further(inputs={"forward": ends})
            calls = record_calls(exported.spec, exported.programs, quantization=quantization, further=further)
        if quantization is not None:
            with _stage(Outcome.INACCURATE):
                check_sqnr(exported.programs["forward"], exported.network.recipe, calls)
        with _stage(Outcome.DIFFERS):
            calls = [_without_float_outputs(call) for call in calls]
            tolerances = tolerances_of(exported.network, calls, quantization is not None)
            _check_calls(manager, calls, tolerances, quantization is not None)
            _check_bindings(manager, [call for call in calls if call.outputs], tolerances)
    except _Stopped as stopped:
        return stopped.result
    return Result(Outcome.MATCHES)


@dataclass(frozen=True)
class Exported:
    """An exported network.

    ends: inputs at the ends of the ranges that eager PyTorch accepts.
    """

    network: Network
    spec: ModelSpec
    programs: Mapping[str, ExportedProgram]
    ends: list[tuple[Any, ...]]


@functools.lru_cache(maxsize=1)
def export_network(network: Network) -> Exported:
    """Export a network with as many ranges as torch.export preserves.

    If the exported program differs from eager PyTorch at an end, the compiler cannot do better.
    """
    refusals = []
    for bounds in _with_fewer_ranges(network):
        try:
            spec = _spec(bounds)
            programs = export_methods(spec)
            correct_ranges(programs["forward"])
            return Exported(bounds, spec, programs, _accepted_ends(bounds, programs["forward"]))
        except Exception as error:
            refusals.append(f"{type(error).__name__}: {error}")
    raise _Stopped(Outcome.NOT_EXPORTED, refusals[-1])


def _with_fewer_ranges(network: Network) -> Iterator[Network]:
    """Yield the network as it is, with sizes from 2, with one range, and without.

    torch.export assumes that dynamic sizes are at least 2.
    """

    def from_two(varying: Varying) -> Varying:
        return replace(varying, low=min(max(varying.low, 2), varying.example))

    yield network
    if not network.dynamic and network.number is None:
        return
    higher = replace(
        network,
        dynamic=tuple((dimension, from_two(varying)) for dimension, varying in network.dynamic),
        number=None if network.number is None else from_two(network.number),
    )
    number = None if network.number is None else network.number.fixed()
    yield higher
    yield replace(higher, dynamic=())
    yield from (replace(higher, dynamic=(size,), number=number) for size in higher.dynamic)
    yield replace(network, dynamic=(), number=number)


def _accepted_ends(network: Network, program: ExportedProgram) -> list[tuple[Any, ...]]:
    """Return the accepted inputs at range ends.

    Raises `ValueError` if the exported program differs from the model there, in a result or in a size.
    """
    accepted: list[tuple[Any, ...]] = []
    model, traced = network.module(), program.module()
    with torch.no_grad():
        for inputs in network.inputs_at_ends():
            if not _within(program, inputs):
                continue
            try:
                expected = tree_leaves(copy.deepcopy(model)(*cloned(inputs)))
            except Exception:
                continue
            check_declared_sizes(program, inputs)
            found = tree_leaves(copy.deepcopy(traced)(*cloned(inputs)))
            for a, b in zip(found, expected, strict=True):
                torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-3, equal_nan=True)
            accepted.append(inputs)
    return accepted


def _within(program: ExportedProgram, inputs: Sequence[Any]) -> bool:
    """Return true if the program is valid for the sizes and integers of `inputs`.

    Ranges can be narrower than declared.
    """
    values = symbol_values(program, inputs)
    ranges = program.range_constraints
    return satisfies_guards(program, values) and all(
        ranges[symbol].lower <= size <= ranges[symbol].upper for symbol, size in values.items() if symbol in ranges
    )


def _takes_branches(manager: ExecutorchProgramManager, exported: Exported, inputs: Sequence[Any]) -> bool:
    """Return true if `inputs` take the branches of Python code that were traced."""
    lowered = manager.exported_program()
    values = symbol_values(exported.programs["forward"], inputs)
    branches = (condition for condition in input_conditions(lowered) if line_of_condition(lowered, condition))
    return all(branch.xreplace(values) != sympy.false for branch in branches)


def _spec(network: Network) -> ModelSpec:
    inputs = network.inputs()
    shapes: list[Any] = [
        {
            dimension: Dim(f"size{dimension}", min=varying.low, max=varying.high)
            for dimension, varying in network.dynamic
        }
        or None
    ]
    if network.number is not None:
        varies = network.number.high > network.number.low
        shapes.append(Dim.DYNAMIC(min=network.number.low, max=network.number.high) if varies else None)
    generator = torch.Generator().manual_seed(network.seed + 1)
    measured = [tuple(_random_like(value, generator) for value in inputs) for _ in range(_CALIBRATION)]
    return ModelSpec(
        module=network.module(),
        example_args=inputs,
        dynamic_shapes=tuple(shapes) if any(shape is not None for shape in shapes) else None,
        calibration_inputs={"forward": measured} if network.recipe == "int8_static" else {},
    )


def _random_like(value: Any, generator: torch.Generator) -> Any:
    if not isinstance(value, Tensor):
        return value
    if value.is_floating_point():
        return torch.randn(value.shape, generator=generator)
    return torch.randint(0, 2, value.shape, generator=generator).to(value.dtype)


def _lowered(exported: Exported, backend: str) -> tuple[ExecutorchProgramManager, Quantization | None]:
    quantization = quantize_network(exported)
    given = quantization.programs if quantization is not None else exported.programs
    with _stage(Outcome.REFUSED):
        manager = lower_programs(given, exported.spec, _pipeline(backend))
        _ = manager.buffer
    return manager, quantization


def _pipeline(backend: str) -> Pipeline:
    if backend == "kernels":
        return Pipeline(CompilerConfig())
    from backends.cpu.compiler.partitioner import CpuPartitioner

    return Pipeline(CompilerConfig(), partitioners=(CpuPartitioner(),), context=CompilationContext())


def quantize_network(exported: Exported) -> Quantization | None:
    """Quantize with the network's recipe; the result is None if it has no recipe."""
    recipe = exported.network.recipe
    if not recipe:
        return None
    options = CompilerConfig(quantization={"recipe": recipe}).quantization_options()
    assert options is not None
    try:
        return quantize_methods(exported.spec, exported.programs, options, None)
    except ConfigError as error:
        raise _Stopped(Outcome.NOT_QUANTIZED, str(error)) from error
    except Exception as error:
        reason = _limit_of_calibration(exported, str(error)) if isinstance(error, ModelError) else None
        if reason is not None:
            raise _Stopped(Outcome.NOT_QUANTIZED, f"{reason}: {error}") from error
        raise _Stopped(Outcome.REFUSED, f"{type(error).__name__}: {error}") from error


def _limit_of_calibration(exported: Exported, message: str) -> str | None:
    """Return why calibration cannot succeed, or None if it should.

    An empty input has static sizes, so the network has no calibration call with elements.
    """
    calls: Any = exported.spec.calibration_inputs.get("forward", ())
    if "of a calibration call is empty" in message and exported.network.inputs()[0].numel() == 0:
        return "the input is empty"
    if "not finite" in message and not is_finite(exported.programs["forward"], calls):
        return "eager PyTorch is not finite"
    return None


def _without_float_outputs(call: Call) -> Call:
    """Return the call without the float model's outputs.

    Their small values can differ in sign.
    """
    outputs = (replace(output, real=None) if isinstance(output, QuantizedOutput) else output for output in call.outputs)
    return replace(call, outputs=tuple(outputs))


def _check_calls(
    manager: ExecutorchProgramManager, calls: Sequence[Call], tolerances: Sequence[float], quantized: bool
) -> None:
    """Replay calls; the error names the first instruction that differs."""
    steps = record_instruction_values(manager, calls, False, quantized)
    contents = {"net.pte": manager.buffer, "net.calls": write_calls(calls), "net.steps": write_calls(steps)}
    with tempfile.TemporaryDirectory() as folder:
        for name, content in contents.items():
            Path(folder, name).write_bytes(content)
        options = [
            "--atol=0",
            "--rtol=0",
            *(f"--output-atol={index}:{tolerance}" for index, tolerance in enumerate(tolerances)),
        ]
        command = [os.environ["RUN_CALLS"], *(str(Path(folder, name)) for name in contents), *options]
        found = result_of_replay(subprocess.run(command, capture_output=True, text=True, check=False))
    if found.outcome is not Outcome.MATCHES:
        raise _Stopped(found.outcome, found.why)


def result_of_replay(replay: subprocess.CompletedProcess[str]) -> Result:
    """Return the result of a run of `run_calls`."""
    if replay.returncode == 0:
        return Result(Outcome.MATCHES)
    outcome = Outcome.DIFFERS if replay.returncode == 1 else Outcome.CRASHED
    return Result(outcome, f"exit status {replay.returncode}\n{replay.stdout}{replay.stderr}")


def _check_bindings(manager: ExecutorchProgramManager, calls: Sequence[Call], tolerances: Sequence[float]) -> None:
    """Compare the Python bindings with eager PyTorch.

    On the CPU backend, two threads and other instruction sets are also compared.
    """
    with tempfile.NamedTemporaryFile(suffix=".pte") as file:
        manager.write_to_file(file)
        file.flush()
        program = Program(file.name)
        one = _outputs_of_calls(program, calls)
        _check_outputs("bindings", one, calls, tolerances)
        if "CpuBackend" not in _backends(manager):
            return
        two = _outputs_of_calls(program, calls, threads=2)
        for number, (a, b) in enumerate(zip(one, two, strict=True)):
            if any(max_error(x, y) for x, y in zip(a, b, strict=True)):
                raise _Stopped(Outcome.DIFFERS, f"call {number}: two threads and one thread produce different bits")
        for isa in ("avx2", "plain"):
            outputs = _outputs_of_calls(program, calls, backend_options={"CpuBackend": {"isa": isa}})
            _check_outputs(isa, outputs, calls, tolerances)


def _backends(manager: ExecutorchProgramManager) -> set[str]:
    return {delegate.id for plan in manager.executorch_program.execution_plan for delegate in plan.delegates}


def _outputs_of_calls(program: Program, calls: Sequence[Call], **options: Any) -> list[list[Tensor]]:
    method = program.method("forward", **options)
    return [[torch.as_tensor(output).clone() for output in method(*call.inputs)] for call in calls]


def _check_outputs(way: str, found: list[list[Tensor]], calls: Sequence[Call], tolerances: Sequence[float]) -> None:
    for number, (outputs, call) in enumerate(zip(found, calls, strict=True)):
        for index, (output, expected) in enumerate(zip(outputs, call.outputs, strict=True)):
            error = max_error(output, value_of(expected))
            if error > tolerances[index]:
                allowed = f"{error:.2e}, and {tolerances[index]:.2e} is allowed"
                raise _Stopped(Outcome.DIFFERS, f"{way}: call {number}, output {index}: differs by {allowed}")

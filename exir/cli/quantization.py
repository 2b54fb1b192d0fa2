"""Quantizing the methods of a model as the options say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch.export import ExportedProgram

from exir.calibration import Calls, first_calls
from exir.cli.loading.calibration import calls_of
from exir.error import ExirError
from exir.model_spec import ModelSpec
from exir.quantize import Decision, QuantizationOptions, Quantized, quantize_program


@dataclass(frozen=True)
class Quantization:
    """What quantizing made of a model's methods, by name.

    programs: quantized. decisions: of each operator that computes floats.
    calls: inputs that the ranges are measured on.
    """

    options: QuantizationOptions
    programs: Mapping[str, ExportedProgram]
    decisions: Mapping[str, Sequence[Decision]] = field(default_factory=dict)
    calls: Mapping[str, Sequence[tuple[Any, ...]]] = field(default_factory=dict)


def quantize_methods(
    spec: ModelSpec,
    programs: Mapping[str, ExportedProgram],
    options: QuantizationOptions,
    file: Path | None,
) -> Quantization:
    """Every method quantized; ranges are measured on the inputs in `file`, else on those of the model."""
    given: Mapping[str, Calls] = (
        calls_of(file, programs) if file is not None else spec.calibration_inputs
    )
    most = options.calibration_batches
    calls = {name: first_calls(given.get(name, ()), most) for name in programs}
    made = {
        name: _quantize(name, spec, program, options, calls[name]) for name, program in programs.items()
    }
    return Quantization(
        options,
        {name: each.program for name, each in made.items()},
        {name: each.decisions for name, each in made.items()},
        calls,
    )


def _quantize(
    name: str,
    spec: ModelSpec,
    program: ExportedProgram,
    options: QuantizationOptions,
    calls: Sequence[tuple[Any, ...]],
) -> Quantized:
    shapes = spec.resolved_methods()[name].dynamic_shapes
    try:
        return quantize_program(program, options, calls, shapes)
    except ExirError as error:
        raise type(error)(f"method '{name}': {error}") from error

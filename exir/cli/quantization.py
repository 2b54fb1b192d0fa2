"""Quantize the methods of a model as the options specify."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from torch.export import ExportedProgram

from exir.cli.loading.calibration import calls_of
from exir.error import ConfigError, ExirError
from exir.graph.program_bundle import Calls, first_calls
from exir.model.module_copy import copy_modules
from exir.model.spec import ModelSpec
from exir.passes.quantize_io_pass import (
    InputOutputQuantization,
    config_methods,
    dequantized_outputs,
    quantize_input,
    quantize_output,
    quantized_inputs,
)
from exir.quantize import (
    Decision,
    QuantizationOptions,
    Quantized,
    decisions_of,
    is_quantized,
    notes_on,
    quantize_program,
    quantize_weights,
)

# The quantization parameters of a method's inputs or outputs, by index.
IoParams = Mapping[int, InputOutputQuantization]


@dataclass(frozen=True)
class Quantization:
    """The quantized methods of a model, by name.

    programs: the quantized programs.
    decisions: the decision for each operator that computes in float.
    calls: the inputs that ranges were measured on.
    inputs, outputs: quantization parameters of inputs and outputs that callers pass as quantized
        tensors, by index.
    """

    options: QuantizationOptions
    programs: Mapping[str, ExportedProgram]
    decisions: Mapping[str, Sequence[Decision]] = field(default_factory=dict)
    calls: Mapping[str, Sequence[tuple[Any, ...]]] = field(default_factory=dict)
    inputs: Mapping[str, IoParams] = field(default_factory=dict)
    outputs: Mapping[str, IoParams] = field(default_factory=dict)

    @property
    def notes(self) -> list[str]:
        """The notes for the user about unexpected decisions."""
        return [
            f"method '{name}': {note}"
            for name, decisions in sorted(self.decisions.items())
            for note in notes_on(decisions, self.options)
        ]

    @property
    def constant_methods(self) -> dict[str, Any]:
        """Constant methods that return the quantization parameters of inputs and outputs."""
        getters: dict[str, Any] = {}
        for kind, methods in (("input", self.inputs), ("output", self.outputs)):
            for method, found in methods.items():
                for index, params in found.items():
                    getters |= config_methods(method, kind, index, params)
        return getters


def quantize_methods(
    spec: ModelSpec,
    programs: Mapping[str, ExportedProgram],
    options: QuantizationOptions,
    file: Path | None,
) -> Quantization:
    """Quantize every method.

    Ranges are measured on the inputs in `file`, otherwise on the calibration inputs of the model.
    """
    provided_calls: Mapping[str, Calls] = (
        calls_of(file, programs) if file is not None else spec.calibration_inputs
    )
    most = options.calibration_batches
    calls = {name: first_calls(provided_calls.get(name, ()), most) for name in programs}
    static = options.how.needs_calibration
    quantized = (
        _quantize_by_ranges(programs, options, calls)
        if static
        else _quantize_weights(spec, programs, options)
    )
    return Quantization(
        options,
        {name: program.program for name, program in quantized.items()},
        {name: program.decisions for name, program in quantized.items()},
        calls,
        {name: _quantize_inputs(name, program.program, options) for name, program in quantized.items()},
        {name: _quantize_outputs(name, program.program, options) for name, program in quantized.items()},
    )


def _quantize_inputs(name: str, program: ExportedProgram, options: QuantizationOptions) -> IoParams:
    """Quantize inputs if the options request it, and return their parameters."""
    found = quantized_inputs(program) if options.quantize_inputs else []
    if options.quantize_inputs and not found:
        raise ConfigError(
            f"'quantize_inputs': method '{name}' does not start by quantizing an input; "
            "remove the option"
        )
    return {index: quantize_input(program, index) for index in found}


def _quantize_outputs(name: str, program: ExportedProgram, options: QuantizationOptions) -> IoParams:
    """Quantize outputs if the options request it, and return their parameters."""
    found = dequantized_outputs(program) if options.quantize_outputs else []
    if options.quantize_outputs and not found:
        raise ConfigError(
            f"'quantize_outputs': method '{name}' does not end by dequantizing an output; remove the "
            "option"
        )
    return {index: quantize_output(program, index) for index in found}


def _quantize_by_ranges(
    programs: Mapping[str, ExportedProgram],
    options: QuantizationOptions,
    calls: Mapping[str, Sequence[tuple[Any, ...]]],
) -> dict[str, Quantized]:
    quantized = {}
    for name, program in programs.items():
        try:
            quantized[name] = quantize_program(program, options, calls[name])
        except ExirError as error:
            raise type(error)(f"method '{name}': {error}") from error
    return quantized


def _quantize_weights(
    spec: ModelSpec, programs: Mapping[str, ExportedProgram], options: QuantizationOptions
) -> dict[str, Quantized]:
    if any(map(is_quantized, programs.values())):
        return {name: Quantized(program, ()) for name, program in programs.items()}
    methods = spec.resolved_methods()
    # Copy all modules at once, so that the copies share the same tensors.
    modules = copy_modules({id(method.module): method.module for method in methods.values()})
    reasons = {key: quantize_weights(module, options) for key, module in modules.items()}
    quantized = {}
    for name, method in methods.items():
        key = id(method.module)
        program = replace(method, module=modules[key]).export()
        quantized[name] = Quantized(program, decisions_of(program, options, reasons[key]))
    return quantized

"""Run one compilation, from its command line to its output files."""

import io
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from torch.export import ExportedProgram

from exir.cli.arguments import Arguments, expand_params_file, parse_arguments, target_of
from exir.cli.compile import (
    Pipeline,
    bound_shapes,
    export_methods,
    lower_programs,
    owning_programs,
)
from exir.cli.config import CompilerConfig, load_config
from exir.cli.loading.calibration import calls_of
from exir.cli.loading.import_roots import use_import_roots
from exir.cli.loading.load_model import entry_point_line, load_model
from exir.cli.loading.references import make_partitioners, make_passes
from exir.cli.quantization import Quantization, quantize_methods
from exir.cli.reporting.calls import Call, write_calls
from exir.cli.reporting.fallback import check_fallback, check_kernels
from exir.cli.reporting.instruction_values import record_instruction_values
from exir.cli.reporting.manifest import render_manifest
from exir.cli.reporting.messages import EXIT_OK, explain
from exir.cli.reporting.reference import Further, record_calls
from exir.cli.worker.environment import pin_torch
from exir.error import ConfigError
from exir.files.atomic import Write, write_outputs
from exir.graph.program_bundle import CompilationContext
from exir.inspection.kernels import load_tables
from exir.model.spec import ModelSpec
from exir.program import ExecutorchProgramManager


def compile_command_line(argv: list[str]) -> int:
    """Run the compilation that the flags describe, and return its exit code.

    On failure, one message is printed.
    """
    roots: tuple[Path, ...] = ()
    reports = _ReportStream()
    try:
        argv = expand_params_file(argv)
        arguments = parse_arguments(argv)
        roots = arguments.import_roots
        run(arguments, reports)
    except Exception as error:
        text, exit_code = explain(error, target_of(argv), "--traceback" in argv, roots)
        reports.write(text)
        return exit_code
    return EXIT_OK


class _ReportStream:
    """The error stream for compiler messages, even if the model replaces `sys.stderr`."""

    def __init__(self) -> None:
        self._stream = sys.stderr

    def write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except ValueError:  # the model closed the stream
            os.write(2, text.encode(errors="replace"))


def run(arguments: Arguments, reports: _ReportStream) -> None:
    """Compile and write all requested outputs. On failure, none is written."""
    pin_torch()
    use_import_roots(arguments.import_roots)
    pipeline = _make_pipeline(arguments)
    spec = load_model(arguments)
    programs = export_methods(spec, arguments.import_roots, entry_point_line(arguments))
    for note in bound_shapes(programs, pipeline.config):
        reports.write(f"note: {note}\n")
    quantization = _quantize_programs(arguments, spec, programs, pipeline)
    for note in quantization.notes if quantization is not None else ():
        reports.write(f"note: {note}\n")
    if not arguments.wants_reference and arguments.out_debug_record is None and quantization is None:
        pipeline = owning_programs(pipeline, spec)
    manager = _lower_programs(arguments, programs, spec, pipeline, quantization, reports)
    outputs = (
        _program_outputs(arguments, manager, pipeline, quantization, spec) if manager is not None else {}
    )
    calls = _record_reference(arguments, spec, programs, quantization)
    if arguments.out_reference is not None:
        outputs[arguments.out_reference] = _bytes_writer(write_calls(calls))
    if arguments.out_instruction_values is not None and manager is not None:
        shares = bool(pipeline.config.memory_planning.get("share_mutable_buffers"))
        values = record_instruction_values(manager, calls, shares, quantization is not None)
        outputs[arguments.out_instruction_values] = _bytes_writer(write_calls(values))
    write_outputs(outputs)


def _record_reference(
    arguments: Arguments,
    spec: ModelSpec,
    programs: Mapping[str, ExportedProgram],
    quantization: Quantization | None,
) -> list[Call]:
    """Return reference calls of eager PyTorch, if a requested output needs them."""
    if not arguments.wants_reference:
        return []
    inputs_file = arguments.reference_inputs
    inputs = calls_of(inputs_file, programs) if inputs_file is not None else {}
    further = Further(inputs, arguments.sweep, arguments.sweep_seed)
    return record_calls(spec, programs, arguments.import_roots, quantization, further)


def _bytes_writer(content: bytes) -> Write:
    return lambda file: file.write(content)


def _make_pipeline(arguments: Arguments) -> Pipeline:
    config, roots = load_config(arguments), arguments.import_roots
    _check_quantization(arguments, config)
    operators, kernels = load_tables(arguments.operators, arguments.kernels)
    return Pipeline(
        context=CompilationContext(operators, kernels, config.target),
        config=config,
        partitioners=tuple(make_partitioners(arguments.backends, config, roots)),
        edge_passes=tuple(make_passes(config.passes.get("edge", []), config, roots)),
        executorch_passes=tuple(make_passes(config.passes.get("executorch", []), config, roots)),
        external_weights=arguments.external_weights,
    )


def _check_quantization(arguments: Arguments, config: CompilerConfig) -> None:
    """Raise `ConfigError` for invalid options, before the model is loaded."""
    if config.quantization_options() is None and arguments.calibration is not None:
        raise ConfigError(
            f"{arguments.calibration}: calibration inputs need a recipe, but {config.origin} has no"
            " [quantization] section; add one, or remove 'calibration'"
        )


def _quantize_programs(
    arguments: Arguments, spec: ModelSpec, programs: Mapping[str, ExportedProgram], pipeline: Pipeline
) -> Quantization | None:
    options = pipeline.config.quantization_options()
    if options is None:
        return None
    return quantize_methods(spec, programs, options, arguments.calibration)


def _lower_programs(
    arguments: Arguments,
    programs: Mapping[str, ExportedProgram],
    spec: ModelSpec,
    pipeline: Pipeline,
    quantization: Quantization | None,
    reports: _ReportStream,
) -> ExecutorchProgramManager | None:
    """Lower and check the program. Returns None if no output needs it."""
    if not arguments.wants_program:
        return None
    if quantization is not None:
        constants = {**spec.constant_methods, **quantization.constant_methods}
        programs, spec = quantization.programs, replace(spec, constant_methods=constants)
    manager = lower_programs(programs, spec, pipeline, record=arguments.out_debug_record is not None)
    _check_external(arguments, manager)
    table = pipeline.context.kernels
    if table is not None:
        check_kernels(manager, table)
    if arguments.allow_fallback is not None:
        check_fallback(manager, arguments.allow_fallback)
    for message in pipeline.context.diagnostics.messages:
        reports.write(f"note: {message}\n")
    return manager


def _program_outputs(
    arguments: Arguments,
    manager: ExecutorchProgramManager,
    pipeline: Pipeline,
    quantization: Quantization | None,
    spec: ModelSpec,
) -> dict[Path, Write]:
    """Return the output files that are derived from the lowered program."""
    outputs: dict[Path, Write] = {}
    if arguments.out_pte is not None:
        outputs[arguments.out_pte] = manager.write_to_file
    if arguments.out_weights is not None:
        outputs[arguments.out_weights] = manager.merged_external_data.write_to_file
    if arguments.out_manifest is not None:
        manifest = render_manifest(arguments, manager, pipeline.context.kernels, quantization, spec)
        outputs[arguments.out_manifest] = _bytes_writer(manifest.encode())
    if arguments.out_dump is not None:
        outputs[arguments.out_dump] = _bytes_writer(_dump_program(manager).encode())
    if arguments.out_debug_record is not None:
        outputs[arguments.out_debug_record] = manager.get_etrecord().save
    if arguments.out_sources is not None:
        sources = json.dumps(manager.instruction_sources, indent=1) + "\n"
        outputs[arguments.out_sources] = _bytes_writer(sources.encode())
    return outputs


def _check_external(arguments: Arguments, manager: ExecutorchProgramManager) -> None:
    """Raise `ConfigError` if external data would be lost."""
    if manager.external_data and not arguments.external_weights:
        raise ConfigError(
            f"a backend stores data in {', '.join(manager.external_data)} outside the program; set "
            "external_weights = True"
        )


def _dump_program(manager: ExecutorchProgramManager) -> str:
    text = io.StringIO()
    for name in sorted(manager.methods):
        print(f"method {name}\n\n{manager.exported_program(name).graph}\n", file=text)
    manager.dump_executorch_program(out=text)
    return text.getvalue()

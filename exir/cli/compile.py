"""The compilation of a model: export, edge dialect, delegation, lowering."""

import contextlib
import gc
import io
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from torch import nn
from torch.export import ExportedProgram
from torch.fx import GraphModule

from exir.backend.partitioner import Partitioner
from exir.capture import ExecutorchBackendConfig
from exir.cli.config import CompilerConfig
from exir.cli.loading.check_modules import check_modules
from exir.cli.loading.user_code import describe, user_lines
from exir.cli.reporting.advice import advice_on, advice_on_inputs
from exir.cli.reporting.guards import lines_of_guards
from exir.error import ConfigError, ExirError, ModelError
from exir.graph.constants import mark_exchangeable
from exir.graph.input_bounds import bound_inputs, open_dimensions
from exir.graph.program_bundle import CompilationContext
from exir.model.spec import Method, ModelSpec
from exir.pass_manager import PassType
from exir.passes.external_constants_pass import DEFAULT_FILE
from exir.program import ExecutorchProgramManager, to_edge_transform_and_lower


@dataclass(frozen=True)
class Pipeline:
    """The settings of a compilation.

    config: the options.
    partitioners: the backends' partitioners, in order of preference.
    edge_passes, executorch_passes: the user's passes of both stages.
    context: the context that passes can read.
    external_weights: store weights in a separate file next to the program: those that the model
      names as exchangeable or, if it names none, all.
    """

    config: CompilerConfig = field(default_factory=CompilerConfig)
    partitioners: tuple[Partitioner, ...] = ()
    edge_passes: tuple[PassType, ...] = ()
    executorch_passes: tuple[PassType, ...] = ()
    context: CompilationContext = field(default_factory=CompilationContext)
    external_weights: bool = False

    def executorch_config(self, spec: ModelSpec) -> ExecutorchBackendConfig:
        """Return the options of `to_executorch`."""
        config = self.config.executorch_config(list(self.executorch_passes))
        if not self.external_weights or spec.exchangeable:
            return config
        return replace(
            config, external_constants=True, external_content_keys=True, external_named_data=True
        )


def export_methods(
    spec: ModelSpec, roots: tuple[Path, ...] = (), entry_point: str = ""
) -> dict[str, ExportedProgram]:
    """Export every method.

    entry_point: source line for errors that have no line of the model.

    Raises a `ModelError` with the user's source line and torch's shortened reason.
    """
    programs = {}
    _set_eval_mode(spec.module)
    for name, method in spec.resolved_methods().items():
        _set_eval_mode(method.module)
        check_modules(method.module)
        programs[name] = _export_method(name, method, roots, entry_point)
    return programs


def _set_eval_mode(module: nn.Module) -> None:
    """Put a module into eval mode. Exported graphs have no modes and are unchanged."""
    if not isinstance(module, GraphModule):
        module.eval()


def _export_method(
    name: str, method: Method, roots: tuple[Path, ...], entry_point: str
) -> ExportedProgram:
    """Export a method.

    Output to stderr is discarded if the export fails, because torch then prints graphs.
    """
    printed = io.StringIO()
    try:
        with contextlib.redirect_stderr(printed):
            program = method.export()
    except ExirError:
        raise
    except Exception as error:
        reason = describe(error, roots)
        if entry_point and not user_lines(error, roots):
            reason += f"\n    {entry_point}"
        advice = advice_on(error) + lines_of_guards(error, method.export, roots)
        advice = advice or advice_on_inputs(error, method)
        raise ModelError(f"method '{name}' cannot be exported: {reason}{advice}") from error
    sys.stderr.write(printed.getvalue())
    return program


def bound_shapes(programs: Mapping[str, ExportedProgram], config: CompilerConfig) -> list[str]:
    """Bound the dimensions that have no upper bound, and return notes.

    Bounds come from `[shapes]`, otherwise from the example inputs. The notes list the dimensions
    bounded by example inputs. Raises `ConfigError` for an entry of `[shapes]` that no dimension
    uses.
    """
    bounds = {
        f"{prefix}{dimension.name}"
        for name, program in programs.items()
        for dimension in open_dimensions(program)
        for prefix in ("", f"{name}.")
    }
    unknown = sorted(config.shapes.keys() - bounds)
    if unknown:
        raise ConfigError(
            f"{config.origin}: [shapes] '{unknown[0]}' is not a dimension without an upper bound; "
            f"such dimensions: {', '.join(sorted(bounds)) or 'none'}"
        )
    return [
        note
        for name, program in programs.items()
        for note in bound_inputs(program, _bounds_of(name, config.shapes))
    ]


def _bounds_of(method: str, shapes: Mapping[str, int]) -> dict[str, int]:
    method_bounds = {
        key.removeprefix(f"{method}."): bound
        for key, bound in shapes.items()
        if key.startswith(f"{method}.")
    }
    return {**shapes, **method_bounds}


def owning_programs(pipeline: Pipeline, spec: ModelSpec) -> Pipeline:
    """Free the weights of the model's modules, which must not be used afterwards.

    The returned pipeline also lets lowering free the exported programs.
    """
    for module in spec.module.modules():
        # The tables of a ScriptModule are not Python dicts.
        if isinstance(module, torch.jit.ScriptModule):
            continue
        module._parameters.clear()
        module._buffers.clear()
    # torch.export leaves reference cycles that keep weights alive.
    gc.collect()
    return replace(pipeline, context=replace(pipeline.context, owns_programs=True))


def lower_programs(
    programs: Mapping[str, ExportedProgram], spec: ModelSpec, pipeline: Pipeline, record: bool = False
) -> ExecutorchProgramManager:
    """Lower exported programs. Raises a `UserError` for unsupported programs.

    record: keep the debug record (`ExecutorchProgramManager.get_etrecord`).
    """
    if pipeline.external_weights:
        mark_exchangeable(programs, spec.exchangeable, DEFAULT_FILE)
    edge = to_edge_transform_and_lower(
        dict(programs),
        transform_passes=list(pipeline.edge_passes),
        partitioner=list(pipeline.partitioners),
        constant_methods=dict(spec.constant_methods),
        compile_config=pipeline.config.edge_config(),
        context=replace(pipeline.context, calibration_inputs=spec.calibration_inputs),
        generate_etrecord=record,
    )
    return edge.to_executorch(pipeline.executorch_config(spec))

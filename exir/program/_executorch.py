"""The last stage: lower edge programs to the program of a `.pte` file."""

import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from pprint import pformat
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from torch.export import ExportedProgram
from torch.fx import Node

from exir import schema
from exir._serialize import PTEFile, SerializedProgram, serialize_ptd, serialize_pte_binary
from exir.capture import ExecutorchBackendConfig
from exir.emit import EmitOptions, EmitterOutput, emit_program
from exir.error import ConfigError
from exir.files.atomic import write_files
from exir.graph.private_symbols import private_copies
from exir.graph.program_bundle import CompilationContext, ProgramBundle, Warned
from exir.graph.program_copy import copy_program
from exir.pass_manager import PassType, as_bundle_pass, pass_name, run_bundle
from exir.passes.distinct_outputs_pass import DistinctOutputsPass
from exir.passes.external_constants_pass import DEFAULT_FILE, ExternalConstantsPass
from exir.passes.fuse_dynamic_layers import FuseDynamicLayers
from exir.passes.fuse_int8 import FuseInt8
from exir.passes.insert_write_back_for_buffers_pass import InsertWriteBackForBuffersPass
from exir.passes.leave_inputs import LeaveInputs
from exir.passes.memory_planning_pass import MemoryPlanningPass
from exir.passes.pack_low_bit_weights import PackLowBitWeights
from exir.passes.replace_view_copy_with_view_pass import ReplaceViewCopyWithViewPass
from exir.passes.row_major_operands import RowMajorOperands
from exir.passes.spec_prop_pass import SpecPropPass
from exir.passes.to_out_var_pass import ToOutVarPass
from exir.passes.wide_parameters import WideParameters
from exir.planning.plan_verifier import verify_memory_plan
from exir.print_program import print_program
from exir.program import debug_maps
from exir.program.instruction_sources import sources_content
from exir.program.report import LoweringReport, lowering_report
from exir.verification.lowered import verify_lowered
from exir.verification.unshared_reads import note_unshared_reads

if TYPE_CHECKING:
    from exir.debug.record import ETRecord


def to_executorch(
    edge_programs: Mapping[str, ExportedProgram],
    constant_methods: Mapping[str, Any] | None = None,
    config: ExecutorchBackendConfig | None = None,
    context: CompilationContext | None = None,
) -> "ExecutorchProgramManager":
    """Lower the methods of `edge_programs` to one program.

    The edge programs are not changed. Raises a `UserError` if the `.pte` format cannot express an
    operator, a value or an option.
    """
    config = config or ExecutorchBackendConfig()
    programs = {name: edge_programs[name] for name in sorted(edge_programs)}
    if config.passes:  # User passes can specialize symbolic sizes.
        programs = private_copies(programs)
    else:
        programs = {name: copy_program(program) for name, program in programs.items()}
    bundle = ProgramBundle(
        programs, dict(constant_methods or {}), context or CompilationContext(diagnostics=Warned())
    )
    bundle = run_bundle(bundle, config.passes, verify_lowered)
    copied = {name for name in bundle.programs if not _shares_buffers(config, name)}
    note_unshared_reads(bundle.programs, copied, bundle.context.diagnostics)
    bundle = run_bundle(bundle, _built_in(config, list(bundle.programs), bundle.context), verify_lowered)
    return ExecutorchProgramManager(_plan_memory(bundle, config), config)


def _built_in(
    config: ExecutorchBackendConfig, methods: list[str], context: CompilationContext
) -> list[PassType]:
    """Return the passes that run on the methods before memory planning."""
    each_method = [
        as_bundle_pass(pass_, (name,))
        for name in methods
        for pass_ in _method_passes(config, name, context)
    ]
    borrowed = tuple(name for name in methods if not _plans_inputs(config, name))
    return [LeaveInputs(borrowed), *each_method]


def _plans_inputs(config: ExecutorchBackendConfig, name: str) -> bool:
    return getattr(_planning_pass(config, name), "alloc_graph_input", True)


def _method_passes(
    config: ExecutorchBackendConfig, name: str, context: CompilationContext
) -> list[PassType]:
    planner = _planning_pass(config, name)
    # If the planner skips the inputs or outputs, the caller provides their memory.
    gives_outputs = not getattr(planner, "alloc_graph_output", True)
    gives_inputs = not _plans_inputs(config, name)
    passes: list[PassType] = [FuseDynamicLayers(), FuseInt8()] if config.fuse_int8 else []
    passes.append(PackLowBitWeights())
    if config.row_major_operands:
        passes += [RowMajorOperands(), WideParameters()]
    if context.kernels is not None:
        passes.append(RowMajorOperands(context.kernels))
    passes.append(InsertWriteBackForBuffersPass())
    if gives_outputs:
        passes.append(DistinctOutputsPass())
    passes += [_spec_pass(config, name), *_external_passes(config)]
    if config.remove_view_copy:
        passes.append(ReplaceViewCopyWithViewPass(not gives_inputs, not gives_outputs))
    return [*passes, config.to_out_var_pass or ToOutVarPass()]


def _external_passes(config: ExecutorchBackendConfig) -> list[PassType]:
    """Return the passes that choose which constants are stored in external files."""
    passes: list[PassType] = []
    if config.external_mutable_weights:
        passes.append(ExternalConstantsPass(trained_only=True))
    if config.external_constants is True:
        passes.append(ExternalConstantsPass())
    elif callable(config.external_constants):
        passes.append(ExternalConstantsPass(config.external_constants))
    return passes


def _pass_for_method(option: Any, name: str) -> PassType | None:
    """Return the pass of a method: `option` itself, or its entry for the method."""
    return option.get(name) if isinstance(option, dict) else option


def _spec_pass(config: ExecutorchBackendConfig, name: str) -> SpecPropPass:
    chosen = _pass_for_method(config.sym_shape_eval_pass, name) or SpecPropPass()
    if not isinstance(chosen, SpecPropPass):
        raise ConfigError(
            "'sym_shape_eval_pass' must be a ConstraintBasedSymShapeEvalPass or a"
            f" HintBasedSymShapeEvalPass, got {type(chosen).__name__}"
        )
    return chosen


def _shares_buffers(config: ExecutorchBackendConfig, name: str) -> bool:
    return bool(getattr(_planning_pass(config, name), "share_mutable_buffers", False))


def _planning_pass(config: ExecutorchBackendConfig, name: str) -> PassType:
    return _pass_for_method(config.memory_planning_pass, name) or MemoryPlanningPass()


def _plan_memory(bundle: ProgramBundle, config: ExecutorchBackendConfig) -> ProgramBundle:
    """Plan the memory of all methods and verify each plan.

    Methods that use the same planner are planned together, so that they can share mutable buffers.
    Plans of user-defined planners are verified as well.
    """
    names = list(bundle.programs)
    if isinstance(config.memory_planning_pass, dict):
        planners = [as_bundle_pass(_planning_pass(config, name), (name,)) for name in names]
    else:
        planners = [as_bundle_pass(config.memory_planning_pass or MemoryPlanningPass())]
    bundle = run_bundle(bundle, planners)
    for name, program in bundle.programs.items():
        _verify_plan(program, _planning_pass(config, name))
    return bundle


def _verify_plan(program: ExportedProgram, planner: PassType) -> None:
    graph_module = program.graph_module
    sizes = graph_module.meta.get("non_const_buffer_sizes")
    if sizes is None:
        raise ConfigError(
            f"'memory_planning_pass': {pass_name(planner)} did not set the graph module's"
            " meta['non_const_buffer_sizes']; set it in the pass"
        )
    verify_memory_plan(graph_module, sizes, getattr(planner, "alignment", 1))


class ExecutorchProgramManager:
    """A lowered program: its content, its parts, and its metadata."""

    def __init__(
        self,
        bundle: ProgramBundle,
        config: ExecutorchBackendConfig,
    ) -> None:
        self._programs = programs = dict(bundle.programs)
        self._config_methods = config_methods = dict(bundle.constant_methods)
        self._config = config
        options = EmitOptions(
            config.emit_stacktrace,
            config.emit_mutable_buffer_names,
            config.external_content_keys,
            DEFAULT_FILE if config.external_named_data else None,
        )
        self._emitted: EmitterOutput = emit_program(programs, config_methods, options)
        for method in self._emitted.methods.values():
            for note in method.notes:
                bundle.context.diagnostics.note(note)
        self._etrecord: ETRecord | None = None

    @property
    def methods(self) -> set[str]:
        """Names of the methods that have a graph."""
        return set(self._programs)

    @property
    def config_methods(self) -> set[str]:
        """Names of the constant methods."""
        return set(self._config_methods)

    def exported_program(self, method_name: str = "forward") -> ExportedProgram:
        """Return the lowered, memory-planned graph of a method."""
        if method_name not in self._programs:
            raise ConfigError(
                f"unknown method '{method_name}'; the program has: {sorted(self._programs)}"
            )
        program = self._programs[method_name]
        program.graph_module.recompile()
        return program

    @property
    def executorch_program(self) -> schema.Program:
        """The program in the structure of the file, with constants and delegates inline."""
        return self._emitted.program

    @cached_property
    def report(self) -> LoweringReport:
        """The inputs, outputs, operators, delegates and memory of every method."""
        return lowering_report(self._programs, self._emitted)

    @cached_property
    def _serialize(self) -> SerializedProgram:
        return serialize_pte_binary(
            PTEFile(self._emitted.program, self._emitted.mutable_data, self._emitted.named_data),
            extract_delegate_segments=self._config.extract_delegate_segments,
            segment_alignment=self._config.segment_alignment,
            constant_tensor_alignment=self._config.constant_tensor_alignment,
            delegate_alignment=self._config.delegate_alignment,
        )

    @cached_property
    def buffer(self) -> bytes:
        """The content of the `.pte` file. `write_to_file` avoids this copy of the weights."""
        return bytes(self._serialize)

    def write_to_file(self, open_file: BinaryIO) -> None:
        """Write the `.pte` to a file that is open for binary writing."""
        self._serialize.write_to_file(open_file)

    def save(self, path: str) -> None:
        """Write the `.pte` to `path`, which must end in `.pte`.

        A failure keeps the old file.
        """
        if not path.endswith(".pte"):
            raise ConfigError(f"'path' must end with .pte, got '{path}'")
        write_files({Path(path): self.write_to_file})

    @cached_property
    def external_data(self) -> dict[str, SerializedProgram]:
        """The weights files of the program, by their names, which end in `.ptd`."""
        return {
            f"{name}.ptd": serialize_ptd(entries, self._config.segment_alignment)
            for name, entries in sorted(self._emitted.external.items())
        }

    @cached_property
    def merged_external_data(self) -> SerializedProgram:
        """All weights files merged into one, which may be empty."""
        entries = [entry for file in self._emitted.external.values() for entry in file]
        return serialize_ptd(entries, self._config.segment_alignment)

    def write_tensor_data_to_file(self, outdir: str) -> None:
        """Write the weights files to a folder. If writing fails, the old files remain."""
        write_files(
            {Path(outdir, name): data.write_to_file for name, data in self.external_data.items()}
        )

    @property
    def debug_handle_map(self) -> dict[str, dict[int, Any]]:
        """The debug handles of each instruction: method → instruction index → handles."""
        return debug_maps.debug_handles(self._emitted.methods)

    @property
    def delegate_map(self) -> dict[str, dict[int, dict[str, Any]]]:
        """The backend and the debug handles of each delegate call, by method and index."""
        return debug_maps.delegates(self._emitted.methods)

    @property
    def instruction_nodes(self) -> dict[str, list[Node]]:
        """The graph node of each instruction, by method."""
        return {name: list(method.nodes) for name, method in self._emitted.methods.items()}

    @property
    def instruction_sources(self) -> dict[str, Any]:
        """The nodes of each instruction, with their modules and source lines, by method."""
        return sources_content(self._emitted.methods)

    @property
    def instruction_id_to_num_outs_map(self) -> dict[str, dict[int, int]]:
        """The number of results of each delegate call, by method and index."""
        return debug_maps.result_counts(self._emitted.methods)

    def get_etrecord(self) -> "ETRecord":
        """Return the debug record.

        Raises `ConfigError` unless `to_edge` was called with `generate_etrecord`.
        """
        if self._etrecord is None:
            raise ConfigError("the program has no debug record; pass generate_etrecord=True to to_edge")
        return self._etrecord

    def dump_executorch_program(self, verbose: bool = False, out: TextIO | None = None) -> None:
        """Print the instructions to `out` (stdout); with `verbose`, print every field."""
        if verbose:
            print(pformat(self.executorch_program), file=out or sys.stdout)
        else:
            print_program(self.executorch_program, out=out)

"""The edge stage: `to_edge` and the edge-dialect programs that it returns."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import Node
from torch.fx.passes.infra.pass_manager import PassManager

from exir.capture import EdgeCompileConfig, ExecutorchBackendConfig
from exir.decomposition.decompose import PreservedOps, to_core_aten
from exir.decomposition.decompositions import NodeFilter, either
from exir.dialects.edge import to_torch_overload
from exir.error import ConfigError
from exir.graph.control_flow import graphs
from exir.graph.input_bounds import bound_inputs, correct_ranges
from exir.graph.private_symbols import private_copies, with_private_symbols
from exir.graph.program_bundle import CompilationContext, ProgramBundle, Warned
from exir.pass_manager import BundlePass, PassType, ProgramPass, Verify, as_bundle_pass, run_bundle
from exir.passes import pipeline
from exir.passes.drop_unused_constants import DropUnusedConstants
from exir.passes.fold_batch_norm import FoldBatchNorm
from exir.passes.fuse_low_bit_linear import FuseLowBitLinear
from exir.passes.name_dim_orders import NameDimOrders
from exir.passes.promote_operands import PromoteOperands
from exir.passes.propagate_constants import PropagateConstants
from exir.passes.remove_noops import RemoveNoops
from exir.passes.share_transposed import ShareTransposed
from exir.verification.assumptions import record_conditions
from exir.verification.comparisons import observe_comparisons
from exir.verification.sizes import assumed_values, check_sizes_unchanged
from exir.verification.unshared_reads import share_reads
from exir.verification.verifier import EXIREdgeDialectVerifier, verify_structure

if TYPE_CHECKING:
    from exir.backend.partitioner import Partitioner
    from exir.debug.record import ETRecord
    from exir.program._executorch import ExecutorchProgramManager

Programs = ExportedProgram | Mapping[str, ExportedProgram]
Passes = Sequence[PassType] | PassManager | Mapping[str, Sequence[PassType]]

# Programs that the importer exports later have records of their comparisons.
observe_comparisons()

# The passes that `EdgeCompileConfig.pipeline` can name.
_EDGE_PASSES = {
    pass_type.name: pass_type
    for pass_type in (
        PromoteOperands,
        RemoveNoops,
        FuseLowBitLinear,
        NameDimOrders,
        ShareTransposed,
        PropagateConstants,
        FoldBatchNorm,
        DropUnusedConstants,
    )
}


def edge_passes(config: EdgeCompileConfig) -> tuple[BundlePass | ProgramPass, ...]:
    """Return the passes that turn decomposed programs into edge programs.

    Raises `ConfigError` if `config.pipeline` names an unknown pass.
    """
    if config.pipeline is not None:
        return pipeline.parse(config.pipeline, _EDGE_PASSES)
    naming = () if config._skip_dim_order else (NameDimOrders(),)
    optimizing = (ShareTransposed(), PropagateConstants(), FoldBatchNorm(), DropUnusedConstants())
    return (
        PromoteOperands(),
        RemoveNoops(),
        FuseLowBitLinear(config.fuse_low_bit_linear),
        *naming,
        *optimizing,
    )


def to_edge(
    programs: Programs,
    constant_methods: Mapping[str, Any] | None = None,
    compile_config: EdgeCompileConfig | None = None,
    context: CompilationContext | None = None,
    *,
    generate_etrecord: bool = False,
) -> "EdgeProgramManager":
    """Lower exported programs to the edge dialect.

    programs: a program, which becomes the method `forward`, or programs by method name.
    constant_methods: values by method name; such a method returns its value.
    context: the context for passes over all methods.
    generate_etrecord: keep the debug record, for `ExecutorchProgramManager.get_etrecord`.

    Raises an `ExirError` that names the operator and its source line if an operator cannot be
    lowered.
    """
    config = compile_config or EdgeCompileConfig()
    context = context or CompilationContext(diagnostics=Warned())
    private = _copy_symbols(_by_method(programs), context)
    bundle = ProgramBundle(private, dict(constant_methods or {}), context)
    manager = EdgeProgramManager._from_bundle(_lower_to_edge(bundle, config, {}), config)
    return manager._with_debug_record(programs) if generate_etrecord else manager


def to_edge_transform_and_lower(
    programs: Programs,
    transform_passes: Passes | None = None,
    partitioner: "Sequence[Partitioner] | Mapping[str, Sequence[Partitioner]] | None" = None,
    constant_methods: Mapping[str, Any] | None = None,
    compile_config: EdgeCompileConfig | None = None,
    context: CompilationContext | None = None,
    *,
    generate_etrecord: bool = False,
) -> "EdgeProgramManager":
    """Run `to_edge`, then `transform`, then `to_backend` for each partitioner.

    The partitioners of a method run in order. Operators that they request with
    `ops_to_not_decompose` are kept until all of them have run. Operators that no partitioner
    delegates are decomposed afterwards.
    """
    config = compile_config or EdgeCompileConfig()
    context = context or CompilationContext(diagnostics=Warned())
    programs_by_method = _by_method(programs)
    partitioners = _per_method(partitioner or (), programs_by_method)
    private = _copy_symbols(programs_by_method, context)
    preserved_ops = {name: partial(_preserved_ops, partitioners[name]) for name in private}
    preserved = [op for name, program in private.items() for op in preserved_ops[name](program)]
    bundle = ProgramBundle(private, dict(constant_methods or {}), context)
    manager = EdgeProgramManager._from_bundle(
        _lower_to_edge(bundle, config, preserved_ops), _with_preserved_ops(config, preserved)
    )
    if generate_etrecord:
        manager = manager._with_debug_record(programs)
    if transform_passes:
        manager = manager.transform(transform_passes)
        if manager._etrecord is not None:
            manager._etrecord.add_extra_export_modules({"edge_after_transform": manager})
    for step in range(max((len(some) for some in partitioners.values()), default=0)):
        manager = manager.to_backend({n: p[step] for n, p in partitioners.items() if step < len(p)})
    return manager._finish_decomposition(config)


class EdgeProgramManager:
    """The methods of a model as programs of the edge dialect.

    `transform` and `to_backend` return a new manager, and leave this one unchanged.
    """

    def __init__(
        self,
        edge_programs: Programs,
        constant_methods: Mapping[str, Any] | None = None,
        compile_config: EdgeCompileConfig | None = None,
        context: CompilationContext | None = None,
    ) -> None:
        self._config = compile_config or EdgeCompileConfig()
        self._programs = _by_method(edge_programs)
        self._constant_methods = dict(constant_methods or {})
        self._context = context or CompilationContext(diagnostics=Warned())
        self._etrecord: ETRecord | None = None
        both = sorted(self._programs.keys() & self._constant_methods.keys())
        if both:
            raise ConfigError(f"'{both[0]}' is both a method and a constant method; rename one")
        verify = _make_verifier(self._config)
        if verify is not None:
            for program in self._programs.values():
                verify(program)

    @classmethod
    def _from_bundle(cls, bundle: ProgramBundle, config: EdgeCompileConfig) -> "EdgeProgramManager":
        return cls(bundle.programs, bundle.constant_methods, config, bundle.context)

    def _with_debug_record(self, exported: Programs) -> "EdgeProgramManager":
        """Attach a new debug record of the `exported` programs and of this manager.

        Returns this manager.
        """
        from exir.debug.record import ETRecord

        self._etrecord = ETRecord()
        self._etrecord.add_exported_program(exported)
        self._etrecord.add_edge_dialect_program(self)
        return self

    def _update_record(self, manager: "EdgeProgramManager") -> "EdgeProgramManager":
        """Pass this manager's debug record on to `manager`, which was derived from it."""
        manager._etrecord = self._etrecord
        return manager

    def _with_programs(self, programs: Mapping[str, ExportedProgram]) -> ProgramBundle:
        return ProgramBundle(programs, self._constant_methods, self._context)

    @property
    def methods(self) -> set[str]:
        """Names of the methods."""
        return set(self._programs)

    @property
    def config_methods(self) -> set[str]:
        """Names of the constant methods."""
        return set(self._constant_methods)

    def exported_program(self, method_name: str = "forward") -> ExportedProgram:
        """Return the program of a method. Raises `ConfigError` for an unknown name."""
        if method_name not in self._programs:
            known = ", ".join(sorted(self._programs))
            raise ConfigError(f"unknown method '{method_name}'; the program has: {known}")
        return self._programs[method_name]

    def transform(
        self, passes: Passes, compile_config: EdgeCompileConfig | None = None
    ) -> "EdgeProgramManager":
        """Run passes on every method, or, given a mapping, on the methods that it names.

        `passes` can be a pass manager. A `BundlePass` receives all methods at once, or the method
        under whose name it is given.
        """
        config = compile_config or self._config
        bundle = self._with_programs(private_copies(self._programs))
        bundle = run_bundle(bundle, self._bundle_passes(passes), _make_verifier(config))
        return self._update_record(EdgeProgramManager._from_bundle(bundle, config))

    def _bundle_passes(self, passes: Passes) -> list[PassType]:
        if isinstance(passes, PassManager):
            return list(passes.passes)
        if not isinstance(passes, Mapping):
            return list(passes)
        passes_by_method = _per_method(passes, self._programs)
        return [
            as_bundle_pass(pass_, (name,)) for name, some in passes_by_method.items() for pass_ in some
        ]

    def to_backend(self, partitioner: "Partitioner | Mapping[str, Partitioner]") -> "EdgeProgramManager":
        """Delegate the nodes that the partitioner tags, in all methods or in named ones."""
        from exir.backend.backend_api import MethodProgramsPartitionerSpec, to_backend

        chosen = _per_method(partitioner, self._programs)
        programs = dict(self._programs)
        for step in range(max(map(len, chosen.values()), default=0)):
            now = {name: some[step] for name, some in chosen.items() if step < len(some)}
            programs = to_backend(MethodProgramsPartitionerSpec(programs, now))
        return self._update_record(
            EdgeProgramManager._from_bundle(self._with_programs(programs), self._config)
        )

    def _finish_decomposition(self, config: EdgeCompileConfig) -> "EdgeProgramManager":
        """Decompose the operators that this manager preserves and `config` does not."""
        left = [op for op in self._config.preserve_ops if op not in config.preserve_ops]
        if not left:
            return self
        bundle = self._with_programs(self._programs)
        holding = [name for name, program in self._programs.items() if _contains_ops(program, left)]
        finished = _lower_to_edge(bundle.only(holding), config, {})
        return self._update_record(
            EdgeProgramManager._from_bundle(bundle.with_programs(finished.programs), config)
        )

    def to_executorch(self, config: ExecutorchBackendConfig | None = None) -> "ExecutorchProgramManager":
        """Lower every method to the execution plan of a `.pte` file."""
        from exir.program._executorch import to_executorch

        config = config or ExecutorchBackendConfig()
        manager = to_executorch(self._programs, self._constant_methods, config, self._context)
        if self._etrecord is not None:
            manager._etrecord = self._etrecord.copy()
            manager._etrecord.add_executorch_program(manager)
        return manager


def _copy_symbols(
    programs: Mapping[str, ExportedProgram], context: CompilationContext
) -> dict[str, ExportedProgram]:
    """Return copies of `programs` whose symbolic sizes lowering can change.

    A program without symbolic sizes is not copied. Input dimensions without an upper bound receive
    one here, because partitioners skip unbounded dimensions.
    """
    private = {name: with_private_symbols(program) for name, program in programs.items()}
    for name, program in private.items():
        for equality in assumed_values(programs[name]):
            context.diagnostics.note(
                f"method '{name}': torch.export assumes {equality}, as in the example; pass only inputs that "
                "satisfy it, or export with another example"
            )
        for message in bound_inputs(program, {}):
            context.diagnostics.note(message)
    if context.owns_programs:
        _drop_tensors(program for name, program in programs.items() if private[name] is not program)
    return private


def _lower_to_edge(
    bundle: ProgramBundle,
    config: EdgeCompileConfig,
    preserved_ops: Mapping[str, PreservedOps],
) -> ProgramBundle:
    """Return the programs in the edge dialect.

    preserved_ops: by method, the operators that are not decomposed.
    """
    always = dict.fromkeys(config.preserve_ops, _accept_node)
    remedy = "widen its range, or write state without views, because PyTorch evaluates a comparison with the example's size"
    with check_sizes_unchanged(bundle.programs.values(), "decomposition", remedy):
        core = {
            name: to_core_aten(program, always, config.preserve_sdpa, preserved_ops.get(name))
            for name, program in bundle.programs.items()
        }
    for program in core.values():
        program._range_constraints = dict(program.range_constraints)
        correct_ranges(program)
    for name, program in core.items():
        record_conditions(bundle.programs[name], program)
    share_reads(core)
    if bundle.context.owns_programs:
        _drop_tensors(bundle.programs.values())
    check = verify_structure if config._check_ir_validity else None
    lowered = run_bundle(bundle.with_programs(core), edge_passes(config), check)
    for program in lowered.programs.values():
        program.graph_module.recompile()
    return lowered


def _drop_tensors(programs: Iterable[ExportedProgram]) -> None:
    """Drop the programs' tensors, so that their memory can be freed."""
    for program in programs:
        program.state_dict.clear()
        program.constants.clear()


def _accept_node(node: Node) -> bool:
    return True


def _make_verifier(config: EdgeCompileConfig) -> Verify | None:
    return EXIREdgeDialectVerifier(config) if config._check_ir_validity else None


def _by_method(programs: Programs) -> dict[str, ExportedProgram]:
    by_method = dict(programs) if isinstance(programs, Mapping) else {"forward": programs}
    for name, program in by_method.items():
        if not isinstance(name, str) or not name:
            raise TypeError(f"a method's name must be a non-empty string, got {name!r}")
        if not isinstance(program, ExportedProgram):
            raise TypeError(
                f"method '{name}' is a {type(program).__name__}, not an ExportedProgram; pass the "
                "result of torch.export.export(module, inputs)"
            )
    return by_method


def _per_method(option: Any, methods: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return a list for each method from one value, a list, or a mapping by method."""
    if isinstance(option, Mapping):
        unknown = sorted(option.keys() - methods.keys())
        if unknown:
            known = ", ".join(sorted(methods))
            raise ConfigError(f"unknown method '{unknown[0]}'; the program has: {known}")
        return {name: _as_list(option.get(name, ())) for name in methods}
    return {name: _as_list(option) for name in methods}


def _as_list(items: Any) -> list[Any]:
    return list(items) if isinstance(items, Sequence) and not isinstance(items, str) else [items]


def _preserved_ops(
    partitioners: "list[Partitioner]", program: ExportedProgram
) -> dict[OpOverload, NodeFilter]:
    """Return the operators that the partitioners keep, each with a node filter."""
    from exir.backend.partitioner import Partitioner

    filters: dict[OpOverload, NodeFilter] = {}
    for partitioner in partitioners:
        if not isinstance(partitioner, Partitioner):
            raise TypeError(
                f"a partitioner must be an instance of exir.backend.partitioner.Partitioner, got {partitioner!r}"
            )
        ops, accepts = partitioner.ops_to_not_decompose(program)
        for op in ops:
            filters[op] = either(
                filters.get(op), _within_reach(partitioner, program, accepts or _accept_node)
            )
    return filters


def _within_reach(
    partitioner: "Partitioner", program: ExportedProgram, accepts: NodeFilter
) -> NodeFilter:
    """Restrict `accepts` to the nodes that the partitioner can tag.

    These include nodes in bodies of control flow only if `delegates_bodies` is true.
    """
    if partitioner.delegates_bodies:
        return accepts
    return lambda node: node.graph is program.graph and accepts(node)


def _with_preserved_ops(config: EdgeCompileConfig, ops: Sequence[OpOverload]) -> EdgeCompileConfig:
    """Return `config` with `ops` added to the preserved operators."""
    return replace(config, preserve_ops=[*config.preserve_ops, *ops])


def _contains_ops(program: ExportedProgram, ops: Collection[OpOverload]) -> bool:
    nodes = (node for graph_module in graphs(program.graph_module) for node in graph_module.graph.nodes)
    return any(to_torch_overload(node.target) in ops for node in nodes)

"""`to_backend`: compile a program, or the parts that a partitioner selects."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, TypeVar

from torch.export import ExportedProgram
from torch.export.graph_signature import OutputKind
from torch.fx import Graph, Node

from exir.backend.backend_details import BackendDetails, PreprocessResult
from exir.backend.compile_spec_schema import CompileSpec
from exir.backend.extract import Partition, extract_program, find_partition
from exir.backend.partitioner import DelegationSpec, Partitioner
from exir.backend.rewrite import graph_with_delegate_calls, last_handle, with_delegate_calls
from exir.backend.tags import remove_tags, tag_of
from exir.error import UserError
from exir.graph.bodies import Body, bodies, drop_unused_operands
from exir.graph.constants import ConstantTable
from exir.graph.control_flow import graphs
from exir.graph.fake_mode import fake_mode_of
from exir.graph.program_copy import copy_program
from exir.lowered_backend_module import LoweredBackendModule

__all__ = ["LoweredBackendModule", "MethodProgramsPartitionerSpec", "find_backend", "to_backend"]


@dataclass(frozen=True)
class MethodProgramsPartitionerSpec:
    """Programs by method name, and a partitioner for each delegated method."""

    method_to_edge_program: Mapping[str, ExportedProgram]
    method_to_partitioner: Mapping[str, Partitioner]


@singledispatch
def to_backend(first: Any, *rest: Any) -> Any:
    """Compile for a backend. The first argument selects the form:

    to_backend(backend_id: str, edge_program, compile_specs) -> LoweredBackendModule
        compiles the whole program;
    to_backend(edge_program: ExportedProgram, partitioner) -> ExportedProgram
        returns a copy in which the selected parts are `executorch_call_delegate` nodes, also in the
        graphs of control flow;
    to_backend(MethodProgramsPartitionerSpec) -> dict[str, ExportedProgram]
        does the same for several methods.
    """
    raise UserError(
        f"to_backend: the first argument is a {type(first).__name__}; pass a backend id, an "
        "ExportedProgram or a MethodProgramsPartitionerSpec"
    )


@to_backend.register
def _lower_whole_program(
    backend_id: str, edge_program: ExportedProgram, compile_specs: list[CompileSpec]
) -> LoweredBackendModule:
    _reject_state(edge_program, backend_id)
    return _preprocess_program(backend_id, edge_program, compile_specs)


@to_backend.register
def _lower_partitions(edge_program: ExportedProgram, partitioner: Partitioner) -> ExportedProgram:
    return _lower_chosen({"forward": _choose_partitions(edge_program, partitioner)})["forward"]


@to_backend.register
def _lower_methods(methods: MethodProgramsPartitionerSpec) -> dict[str, ExportedProgram]:
    chosen = methods.method_to_partitioner
    programs = methods.method_to_edge_program
    unknown = sorted(chosen.keys() - programs.keys())
    if unknown:
        raise UserError(
            f"partitioner: unknown method '{unknown[0]}'; the program has: {', '.join(programs)}"
        )
    choices = {
        name: _choose_partitions(programs[name], chosen[name]) for name in programs if name in chosen
    }
    return {**programs, **_lower_chosen(choices)}


_T = TypeVar("_T")
# A partition: the index of its control-flow body, or None for the outermost graph, and its tag.
_Key = tuple[int | None, str]


@dataclass(frozen=True)
class _PartitionChoice:
    """The partitions that a partitioner chose, including those within control flow.

    bodies: the control-flow graphs that have partitions, outer ones first.
    specs: the backend and the options of each tag.
    """

    program: ExportedProgram
    bodies: Sequence[Body]
    partitions: Mapping[_Key, Partition]
    specs: Mapping[str, DelegationSpec]

    def keys_of(self, backend_id: str) -> list[_Key]:
        """Return the keys of the partitions that a backend compiles, in order."""
        return [key for key in self.partitions if self.specs[key[1]].backend_id == backend_id]

    def within(self, body: int | None, entries: Mapping[_Key, _T]) -> dict[str, _T]:
        """Return the entries of `entries` for one graph, by tag."""
        return {key[1]: entry for key, entry in entries.items() if key[0] == body}

    def graph_program(self, body: int | None) -> ExportedProgram:
        """Return one of the graphs as a program."""
        return self.program if body is None else self.bodies[body].program


@dataclass(frozen=True)
class _Subprogram:
    """One partition as a separate program, and its compile specs."""

    key: _Key
    program: ExportedProgram
    compile_specs: list[CompileSpec]


def _choose_partitions(program: ExportedProgram, partitioner: Partitioner) -> _PartitionChoice:
    before = _graph_snapshot(program)
    result = partitioner(copy_program(program))
    tagged = result.tagged_exported_program
    _check_only_tags_changed(before, tagged, partitioner)
    try:
        if not any(_has_tags(body.program.graph) for body in bodies(tagged)):
            found = _partitions_of(tagged, result.partition_tags)
            return _PartitionChoice(
                tagged,
                (),
                {(None, tag): partition for tag, partition in found.items()},
                result.partition_tags,
            )
        return _choice_with_bodies(tagged, result.partition_tags)
    finally:
        for graph_module in graphs(tagged.graph_module):
            remove_tags(graph_module.graph)


def _has_tags(graph: Graph) -> bool:
    return any(tag_of(node) is not None for node in graph.nodes)


def _choice_with_bodies(
    program: ExportedProgram, specs: Mapping[str, DelegationSpec]
) -> _PartitionChoice:
    """Return the partitions of a program that has tags within control flow.

    `program` must be a copy, because it is changed later. A control-flow node that has a tag is
    delegated as a whole, with its bodies.
    """
    chosen = [
        body
        for body in bodies(program)
        if _has_tags(body.program.graph) and not any(tag_of(node) is not None for node in body.path)
    ]
    partitions: dict[_Key, Partition] = {
        (None, tag): partition for tag, partition in _partitions_of(program, specs).items()
    }
    for position, body in enumerate(chosen):
        for tag, partition in _partitions_of(body.program, specs).items():
            partitions[position, tag] = partition
    for graph_module in graphs(program.graph_module):
        remove_tags(graph_module.graph)
    return _PartitionChoice(program, chosen, partitions, specs)


def _lower_chosen(choices: Mapping[str, _PartitionChoice]) -> dict[str, ExportedProgram]:
    """Return each method with its partitions compiled.

    A backend receives the partitions of all methods at once.
    """
    lowered: dict[str, dict[_Key, LoweredBackendModule]] = {name: {} for name in choices}
    backends = [
        choice.specs[tag].backend_id for choice in choices.values() for _, tag in choice.partitions
    ]
    for backend_id in dict.fromkeys(backends):
        parts = {
            name: _extract_subprograms(choice, choice.keys_of(backend_id))
            for name, choice in choices.items()
        }
        for name, modules in _compile_subprograms(
            backend_id, {n: subprograms for n, subprograms in parts.items() if subprograms}
        ).items():
            lowered[name].update(modules)
    return {name: _with_calls(choice, lowered[name]) for name, choice in choices.items()}


def _with_calls(
    choice: _PartitionChoice, lowered: Mapping[_Key, LoweredBackendModule]
) -> ExportedProgram:
    """Replace partitions with delegate calls, in inner graphs before outer ones."""
    program = choice.program
    handle = last_handle(program.graph_module) + 1
    for position, body in reversed(list(enumerate(choice.bodies))):
        partitions = choice.within(position, choice.partitions)
        modules = choice.within(position, lowered)
        body.replace_graph(graph_with_delegate_calls(body.program, partitions, modules, handle))
        handle += len(partitions)
    if choice.bodies:
        drop_unused_operands(program)
        ConstantTable(program, fake_mode_of(program.graph)).drop_unused()
    outermost = choice.within(None, choice.partitions)
    if not outermost:
        return program
    return with_delegate_calls(program, outermost, choice.within(None, lowered))


def _extract_subprograms(choice: _PartitionChoice, keys: list[_Key]) -> list[_Subprogram]:
    return [
        _Subprogram(
            key,
            extract_program(choice.graph_program(key[0]), choice.partitions[key]),
            list(choice.specs[key[1]].compile_specs),
        )
        for key in keys
    ]


def _compile_subprograms(
    backend_id: str, parts: Mapping[str, list[_Subprogram]]
) -> dict[str, dict[_Key, LoweredBackendModule]]:
    """Compile the parts of all methods with one backend, by method and key."""
    programs = {
        name: [_with_graph_copied(partition.program) for partition in some]
        for name, some in parts.items()
    }
    specs = {name: [partition.compile_specs for partition in some] for name, some in parts.items()}
    results = find_backend(backend_id).preprocess_multimethod(programs, specs)
    _check_counts(results, parts, backend_id)
    return {
        name: {
            partition.key: _lowered_module(
                backend_id, partition.program, partition.compile_specs, result
            )
            for partition, result in zip(some, results[name])
        }
        for name, some in parts.items()
    }


def _check_counts(
    results: Mapping[str, list[PreprocessResult]],
    parts: Mapping[str, list[_Subprogram]],
    backend_id: str,
) -> None:
    for name, some in parts.items():
        found = len(results.get(name, []))
        if found != len(some):
            raise UserError(
                f"{backend_id}.preprocess_multimethod: method '{name}' has {len(some)} partitions, but "
                f"{found} results were returned; return one result per partition"
            )


def _partitions_of(program: ExportedProgram, tags: Iterable[str]) -> dict[str, Partition]:
    """Return the partitions that have outputs, in the order of their tags."""
    found = {tag: find_partition(program, tag) for tag in tags}
    return {tag: partition for tag, partition in found.items() if partition.outputs}


def _preprocess_program(
    backend_id: str, program: ExportedProgram, compile_specs: list[CompileSpec]
) -> LoweredBackendModule:
    result = find_backend(backend_id).preprocess(_with_graph_copied(program), compile_specs)
    return _lowered_module(backend_id, program, compile_specs, result)


def _lowered_module(
    backend_id: str,
    program: ExportedProgram,
    compile_specs: list[CompileSpec],
    result: PreprocessResult,
) -> LoweredBackendModule:
    _check_result(result, backend_id)
    meta = {
        "debug_handle_map": result.debug_handle_map,
        "_delegate_info_meta": result._delegate_info_meta,
    }
    return LoweredBackendModule(
        program, backend_id, result.processed_bytes, compile_specs, meta, result.data_store_output
    )


def find_backend(backend_id: str) -> type[BackendDetails]:
    """Return the subclass of `BackendDetails` with this name. It must be imported."""
    known = {backend.__name__: backend for backend in BackendDetails.__subclasses__()}
    if backend_id not in known:
        raise UserError(
            f"unknown backend '{backend_id}': no imported subclass of BackendDetails has this name; "
            f"imported: {', '.join(sorted(known)) or 'none'}"
        )
    return known[backend_id]


def _with_graph_copied(program: ExportedProgram) -> ExportedProgram:
    """Copy the graph of `program`, so that `preprocess` can change it.

    Tensors are shared with `program`.
    """
    graph = Graph()
    copies: dict[Node, Node] = {}
    result = graph.graph_copy(program.graph, copies)
    graph.output(result)
    graph.output_node().meta = dict(program.graph.output_node().meta)
    return ExportedProgram(
        root=program.graph_module,
        graph=graph,
        graph_signature=program.graph_signature,
        state_dict=dict(program.state_dict),
        range_constraints=dict(program.range_constraints),
        module_call_graph=program.module_call_graph,
        constants=dict(program.constants),
        verifiers=program.verifiers,
    )


def _check_result(result: PreprocessResult, backend_id: str) -> None:
    if not isinstance(result, PreprocessResult) or not isinstance(result.processed_bytes, bytes):
        raise UserError(
            f"{backend_id}.preprocess: returned a {type(result).__name__}; return a PreprocessResult "
            "with processed_bytes of type bytes"
        )


def _reject_state(program: ExportedProgram, backend_id: str) -> None:
    changed = [
        spec.target
        for spec in program.graph_signature.output_specs
        if spec.kind is not OutputKind.USER_OUTPUT
    ]
    if changed:
        raise UserError(
            f"the program mutates buffer '{changed[0]}', which a whole-program delegate cannot store; "
            f"lower it to '{backend_id}' with a partitioner, which leaves such buffers in the program"
        )


def _graph_snapshot(program: ExportedProgram) -> list[tuple[str, str, str, str]]:
    nodes = (node for graph_module in graphs(program.graph_module) for node in graph_module.graph.nodes)
    return [(node.op, node.name, str(node.target), f"{node.args}{node.kwargs}") for node in nodes]


def _check_only_tags_changed(
    before: list[tuple[str, str, str, str]], tagged: ExportedProgram, partitioner: Partitioner
) -> None:
    after = _graph_snapshot(tagged)
    for old, new in zip(before, after):
        if old != new:
            _reject_change(partitioner, old[1])
    if len(before) != len(after):
        _reject_change(partitioner, before[-1][1])


def _reject_change(partitioner: Partitioner, node_name: str) -> None:
    raise UserError(
        f"partitioner {type(partitioner).__name__}: changed the graph at '{node_name}'; only set "
        "node.meta['delegation_tag']"
    )

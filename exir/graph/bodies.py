"""Presents graphs of control flow as programs with their captured constants.

A body receives its constants as operands of its control flow. `bodies` traces them inwards from the
program. `run_in_bodies` runs a pass on each body, and connects the constants that the pass creates.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from torch import Tensor
from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    TensorArgument,
)
from torch.fx import Graph, GraphModule, Node

from exir.graph.constants import ConstantTable
from exir.graph.control_flow import Region, graphs, regions
from exir.graph.fake_mode import fake_mode_of
from exir.graph.program_copy import with_copied_containers

_CONSTANT_KINDS = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)
_MUTATIONS = (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION)


@dataclass(frozen=True)
class Body:
    """A graph that control flow runs, as a program.

    path: the control-flow nodes that contain the graph, outermost first.
    index: the position of the graph among the regions of the last node.
    program: a program with the original graph module and separate containers. Its signature has only
        inputs: a placeholder that always holds a constant of the outermost program is that constant, and
        any other is a user input.
    """

    path: tuple[Node, ...]
    index: int
    program: ExportedProgram

    def replace_graph(self, graph_module: GraphModule) -> None:
        """Replace the graph with `graph_module`, which has the same interface."""
        holder = regions(self.path[-1])[self.index].holder
        assert holder.graph.owning_module is not None and isinstance(holder.target, str)
        setattr(holder.graph.owning_module, holder.target, graph_module)


def bodies(program: ExportedProgram) -> Iterator[Body]:
    """Yield the graphs of control flow in `program`, outer ones first.

    A graph that runs in several places is skipped, with its inner graphs: it has no unique operands. The
    caller can edit a graph before it requests the next one.
    """
    for path, index in _call_sites(program.graph_module, (), _shared_graphs(program.graph_module)):
        view = program
        for node in path[:-1]:
            view = _region_program(view, _innermost_region(regions(node), path))
        yield Body(path, index, _region_program(view, regions(path[-1])[index]))


def run_in_bodies(program: ExportedProgram, run: Callable[[ExportedProgram], object]) -> None:
    """Call `run` with each body of `program`; `run` can edit graph and constants.

    New constants become constants of `program` and operands of the enclosing control flow. A constant
    whose value changes becomes a new constant, because other nodes may read the old one. Unused operands
    are removed.
    """
    constants = ConstantTable(program, fake_mode_of(program.graph))
    found = False
    for body in bodies(program):
        found = True
        _BodyEdit(body, constants).apply(run)
    if found:
        drop_unused_operands(program)


def drop_unused_operands(program: ExportedProgram) -> None:
    """Remove captured operands that no graph of their control flow reads."""
    shared = _shared_graphs(program.graph_module)
    _drop_unused_within(program.graph_module, shared)
    for graph_module in graphs(program.graph_module):
        graph_module.recompile()


def added_operand(node: Node, value: Node) -> dict[Node, Node]:
    """Add an operand to control flow; return its placeholder in each graph, by holder."""
    *others, operands = node.args
    assert isinstance(operands, (list, tuple))
    added = {region.holder: _added_placeholder(region, value) for region in regions(node)}
    node.args = (*others, type(operands)([*operands, value]))
    return added


class _BodyEdit:
    """One body while a pass edits it."""

    def __init__(self, body: Body, constants: ConstantTable) -> None:
        self._body = body
        self._constants = constants
        self._view = body.program
        self._graph = body.program.graph
        self._placeholders = self._graph.find_nodes(op="placeholder")

    def apply(self, run: Callable[[ExportedProgram], object]) -> None:
        """Run the pass; new constants follow the old placeholders."""
        vals = [node.meta.get("val") for node in self._placeholders]
        tensors = self._constant_tensors()
        run(self._view)
        changed = self._changed_constants(tensors)
        self._restore_placeholders(vals)
        for node, target in changed.items():
            constant = self._constants.add(target, self._constant_tensors()[target].detach())
            node.replace_all_uses_with(self._connect_constant(constant))
            if node not in self._placeholders:
                self._graph.erase_node(node)

    def _constant_tensors(self) -> dict[str, Tensor]:
        return {**self._view.state_dict, **self._view.constants}

    def _changed_constants(self, before: dict[str, Tensor]) -> dict[Node, str]:
        """Return the placeholders of new or changed constants, with their names."""
        node_of = {node.name: node for node in self._graph.find_nodes(op="placeholder")}
        now = self._constant_tensors()
        found = {}
        for spec in self._view.graph_signature.input_specs:
            if spec.kind in _CONSTANT_KINDS and spec.target is not None:
                node = node_of[spec.arg.name]
                if node not in self._placeholders or now.get(spec.target) is not before.get(spec.target):
                    found[node] = spec.target
        return found

    def _restore_placeholders(self, vals: Sequence[object]) -> None:
        """Restore the placeholders that the pass removed.

        They are part of the interface until their operands are removed.
        """
        present = set(self._graph.nodes)
        previous: Node | None = None
        for position, (node, val) in enumerate(zip(self._placeholders, vals)):
            if node not in present:
                node = self._placeholders[position] = _insert_placeholder(self._graph, previous, node)
            node.meta["val"] = val
            previous = node

    def _connect_constant(self, constant: Node) -> Node:
        """Pass `constant` through all enclosing control flow; return its placeholder."""
        value = constant
        for depth, node in enumerate(self._body.path):
            is_last = depth == len(self._body.path) - 1
            added = added_operand(node, value)
            run = regions(node)
            region = run[self._body.index] if is_last else _innermost_region(run, self._body.path)
            value = added[region.holder]
        return value


def _call_sites(
    graph_module: GraphModule, path: tuple[Node, ...], shared: frozenset[GraphModule]
) -> Iterator[tuple[tuple[Node, ...], int]]:
    for node in list(graph_module.graph.nodes):
        run = regions(node)
        if any(region.graph_module in shared for region in run):
            continue
        for index in range(len(run)):
            yield (*path, node), index
            yield from _call_sites(regions(node)[index].graph_module, (*path, node), shared)


def _shared_graphs(graph_module: GraphModule) -> frozenset[GraphModule]:
    """Return the graphs that run in several places."""
    counts = Counter(graphs(graph_module))
    return frozenset(graph_module for graph_module, count in counts.items() if count > 1)


def _innermost_region(run: list[Region], path: tuple[Node, ...]) -> Region:
    """Return the region that contains a node of `path`."""
    inside = [node.graph for node in path]
    return next(region for region in run if region.graph_module.graph in inside)


def _region_program(outer: ExportedProgram, region: Region) -> ExportedProgram:
    known = _unmutated_constants(outer)
    varying = {*region.carried, *region.sliced}
    specs = []
    for position, (placeholder, operand) in enumerate(region.bindings):
        is_fixed = position not in varying and isinstance(operand, Node)
        specs.append(_input_spec(placeholder, known.get(operand.name) if is_fixed else None))
    view = with_copied_containers(outer)
    view._graph_module = region.graph_module
    view._graph_signature = ExportGraphSignature(specs, [])
    return view


def _unmutated_constants(program: ExportedProgram) -> dict[str, InputSpec]:
    """Return the constants that no call mutates, by placeholder name."""
    outputs = program.graph_signature.output_specs
    changed = {spec.target for spec in outputs if spec.kind in _MUTATIONS}
    inputs = program.graph_signature.input_specs
    constant_specs = (
        spec for spec in inputs if spec.kind in _CONSTANT_KINDS and spec.target not in changed
    )
    return {spec.arg.name: spec for spec in constant_specs}


def _input_spec(placeholder: Node, constant: InputSpec | None) -> InputSpec:
    argument = TensorArgument(placeholder.name)
    if constant is None:
        return InputSpec(InputKind.USER_INPUT, argument, None)
    return InputSpec(constant.kind, argument, constant.target, constant.persistent)


def _added_placeholder(region: Region, value: Node) -> Node:
    graph = region.graph_module.graph
    placeholders = _region_placeholders(region)
    return _insert_placeholder(graph, placeholders[-1] if placeholders else None, value)


def _insert_placeholder(graph: Graph, previous: Node | None, like: Node) -> Node:
    """Insert a placeholder like `like` after `previous`, or as the first one."""
    first = next(iter(graph.nodes))
    with graph.inserting_before(first) if previous is None else graph.inserting_after(previous):
        placeholder = graph.placeholder(like.name)
    placeholder.meta = dict(like.meta)
    return placeholder


def _drop_unused_within(graph_module: GraphModule, shared: frozenset[GraphModule]) -> None:
    for node in graph_module.graph.nodes:
        run = regions(node)
        if not run or any(region.graph_module in shared for region in run):
            continue
        for region in run:
            _drop_unused_within(region.graph_module, shared)
        operands = node.args[-1]
        assert isinstance(operands, (list, tuple))
        first = len(run[0].operands) - len(operands)
        used = []
        for operand, *placeholders in zip(
            operands, *(_region_placeholders(region)[first:] for region in run)
        ):
            if any(placeholder.users for placeholder in placeholders):
                used.append(operand)
            else:
                for placeholder in placeholders:
                    placeholder.graph.erase_node(placeholder)
        node.args = (*node.args[:-1], type(operands)(used))


def _region_placeholders(region: Region) -> list[Node]:
    return region.graph_module.graph.find_nodes(op="placeholder")

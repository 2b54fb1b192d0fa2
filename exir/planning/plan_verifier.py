"""A verifier of memory plans that does not rely on the planner's lifetimes.

It simulates the method. For every byte range of planned memory, it tracks the tensor that wrote the
range last. A write takes over the range. A read requires that every byte still belongs to the
tensor.
"""

import operator
from collections.abc import Iterable, Iterator

from torch.fx import GraphModule, Node

from exir import memory
from exir.dialects.edge import to_torch_overload
from exir.dialects.out_variant import bind_arguments, written_arguments
from exir.error import InternalError
from exir.graph.control_flow import START, Region, regions
from exir.planning.liveness import schedule
from exir.planning.owned_memory import OwnedMemory, certain, place_of
from exir.tensor import TensorSpec, specs_of

_NO_INSTRUCTION = (operator.getitem, memory.alloc, memory.view)


def verify_memory_plan(graph_module: GraphModule, bufsizes: list[int], alignment: int) -> None:
    """Raise an `InternalError` unless the memory plan is valid.

    In a valid plan, every tensor is aligned and within its buffer. No instruction, output or state
    reads bytes that another tensor has overwritten.
    """
    for spec in dict.fromkeys(_planned_specs(schedule(graph_module))):
        _check_place(spec, bufsizes, alignment)
    state = OwnedMemory()
    for node in graph_module.graph.find_nodes(op="placeholder"):
        _verify_write(node, specs_of(node), state)
    state = _verify_graph(graph_module, state)
    for node in graph_module.graph.find_nodes(op="placeholder"):
        _verify_read(node, [spec for spec in specs_of(node) if spec.state], state)


def _planned_specs(nodes: Iterable[Node]) -> Iterator[TensorSpec]:
    """Yield the specs of `nodes` that are in planned memory, including views."""
    return (spec for node in nodes for spec in specs_of(node) if _is_placed(spec))


def _is_placed(spec: TensorSpec) -> bool:
    return spec.storage.mem_id is not None


def _check_place(spec: TensorSpec, bufsizes: list[int], alignment: int) -> None:
    mem_id, start, _ = place_of(spec.storage)
    if not 0 < mem_id < len(bufsizes):
        raise InternalError(f"memory plan: buffer {mem_id} is not in 1..{len(bufsizes) - 1}")
    if start < 0 or start + spec.nbytes() > bufsizes[mem_id]:
        raise InternalError(
            f"memory plan: bytes {start} to {start + spec.nbytes()} exceed buffer {mem_id} of "
            f"{bufsizes[mem_id]} bytes"
        )
    if start % alignment:
        raise InternalError(f"memory plan: offset {start} is not a multiple of {alignment}")


def _verify_graph(graph_module: GraphModule, state: OwnedMemory) -> OwnedMemory:
    for node in graph_module.graph.nodes:
        inner = regions(node)
        if inner:
            state = _run_regions(node, inner, state)
        elif node.op != "placeholder" and node.target not in _NO_INSTRUCTION:
            _run_node(node, state)
    return state


def _run_regions(node: Node, inner: list[Region], state: OwnedMemory) -> OwnedMemory:
    """Simulate all paths through control-flow graphs, up to a fixed point."""
    _verify_read(node, _all_specs(node.all_input_nodes), state)
    _verify_write(node, _carried_specs(node, inner[0]), state)
    entered: dict[int, OwnedMemory] = {}
    left: dict[int, OwnedMemory] = {START: state}
    pending = [i for i, region in enumerate(inner) if START in region.after]
    while pending:
        position = pending.pop(0)
        entry = certain(left[before] for before in inner[position].after if before in left)
        if entered.get(position) != entry:
            entered[position] = entry
            left[position] = _run_region(inner[position], entry.copy())
            pending += [i for i, region in enumerate(inner) if position in region.after]
    joined = certain(left[i] for i, region in enumerate(inner) if region.is_last and i in left)
    _verify_read(node, specs_of(node), joined)
    return joined


def _carried_specs(node: Node, region: Region) -> list[TensorSpec]:
    """Return carried values and results that are stacked row by row."""
    return _all_specs(region.carriers) + [node.meta["spec"][i] for i in region.stacked]


def _run_region(region: Region, state: OwnedMemory) -> OwnedMemory:
    rows_of = [region.operands[position] for position in region.sliced]
    _verify_read(region.holder, _all_specs(rows_of), state)
    _verify_write(region.holder, _all_specs(region.slices), state)
    state = _verify_graph(region.graph_module, state)
    results = region.results
    leaving = [results[index] for index in (*region.carried_results, *region.stacked)]
    _verify_read(
        region.holder, _all_specs([result for result in leaving if isinstance(result, Node)]), state
    )
    _verify_write(region.holder, _all_specs(region.carriers) if region.carried_results else [], state)
    return state


def _run_node(node: Node, state: OwnedMemory) -> None:
    read, written = _reads_and_writes(node)
    _verify_read(node, read, state)
    _verify_write(node, written, state)
    _verify_read(node, read + written, state)


def _reads_and_writes(node: Node) -> tuple[list[TensorSpec], list[TensorSpec]]:
    """Return the specs that an instruction reads and writes."""
    op = to_torch_overload(node.target)
    if op is None:
        return _all_specs(node.all_input_nodes), specs_of(node)
    arguments = bind_arguments(op, node.args, node.kwargs)
    written = [arguments[name] for name in written_arguments(op) if arguments[name] is not None]
    places = [
        arguments[arg.name]
        for arg in op._schema.arguments
        if arg.is_out and arguments.get(arg.name) is not None
    ]
    read = [source for source in node.all_input_nodes if source not in places]
    return _all_specs(read), _all_specs(written)


def _all_specs(nodes: list[Node]) -> list[TensorSpec]:
    return [spec for node in nodes for spec in specs_of(node)]


def _verify_write(node: Node, specs: list[TensorSpec], state: OwnedMemory) -> None:
    storages = [spec.storage for spec in specs if _is_placed(spec)]
    for spec in storages:
        state.claim(spec)
    for spec in storages:
        if not state.owns(spec):
            raise InternalError("memory plan: two results share bytes", node)


def _verify_read(node: Node, specs: list[TensorSpec], state: OwnedMemory) -> None:
    for spec in specs:
        if _is_placed(spec) and not state.owns(spec.storage):
            mem_id, start, end = place_of(spec.storage)
            raise InternalError(
                f"memory plan: bytes {start} to {end} of buffer {mem_id} are read after another tensor "
                "overwrote them",
                node,
            )

"""Proof that a memory plan is sound, made without the planner's idea of lifetimes.

The verifier runs the method on paper. It keeps, for every byte range of planned memory,
the tensor that wrote it last. A write takes a range over; a read demands that every byte
still belongs to the tensor that is read.
"""

import operator
from dataclasses import dataclass, field

from torch.fx import GraphModule, Node

from exir import memory
from exir.dialects.edge import to_torch_overload
from exir.error import InternalError
from exir.graph.control_flow import branches_of, is_cond
from exir.out_variant import bind_arguments
from exir.tensor import TensorSpec, specs_of

_NO_INSTRUCTION = (operator.getitem, memory.alloc, memory.view)


@dataclass
class _Memory:
    """Who owns which bytes: for each planned buffer, disjoint (start, end, owner)."""

    owned: dict[int, list[tuple[int, int, TensorSpec]]] = field(default_factory=dict)

    def copy(self) -> "_Memory":
        return _Memory({mem_id: list(ranges) for mem_id, ranges in self.owned.items()})

    def claim(self, spec: TensorSpec) -> None:
        """`spec` writes all of its bytes; who owned any of them loses its whole range."""
        mem_id, start, end = _range(spec)
        if start == end:
            return
        ranges = self.owned.setdefault(mem_id, [])
        ranges[:] = [each for each in ranges if each[1] <= start or each[0] >= end]
        ranges.append((start, end, spec))

    def owns(self, spec: TensorSpec) -> bool:
        """Whether the bytes of `spec` are still its own."""
        mem_id, start, end = _range(spec)
        return start == end or (start, end, spec) in self.owned.get(mem_id, [])

    def joined(self, other: "_Memory") -> "_Memory":
        """What is certain after one of two branches has run."""
        return _Memory(
            {
                mem_id: [each for each in ranges if each in other.owned.get(mem_id, [])]
                for mem_id, ranges in self.owned.items()
            }
        )


def verify_memory_plan(graph_module: GraphModule, bufsizes: list[int], alignment: int) -> None:
    """Raise `InternalError` unless every tensor's place lies inside its buffer and is aligned,
    and no instruction reads, and no output or state holds, bytes that another tensor wrote."""
    placed = [spec for node in graph_module.graph.nodes for spec in specs_of(node) if _is_placed(spec)]
    for spec in dict.fromkeys(placed):
        _check_place(spec, bufsizes, alignment)
    state = _Memory()
    for node in graph_module.graph.find_nodes(op="placeholder"):
        _write(node, specs_of(node), state)
    state = _run(graph_module, state)
    for node in graph_module.graph.find_nodes(op="placeholder"):
        _read(node, [spec for spec in specs_of(node) if spec.state], state)


def _is_placed(spec: TensorSpec) -> bool:
    return spec.storage.mem_id is not None


def _range(spec: TensorSpec) -> tuple[int, int, int]:
    assert spec.mem_id is not None and spec.mem_offset is not None
    return spec.mem_id, spec.mem_offset, spec.mem_offset + spec.nbytes


def _check_place(spec: TensorSpec, bufsizes: list[int], alignment: int) -> None:
    mem_id, start, _ = _range(spec.storage)
    if not 0 < mem_id < len(bufsizes):
        raise InternalError(f"memory plan: buffer {mem_id} is not in 1..{len(bufsizes) - 1}")
    if start < 0 or start + spec.nbytes > bufsizes[mem_id]:
        raise InternalError(
            f"memory plan: bytes {start} to {start + spec.nbytes} of buffer {mem_id}, which has"
            f" {bufsizes[mem_id]}"
        )
    if start % alignment:
        raise InternalError(f"memory plan: offset {start} is no multiple of {alignment}")


def _run(graph_module: GraphModule, state: _Memory) -> _Memory:
    for node in graph_module.graph.nodes:
        if is_cond(node):
            state = _run_cond(node, state)
        elif node.op != "placeholder" and node.target not in _NO_INSTRUCTION:
            _run_node(node, state)
    return state


def _run_cond(node: Node, state: _Memory) -> _Memory:
    predicate = node.args[0]
    if isinstance(predicate, Node):
        _read(node, specs_of(predicate), state)
    on_true, on_false = (_run(branch, state.copy()) for branch in branches_of(node))
    joined = on_true.joined(on_false)
    _read(node, specs_of(node), joined)
    return joined


def _run_node(node: Node, state: _Memory) -> None:
    read, written = _reads_and_writes(node)
    _read(node, read, state)
    _write(node, written, state)
    _read(node, read + written, state)


def _reads_and_writes(node: Node) -> tuple[list[TensorSpec], list[TensorSpec]]:
    """What an instruction reads and writes, by its operator's schema."""
    op = to_torch_overload(node.target)
    if op is None:
        return _all_specs(node.all_input_nodes), specs_of(node)
    given = bind_arguments(op, node.args, node.kwargs)
    writes = [arg.name for arg in op._schema.arguments if arg.alias_info and arg.alias_info.is_write]
    written = [given[name] for name in writes]
    read = [source for source in node.all_input_nodes if source not in written]
    return _all_specs(read), _all_specs(written)


def _all_specs(nodes: list[Node]) -> list[TensorSpec]:
    return [spec for node in nodes for spec in specs_of(node)]


def _write(node: Node, specs: list[TensorSpec], state: _Memory) -> None:
    placed = [spec.storage for spec in specs if _is_placed(spec)]
    for spec in placed:
        state.claim(spec)
    for spec in placed:
        if not state.owns(spec):
            raise InternalError("memory plan: two results share bytes", node)


def _read(node: Node, specs: list[TensorSpec], state: _Memory) -> None:
    for spec in specs:
        if _is_placed(spec) and not state.owns(spec.storage):
            mem_id, start, end = _range(spec.storage)
            raise InternalError(
                f"memory plan: bytes {start} to {end} of buffer {mem_id} are read after another"
                " tensor took them",
                node,
            )

"""Inspect a memory plan: lifetimes, reuse and planned values."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch
from torch.export.graph_signature import ExportGraphSignature, InputKind, TensorArgument
from torch.fx import GraphModule, Node

from executorch._adapters.memory_planning_pass import MemoryPlanningPass
from exir import memory
from exir.dialects.edge import to_torch_overload
from exir.dialects.out_variant import is_in_place
from exir.error import InternalError
from exir.memory_planning import MemoryAlgoResult
from exir.planning.liveness import lifetimes_of, schedule
from exir.planning.owned_memory import place_of
from exir.tensor import TensorSpec, specs_of


class Verifier:
    """Checks of a graph module with planned memory."""

    def __init__(
        self,
        graph_module: GraphModule,
        alloc_graph_input: bool = True,
        alloc_graph_output: bool = True,
        alloc_mutable_buffers: bool = True,
        graph_signature: ExportGraphSignature | None = None,
    ) -> None:
        self.graph_module = graph_module
        self.alloc_graph_input = alloc_graph_input
        self.alloc_graph_output = alloc_graph_output
        self._lifetimes = lifetimes_of(graph_module)
        for spec, life in self._lifetimes.items():
            spec.lifetime = [life.first, life.last]  # type: ignore[attr-defined]

    @staticmethod
    def has_overlap(lhs: Sequence[int], rhs: Sequence[int]) -> bool:
        """Return true if two closed ranges overlap."""
        return lhs[0] <= rhs[1] and rhs[0] <= lhs[1]

    @staticmethod
    def lifetime_overlap(lhs: TensorSpec, rhs: TensorSpec) -> bool:
        """Return true if the lifetimes of two tensors overlap."""
        return Verifier.has_overlap(lhs.lifetime, rhs.lifetime)  # type: ignore[attr-defined]

    @staticmethod
    def storage_overlap(lhs: TensorSpec, rhs: TensorSpec) -> bool:
        """Return true if the memory ranges of two tensors overlap."""
        if lhs.mem_id is None or lhs.mem_id != rhs.mem_id or not (lhs.nbytes() and rhs.nbytes()):
            return False
        first, second = ((start, end - 1) for _, start, end in (place_of(lhs), place_of(rhs)))
        return Verifier.has_overlap(first, second)

    def verify_storage_reuse(self, allow_lifetime_and_storage_overlap: bool = False) -> int:
        """Return the number of pairs that share memory.

        Raises an error if both tensors of such a pair are live at the same time.
        """
        reused = 0
        for lhs, rhs in itertools.combinations(self._lifetimes, 2):
            if self.storage_overlap(lhs, rhs):
                if self.lifetime_overlap(lhs, rhs) and not allow_lifetime_and_storage_overlap:
                    raise InternalError(f"two live tensors share memory: {lhs} and {rhs}")
                reused += 1
        return reused

    def verify_graph_input_output(self) -> None:
        """Raise an error unless inputs and outputs are planned as configured."""
        inputs = self.graph_module.graph.find_nodes(op="placeholder")
        outputs = self.graph_module.graph.output_node().all_input_nodes
        for nodes, is_planned in ((inputs, self.alloc_graph_input), (outputs, self.alloc_graph_output)):
            for node in nodes:
                if any((spec.storage.mem_id is not None) != is_planned for spec in specs_of(node) if not spec.const):
                    raise InternalError(f"'{node.name}' is {'not ' if is_planned else ''}planned", node)


def apply_algo(
    algo: Any,
    graph_module: GraphModule,
    alignment: int,
    graph_signature: ExportGraphSignature | None = None,
    alloc_graph_input: bool = True,
    alloc_graph_output: bool = True,
    alloc_mutable_buffers: bool = True,
    enable_non_cpu_memory_planning: bool = False,
) -> list[int]:
    """Plan a graph with `algo`. Return the size of each planned buffer."""
    MemoryPlanningPass(algo, False, alloc_graph_input, alloc_graph_output, alignment=alignment)(graph_module)
    return list(graph_module.meta["non_const_buffer_sizes"])


def filter_nodes(inputs: Iterable[Any]) -> Iterator[Node]:
    """Yield the nodes in nested arguments."""
    yield from (leaf for leaf in torch.utils._pytree.tree_leaves(list(inputs)) if isinstance(leaf, Node))


def get_node_tensor_specs(node: Node) -> list[TensorSpec]:
    """Return the specs of a node's value."""
    return specs_of(node)


def do_user_inputs_exist(graph_signature: ExportGraphSignature) -> bool:
    """Return true if the program has a tensor input."""
    return any(
        spec.kind is InputKind.USER_INPUT and isinstance(spec.arg, TensorArgument)
        for spec in graph_signature.input_specs
    )


def is_inplace_node(node: Node) -> bool:
    """Return true if a node writes to an operand that is not an out argument."""
    op = to_torch_overload(node.target)
    return op is not None and is_in_place(op) and not any(argument.is_out for argument in op._schema.arguments)


def collect_specs_from_nodes(
    nodes: Iterable[Node],
    graph_signature: ExportGraphSignature | None = None,
    ignore_graph_input: bool = False,
    ignore_graph_output: bool = False,
    ignore_mutable_buffers: bool = False,
    ignore_const: bool = True,
    ignore_out_var_node: bool = True,
    dedup: bool = True,
    do_assertion: bool = True,
    ignore_dynamic_unbound_tensor: bool = True,
) -> Iterator[TensorSpec]:
    """Yield the specs of the `nodes` that need memory."""
    seen: set[TensorSpec] = set()
    for node in nodes:
        if (node.target is memory.alloc and ignore_out_var_node) or node.op == "get_attr":
            continue
        if ignore_graph_input and node.op == "placeholder":
            continue
        for spec in specs_of(node):
            if (spec.const and ignore_const) or (dedup and spec in seen):
                continue
            seen.add(spec)
            yield spec


__all__ = ["MemoryAlgoResult", "Verifier", "apply_algo", "schedule"]

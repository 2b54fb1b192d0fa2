"""Offsets of tensors in planned memory.

Tensors have known sizes and lifetimes, and `exir.planning.placement` assigns offsets. `greedy` is not always
optimal; `lower_bound` bounds the distance to the optimum.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from exir.planning.liveness import lifetimes_of
from exir.planning.placement import Block, Placement, aligned, bound, placed, side_by_side
from exir.tensor import TensorSpec

DEFAULT_MEMORY_ID = 1


@dataclass(frozen=True)
class SpecAllocResult:
    """The place of a tensor: planned buffer, shared slot if any, and byte offset."""

    mem_id: int
    mem_obj_id: int | None
    mem_offset: int


@dataclass(frozen=True)
class MemoryAlgoResult:
    """A plan: a place for every spec, and the size of every planned buffer, from id 0."""

    spec_dict: dict[TensorSpec, SpecAllocResult]
    bufsizes: list[int]


MemoryPlanningAlgo: TypeAlias = Callable[
    [int, Sequence[TensorSpec], GraphModule, ExportGraphSignature, int], MemoryAlgoResult
]


def greedy(
    alignment: int,
    specs: Sequence[TensorSpec],
    graph_module: GraphModule,
    graph_signature: ExportGraphSignature,
    extra_padding: int = 0,
) -> MemoryAlgoResult:
    """Place each tensor at the lowest free offset; keep the best of several orders.

    Tensors with a `mem_id` stay in that planned buffer; others are placed in the first.
    `extra_padding` bytes are added to the end of each buffer.
    """
    return _plan_each_memory(
        specs, lambda some: placed(_planned_blocks(some, graph_module, alignment)), extra_padding
    )


def naive(
    alignment: int,
    specs: Sequence[TensorSpec],
    graph_module: GraphModule,
    graph_signature: ExportGraphSignature,
    extra_padding: int = 0,
) -> MemoryAlgoResult:
    """Give every tensor its own memory, so that every value can be inspected later."""
    return _plan_each_memory(
        specs, lambda some: side_by_side(_planned_blocks(some, graph_module, alignment)), extra_padding
    )


def _plan_each_memory(
    specs: Sequence[TensorSpec],
    planned: Callable[[Sequence[TensorSpec]], Placement[TensorSpec]],
    extra_padding: int,
) -> MemoryAlgoResult:
    """Plan the tensors of each buffer separately."""
    by_memory: dict[int, list[TensorSpec]] = {}
    for spec in specs:
        by_memory.setdefault(spec.mem_id or DEFAULT_MEMORY_ID, []).append(spec)
    result = MemoryAlgoResult({}, [0] * (1 + max(by_memory, default=DEFAULT_MEMORY_ID)))
    for mem_id, some in by_memory.items():
        plan = planned(some)
        result.bufsizes[mem_id] = plan.size + extra_padding
        places = {spec: SpecAllocResult(mem_id, None, start) for spec, start in plan.offsets.items()}
        result.spec_dict.update(places)
    return result


@dataclass(frozen=True)
class MemoryPlanningAlgorithmSuite:
    """Run every algorithm, and keep the smallest plan; the first one on a tie."""

    algo_list: Sequence[MemoryPlanningAlgo] = (greedy,)

    def __call__(
        self,
        alignment: int,
        specs: Sequence[TensorSpec],
        graph_module: GraphModule,
        graph_signature: ExportGraphSignature,
        extra_padding: int = 0,
    ) -> MemoryAlgoResult:
        plans = [
            algo(alignment, specs, graph_module, graph_signature, extra_padding)
            for algo in self.algo_list
        ]
        return min(plans, key=lambda plan: sum(plan.bufsizes))


def lower_bound(specs: Iterable[TensorSpec], graph_module: GraphModule, alignment: int) -> int:
    """Return the maximum of live (aligned) bytes over steps, a lower bound."""
    return bound(_planned_blocks(specs, graph_module, alignment))


def _planned_blocks(
    specs: Iterable[TensorSpec], graph_module: GraphModule, alignment: int
) -> list[Block[TensorSpec]]:
    lifetimes = lifetimes_of(graph_module)
    return [Block(spec, aligned(spec.nbytes(), alignment), lifetimes[spec]) for spec in specs]

"""Where tensors lie in planned memory.

Tensors have known sizes and lifetimes; `exir.placement` gives them offsets. `greedy` is not always
optimal; `lower_bound` says how far from it a plan can be at most.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from exir.liveness import lifetimes_of
from exir.placement import Block, Placement, aligned, bound, placed, side_by_side
from exir.tensor import TensorSpec

DEFAULT_MEMORY_ID = 1


@dataclass(frozen=True)
class SpecAllocResult:
    """Where one tensor goes: planned buffer, shared slot if any, byte offset."""

    mem_id: int
    mem_obj_id: int | None
    mem_offset: int


@dataclass(frozen=True)
class MemoryAlgoResult:
    """A plan: a place for every spec, and the bytes of every planned buffer, from id 0."""

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
    """Each tensor at the lowest free offset; the best of several orders of placing them.

    Tensors that have a `mem_id` already lie in that planned buffer, the others in the first.
    `extra_padding` bytes are added to the end of each buffer.
    """
    return _each_memory(
        specs, lambda some: placed(_blocks(some, graph_module, alignment)), extra_padding
    )


def naive(
    alignment: int,
    specs: Sequence[TensorSpec],
    graph_module: GraphModule,
    graph_signature: ExportGraphSignature,
    extra_padding: int = 0,
) -> MemoryAlgoResult:
    """Every tensor has bytes of its own: nothing is reused, every value can be looked at later."""
    return _each_memory(
        specs, lambda some: side_by_side(_blocks(some, graph_module, alignment)), extra_padding
    )


def _each_memory(
    specs: Sequence[TensorSpec],
    planned: Callable[[Sequence[TensorSpec]], Placement[TensorSpec]],
    extra_padding: int,
) -> MemoryAlgoResult:
    """The tensors of each planned buffer by themselves."""
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
    """Runs every algorithm and keeps the plan with the fewest bytes, the first on a tie."""

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
    """The largest sum of (aligned) bytes that live at one step: no plan can be smaller."""
    return bound(_blocks(specs, graph_module, alignment))


def _blocks(
    specs: Iterable[TensorSpec], graph_module: GraphModule, alignment: int
) -> list[Block[TensorSpec]]:
    lifetimes = lifetimes_of(graph_module)
    return [Block(spec, aligned(spec.nbytes(), alignment), lifetimes[spec]) for spec in specs]

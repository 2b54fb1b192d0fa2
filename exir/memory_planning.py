"""Where tensors lie in planned memory.

The problem is offline dynamic storage allocation: tensors with known sizes and lifetimes,
to be given offsets such that two that live at once do not overlap, in as few bytes as
possible. It is NP-hard; `greedy` places tensors one by one at the lowest offset that is
free over their lifetime (offset calculation, Pisarchyk and Lee, "Efficient Memory
Management for Deep Neural Net Inference", 2020), in several orders, and keeps the best.
It is not always optimal; `lower_bound` says how far from it a plan can be at most.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeAlias

from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from exir.liveness import Lifetime, lifetimes_of
from exir.occupancy import Occupancy
from exir.range_maximum import RangeMaximum
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


def aligned(nbytes: int, alignment: int) -> int:
    """`nbytes` rounded up to a multiple of `alignment`."""
    return -(-nbytes // alignment) * alignment


@dataclass
class _Plan:
    """Offsets of tensors, and the bytes that they take together."""

    offsets: dict[TensorSpec, int] = field(default_factory=dict)
    size: int = 0


@dataclass(frozen=True)
class _Block:
    """A tensor to place: aligned bytes and the steps at which it is alive."""

    spec: TensorSpec
    size: int
    lifetime: Lifetime


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
    return _each_memory(specs, lambda some: _smallest(some, graph_module, alignment), extra_padding)


def _smallest(specs: Sequence[TensorSpec], graph_module: GraphModule, alignment: int) -> _Plan:
    blocks = _blocks(specs, graph_module, alignment)
    bound = max(_live_bytes(blocks), default=0)
    best: _Plan | None = None
    for ordered in (_by_size, _by_breadth):
        plan = _placed_in_order(ordered(blocks))
        best = plan if best is None or plan.size < best.size else best
        if best.size == bound:
            break
    assert best is not None
    return best


def naive(
    alignment: int,
    specs: Sequence[TensorSpec],
    graph_module: GraphModule,
    graph_signature: ExportGraphSignature,
    extra_padding: int = 0,
) -> MemoryAlgoResult:
    """Every tensor has bytes of its own: nothing is reused, every value can be looked at later."""
    return _each_memory(specs, lambda some: _side_by_side(some, alignment), extra_padding)


def _side_by_side(specs: Sequence[TensorSpec], alignment: int) -> _Plan:
    plan = _Plan()
    for spec in specs:
        plan.offsets[spec] = plan.size
        plan.size += aligned(spec.nbytes, alignment)
    return plan


def _each_memory(
    specs: Sequence[TensorSpec], planned: Callable[[Sequence[TensorSpec]], _Plan], extra_padding: int
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
    return max(_live_bytes(_blocks(specs, graph_module, alignment)), default=0)


def _blocks(specs: Iterable[TensorSpec], graph_module: GraphModule, alignment: int) -> list[_Block]:
    lifetimes = lifetimes_of(graph_module)
    return [_Block(spec, aligned(spec.nbytes, alignment), lifetimes[spec]) for spec in specs]


def _placed_in_order(blocks: Sequence[_Block]) -> _Plan:
    occupancy = Occupancy(_step_count(blocks))
    plan = _Plan()
    for block in blocks:
        start = occupancy.lowest_free(block.lifetime, block.size)
        end = start + block.size
        if block.size:
            occupancy.take(block.lifetime, start, end)
        plan.offsets[block.spec] = start
        plan.size = max(plan.size, end)
    return plan


def _by_size(blocks: list[_Block]) -> list[_Block]:
    """The largest first; then the longest lived."""
    return sorted(blocks, key=lambda block: (-block.size, -block.lifetime.steps))


def _by_breadth(blocks: list[_Block]) -> list[_Block]:
    """Blocks of the step with the most live bytes first, then of the next; the largest first."""
    live = RangeMaximum(_live_bytes(blocks))
    widest = {block.spec: live.of(block.lifetime.first, block.lifetime.last) for block in blocks}
    return sorted(blocks, key=lambda block: (-widest[block.spec], -block.size))


def _live_bytes(blocks: Sequence[_Block]) -> list[int]:
    """Bytes alive at each step."""
    change = [0] * (_step_count(blocks) + 1)
    for block in blocks:
        change[block.lifetime.first] += block.size
        change[block.lifetime.last + 1] -= block.size
    return list(accumulate(change))[:-1]


def _step_count(blocks: Sequence[_Block]) -> int:
    return max((block.lifetime.last for block in blocks), default=-1) + 1

"""Measure memory planning and its verification for 1,000 to 100,000 tensors.

./bazelw run //benchmarks:memory_planning -- [SIZES]
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Callable

from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from exir.memory_planning import greedy, lower_bound
from exir.planning.plan_verifier import verify_memory_plan
from exir.testing.networks import network, specs_in

_LONG_USES = {"local": 0.0, "1 % long uses": 0.01, "10 % long uses": 0.1}
_ALIGNMENT = 16


def _seconds(run: Callable[[], object]) -> float:
    """Return processor time, which excludes other programs."""
    start = time.process_time()
    run()
    return time.process_time() - start


def _plan(graph_module: GraphModule) -> None:
    plan = greedy(_ALIGNMENT, specs_in(graph_module), graph_module, ExportGraphSignature([], []))
    for spec, place in plan.spec_dict.items():
        spec.mem_id, spec.mem_offset = place.mem_id, place.mem_offset
    graph_module.meta["non_const_buffer_sizes"] = plan.bufsizes


def _verify(graph_module: GraphModule) -> None:
    verify_memory_plan(graph_module, graph_module.meta["non_const_buffer_sizes"], _ALIGNMENT)


def _measure(kind: str, count: int) -> tuple[float, float]:
    graph_module = network(random.Random(count), count, _LONG_USES[kind])
    times = _seconds(lambda: _plan(graph_module)), _seconds(lambda: _verify(graph_module))
    size = graph_module.meta["non_const_buffer_sizes"][1]
    ratio = size / lower_bound(specs_in(graph_module), graph_module, _ALIGNMENT)
    print(f"{kind:16s} {count:8,d} {times[0]:8.2f} s {times[1]:8.2f} s {ratio:10.3f}", flush=True)
    return times


def _slope(kind: str, counts: list[int], times: list[tuple[float, float]]) -> None:
    """Print the exponent of the time's growth: 1 is linear, 2 is quadratic."""
    growth = math.log(counts[-1] / counts[0])
    slopes = [math.log(last / first) / growth for first, last in zip(times[0], times[-1])]
    print(f"{kind:16s} {'slope':>8s} {slopes[0]:8.2f}   {slopes[1]:8.2f}")


def main(counts: list[int]) -> None:
    print(f"{'uses':16s} {'tensors':>8s} {'planning':>10s} {'verifying':>10s} {'of bound':>10s}")
    for kind in _LONG_USES:
        _slope(kind, counts, [_measure(kind, count) for count in counts])


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [1_000, 10_000, 100_000])

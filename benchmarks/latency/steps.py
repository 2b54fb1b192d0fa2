"""Report the cost of each op of this project's programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.latency.catalog import Model
from benchmarks.latency.sides.ours import Ours, run
from benchmarks.latency.sides.side import Setting
from executorch_runtime import Event


@dataclass(frozen=True)
class StepCost:
    """The cheapest run of an instruction, or of an op of its delegate."""

    instruction: int
    step: int | None
    name: str
    cost: int


def text(side: Ours, model: Model, setting: Setting, count: int, runs: int) -> str:
    """Format the `count` most expensive instructions and ops, with shares."""
    method = side.open(model, setting, watched=True)
    seen = []
    for _ in range(runs):
        method.clear_events()
        run(method, model.inputs)
        seen.append(method.events())
    return "\n".join([f"{model.name}, {side.name}:", *_lines(cheapest(seen), count)])


def cheapest(runs: Sequence[Iterable[Event]]) -> list[StepCost]:
    """Return the cheapest run of each instruction and op.

    Repetitions within a run are summed.
    """
    summed = [_summed(events) for events in runs]
    return [StepCost(*place, min(costs[place] for costs in summed if place in costs)) for place in summed[0]]


def _summed(events: Iterable[Event]) -> Counter[tuple[int, int | None, str]]:
    costs: Counter[tuple[int, int | None, str]] = Counter()
    instruction = 0
    for event in events:
        is_step = event.kind == "step"
        instruction = instruction if is_step else event.index
        costs[instruction, event.index if is_step else None, event.name] += event.end - event.begin
    return costs


def _lines(steps: list[StepCost], count: int) -> list[str]:
    whole = sum(step.cost for step in steps if step.step is None)
    dearest = sorted(steps, key=lambda step: -step.cost)[:count]
    return [
        f"  {step.cost / 1e6:9.3f} M {step.cost / whole:6.1%}  {_place(step):>10s}  {step.name}" for step in dearest
    ]


def _place(step: StepCost) -> str:
    return str(step.instruction) if step.step is None else f"{step.instruction}.{step.step}"

"""What each step of our programs costs."""

from __future__ import annotations

from benchmarks.latency.catalogue import Model
from benchmarks.latency.native import StepCost
from benchmarks.latency.sides.ours import Ours, run
from benchmarks.latency.sides.side import Setting


def text(side: Ours, model: Model, setting: Setting, count: int, runs: int) -> str:
    """The dearest `count` instructions and steps of the program, and what share of all of it each takes."""
    program = side.open(model, setting, watched=True)
    for _ in range(runs):
        run(program, model.inputs)
    found = program.steps()
    program.close()
    return "\n".join([f"{model.name}, {side.name}:", *_lines(found, count)])


def _lines(steps: list[StepCost], count: int) -> list[str]:
    whole = sum(step.cost for step in steps if step.step is None)
    dearest = sorted(steps, key=lambda step: -step.cost)[:count]
    return [
        f"  {step.cost / 1e6:9.3f} M {step.cost / whole:6.1%}  {_place(step):>10s}  {step.name}" for step in dearest
    ]


def _place(step: StepCost) -> str:
    return str(step.instruction) if step.step is None else f"{step.instruction}.{step.step}"

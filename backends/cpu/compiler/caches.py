"""Caches of float16 and bfloat16: rows are written, and attention reads, where the two bytes lie."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from backends.cpu.compiler.graph import State, Step, StepGraph, Value
from backends.cpu.compiler.kinds.attention import Attention
from backends.cpu.compiler.kinds.convert import HALVES, Convert
from backends.cpu.compiler.kinds.permute import Permute
from backends.cpu.compiler.kinds.update import Update
from backends.cpu.compiler.unread import drop_unread


def keep_halves(graph: StepGraph) -> None:
    """Let a state of halves, which becomes floats, is updated, and becomes halves again, be updated itself.

    After: its new rows alone become halves, and what lies in it floats for who needs them; attention reads halves.
    """
    writers = {value.storage: step for step in graph.steps for value in step.outputs}
    updated = {step: update for step in graph.steps if (update := _update_of(step, writers)) is not None}
    states = {update: step.output.storage for step, update in updated.items()}
    graph.steps = [each for step in graph.steps if step not in updated for each in _kept(step, states.get(step))]
    halves = {step.output.storage: step.inputs[0].storage for step in graph.steps if _reads_state(step)}
    graph.steps = [_attending(step, halves) for step in graph.steps]
    drop_unread(graph)


def _update_of(copy: Step, writers: Mapping[Value, Step]) -> Step | None:
    """What gives the new value of a state of halves that `copy` puts there, where that is an update of its old one."""
    state = copy.output.storage
    if not isinstance(copy.operation, Permute) or not isinstance(state.place, State) or state.dtype not in HALVES:
        return None
    back = _writer(copy, Convert, writers)
    update = back and _writer(back, Update, writers)
    old = update and _writer(update, Convert, writers)
    return update if old is not None and old.inputs[0].storage is state else None


def _writer(reader: Step, kind: type, writers: Mapping[Value, Step]) -> Step | None:
    found = writers.get(reader.inputs[0].storage)
    return found if found is not None and isinstance(found.operation, kind) else None


def _kept(step: Step, state: Value | None) -> Iterator[Step]:
    """`step`, or where it is an update of floats of `state`, the same of `state`, and that as floats."""
    if state is None:
        yield step
        return
    cache, rows, *places = step.inputs
    changed = step.output.storage
    halves = Value(state.dtype, rows.dims)
    over, output = (Value(state.dtype, each.dims, base=state) for each in (cache, step.output))
    yield Step(Convert(), (rows,), (halves,), nodes=step.nodes)
    yield replace(step, inputs=(over, halves, *places), outputs=(output,))
    yield Step(Convert(), (Value(state.dtype, changed.dims, base=state),), (changed,), nodes=step.nodes)


def _reads_state(step: Step) -> bool:
    read = step.inputs[0].storage if isinstance(step.operation, Convert) else None
    return read is not None and isinstance(read.place, State) and read.dtype in HALVES


def _attending(step: Step, halves: Mapping[Value, Value]) -> Step:
    """Attention, which reads keys and values that are halves as they lie."""
    both = step.inputs[1:3]
    if not isinstance(step.operation, Attention) or not all(each.storage in halves for each in both):
        return step
    states = (halves[each.storage] for each in both)
    lying = (Value(state.dtype, each.dims, base=state) for state, each in zip(states, both, strict=True))
    return replace(step, inputs=(step.inputs[0], *lying, *step.inputs[3:]))

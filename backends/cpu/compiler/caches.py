"""Let cache updates and SDPA access float16 KV caches without a float32 copy."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from backends.cpu.compiler.folding import eliminate_dead_ops
from backends.cpu.compiler.graph import Op, OpGraph, State, Value
from backends.cpu.compiler.ops.quantization import FLOAT16_DTYPES
from backends.cpu.schema.attention import KvUpdate, SdpaF32
from backends.cpu.schema.copies import Permute
from backends.cpu.schema.quantization import Cast


def keep_float16_caches(graph: OpGraph) -> None:
    """Update float16 and bfloat16 states in place.

    The program widens such a state, updates it and narrows it.

    After: only new rows are narrowed. The state is widened only for readers other than SDPA.
    """
    writers = {value.storage: op for op in graph.ops for value in op.outputs}
    updated = {op: update for op in graph.ops if (update := _update_of(op, writers)) is not None}
    states = {update: op.output.storage for op, update in updated.items()}
    graph.ops = [each for op in graph.ops if op not in updated for each in _kept(op, states.get(op))]
    graph.ops = list(_with_attention_to_states(graph.ops))
    eliminate_dead_ops(graph)


def _update_of(copy: Op, writers: Mapping[Value, Op]) -> Op | None:
    """Return the cache update of a float16 or bfloat16 state, or None.

    `copy` stores the update's result, narrowed to the state's dtype, in the state. The dtype is
    float16 or bfloat16, because only states are both read and written, and only floats are cast to
    a wider dtype.
    """
    if not isinstance(copy.spec, Permute):
        return None
    back = _writer(copy, Cast, writers)
    update = back and _writer(back, KvUpdate, writers)
    old = update and _writer(update, Cast, writers)
    return update if old is not None and old.inputs[0].storage is copy.output.storage else None


def _writer(reader: Op, kind: type, writers: Mapping[Value, Op]) -> Op | None:
    found = writers.get(reader.inputs[0].storage)
    return found if found is not None and isinstance(found.spec, kind) else None


def _kept(op: Op, state: Value | None) -> Iterator[Op]:
    """Yield `op`, or, if it updates `state`, an in-place update and a cast to float32."""
    if state is None:
        yield op
        return
    cache, rows, *places = op.inputs
    changed = op.output.storage
    halves = Value(state.dtype, rows.dims)
    over, output = (Value(state.dtype, each.dims, base=state) for each in (cache, op.output))
    yield Op(Cast(), (rows,), (halves,), nodes=op.nodes)
    yield replace(op, inputs=(over, halves, *places), outputs=(output,))
    yield Op(Cast(), (Value(state.dtype, changed.dims, base=state),), (changed,), nodes=op.nodes)


def _with_attention_to_states(ops: Iterable[Op]) -> Iterator[Op]:
    """Let each SDPA read states in place of widened states.

    An exception is a state that an op has written since the cast.
    """
    states: dict[Value, Value] = {}
    for op in ops:
        yield _attending(op, states)
        written = {value.storage for value in op.outputs}
        states = {widened: state for widened, state in states.items() if state not in written}
        if _reads_state(op):
            states[op.output.storage] = op.inputs[0].storage


def _reads_state(op: Op) -> bool:
    read = op.inputs[0].storage if isinstance(op.spec, Cast) else None
    return read is not None and isinstance(read.place, State) and read.dtype in FLOAT16_DTYPES


def _attending(op: Op, states: Mapping[Value, Value]) -> Op:
    """Let an SDPA read keys and values from states, if both are widened states.

    Return other ops unchanged.
    """
    both = op.inputs[1:3]
    if not isinstance(op.spec, SdpaF32) or not all(each.storage in states for each in both):
        return op
    narrow = (Value(states[each.storage].dtype, each.dims, base=states[each.storage]) for each in both)
    return replace(op, inputs=(op.inputs[0], *narrow, *op.inputs[3:]))

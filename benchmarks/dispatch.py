"""Measure the dispatch of an instruction, with and without a trace.

Programs execute 10,000 additions of integers or one-element tensors.

    ./bazelw run //benchmarks:dispatch -- [RUNS]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from executorch_runtime import Method, Program
from executorch_runtime.cli.latency import measured
from exir import schema
from exir._serialize import PTEFile, serialize_pte_binary

_INSTRUCTIONS = 10_000


def additions_of_ints() -> schema.ExecutionPlan:
    """Compute c = a + b: almost no work."""
    steps = [schema.Instruction(schema.KernelCall(0, [0, 1, 2]))] * _INSTRUCTIONS
    return schema.ExecutionPlan(
        name="forward",
        values=[schema.EValue(schema.Int(number)) for number in (1, 2, 0)],
        outputs=[2],
        chains=[schema.Chain(instructions=steps)],
        operators=[schema.Operator("executorch_prim::add", "Scalar")],
        non_const_buffer_sizes=[0],
    )


def additions_of_tensors() -> schema.ExecutionPlan:
    """Compute a = a + c, alternating between two buffers."""
    steps = [_add(index % 2, 1 - index % 2) for index in range(_INSTRUCTIONS)]
    return schema.ExecutionPlan(
        name="forward",
        values=[_tensor(0), _tensor(16), _tensor(32), schema.EValue(schema.Int(1))],
        inputs=[0, 2],
        outputs=[_INSTRUCTIONS % 2],
        chains=[schema.Chain(instructions=steps)],
        operators=[schema.Operator("aten::add", "out")],
        non_const_buffer_sizes=[0, 48],
    )


def _tensor(offset: int) -> schema.EValue:
    place = schema.AllocationDetails(memory_id=1, memory_offset_low=offset)
    return schema.EValue(schema.Tensor(schema.ScalarType.FLOAT, sizes=[1], dim_order=[0], allocation_info=place))


def _add(source: int, target: int) -> schema.Instruction:
    return schema.Instruction(schema.KernelCall(0, [source, 2, 3, target, target]))


def nanoseconds(methods: Sequence[Method], runs: int) -> list[float]:
    """Return nanoseconds per instruction in the fastest of interleaved runs."""
    times = [[_execution_time(method) for method in methods] for _ in range(runs)]
    return [min(of_one) / _INSTRUCTIONS for of_one in zip(*times)]


def _execution_time(method: Method) -> int:
    method.clear_events()
    borrowed = [method.set_input(index, np.ones(1, np.float32)) for index in range(len(method.signature.inputs))]
    (time,) = measured(method.execute, 1).times
    del borrowed
    return time


def _line(what: str, plan: schema.ExecutionPlan, runs: int, folder: Path) -> str:
    path = folder / "adds.pte"
    program = schema.Program(execution_plan=[plan], constant_buffer=[schema.Buffer()])
    path.write_bytes(bytes(serialize_pte_binary(PTEFile(program))))
    opened = Program(path)
    alone, traced = nanoseconds([opened.method(trace=trace) for trace in (False, True)], runs)
    return f"an addition of {what}: {alone:.1f} ns, traced {traced:.1f} ns ({traced - alone:+.1f})"


def main(arguments: list[str]) -> None:
    runs = int(arguments[0]) if arguments else 100
    with tempfile.TemporaryDirectory() as folder:
        print(_line("two ints", additions_of_ints(), runs, Path(folder)))
        print(_line("tensors of one element", additions_of_tensors(), runs, Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1:])

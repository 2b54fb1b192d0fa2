"""Reports as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from executorch_report.delegates import steps_of
from executorch_report.facts import Delegate, MethodFacts, ProgramFacts
from executorch_report.memory import Buffer

FORMAT = 1


def program_document(facts: ProgramFacts) -> dict[str, Any]:
    """Return the whole description as a JSON object."""
    return {
        "format": FORMAT,
        "file": facts.file,
        "bytes": facts.nbytes,
        "segments": [
            {"what": segment.what, "at": segment.offset, "bytes": segment.nbytes} for segment in facts.segments
        ],
        "named_data": [{"key": key, "bytes": size} for key, size in facts.named],
        "external": list(facts.external),
        "methods": [_method(method) for method in facts.methods],
    }


def _method(method: MethodFacts) -> dict[str, Any]:
    return {
        "name": method.name,
        "inputs": [asdict(tensor) for tensor in method.inputs],
        "outputs": [asdict(output) for output in method.outputs],
        "operators": [
            {"name": name, "dtypes": list(dtypes), "calls": count} for (name, dtypes), count in method.operators.items()
        ],
        "delegates": [_delegate(delegate) for delegate in method.delegates],
        "instructions": [
            {"kind": instruction.kind, "name": instruction.name, "tensors": list(instruction.tensors)}
            for instruction in method.instructions
        ],
        "memory": [_buffer(buffer) for buffer in method.planned],
        "shared_memory_id": method.shared_memory_id,
        "constants": [
            {"name": weight.name, "dtype": weight.dtype, "shape": list(weight.shape), "bytes": weight.nbytes}
            for weight in method.weights
        ],
    }


def _delegate(delegate: Delegate) -> dict[str, Any]:
    steps = [{"name": step.name, "tensors": list(step.tensors)} for step in steps_of(delegate)]
    return {"backend": delegate.backend, "bytes": delegate.nbytes, "steps": steps}


def _buffer(buffer: Buffer) -> dict[str, Any]:
    return {
        "memory_id": buffer.memory_id,
        "bytes": buffer.nbytes,
        "peak_bytes": buffer.peak,
        "peak_instruction": buffer.peak_at,
        "tensors": [asdict(block) for block in buffer.blocks],
    }

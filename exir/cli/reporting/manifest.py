"""The manifest: what a program takes, gives, calls and needs, as JSON."""

import hashlib
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

from exir import schema
from exir.cli.arguments import Arguments
from exir.cli.quantization import Bytes, Quantization
from exir.cli.reporting.delegates import delegate_parts
from exir.cli.reporting.method_memory import (
    CalledMemory,
    delegate_memory,
    kernel_memory,
    method_counts,
)
from exir.files import Write
from exir.operators.kernels import KernelTable
from exir.program import ExecutorchProgramManager
from exir.program.report import MethodReport, OperatorUse, ValueReport
from exir.quantize import Decision

FORMAT = 2


def render_manifest(
    arguments: Arguments,
    manager: ExecutorchProgramManager,
    table: KernelTable | None,
    quantization: Quantization | None = None,
) -> str:
    """The manifest of a program as text: sorted keys, so that equal programs give equal bytes."""
    program, report = manager.executorch_program, manager.report
    methods = [
        _method(method, plan, program, table)
        for method, plan in zip(report.methods, program.execution_plan)
    ]
    content = {
        "format": FORMAT,
        "target": arguments.target,
        "weights": "seed" if arguments.weights is None else "file",
        "program": _file(arguments.out_pte, manager.write_to_file),
        "external": _external(arguments, manager),
        "methods": methods,
        "operators": _operators(use for method in report.methods for use in method.operator_uses),
        "backends": sorted({each["id"] for method in methods for each in method["delegates"]}),
    }
    if quantization is not None:
        content["quantization"] = _quantization(quantization)
    return json.dumps(content, indent=1, sort_keys=True) + "\n"


def _quantization(quantization: Quantization) -> dict[str, Any]:
    return {
        "recipe": quantization.options.recipe,
        "methods": [
            {
                "name": name,
                "inputs": _bytes(quantization.inputs.get(name, {})),
                "outputs": _bytes(quantization.outputs.get(name, {})),
                "quantized": [_decision(each) for each in decisions if not each.reason],
                "float": [
                    _decision(each) | {"reason": each.reason} for each in decisions if each.reason
                ],
            }
            for name, decisions in sorted(quantization.decisions.items())
        ],
    }


def _bytes(found: Bytes) -> list[dict[str, Any]]:
    """How inputs or outputs are quantized that are bytes."""
    return [
        {"index": index, "scale": each.scale, "zero_point": each.zero_point}
        for index, each in sorted(found.items())
    ]


def _decision(decision: Decision) -> dict[str, str]:
    return {"module": decision.module, "operator": decision.operator, "source": decision.source}


class _Digest(io.RawIOBase):
    """A file that keeps nothing of what is written but its length and hash."""

    def __init__(self) -> None:
        self.length = 0
        self.sha256 = hashlib.sha256()

    def write(self, data: Any) -> int:
        """Take `data` into account."""
        self.sha256.update(data)
        self.length += memoryview(data).nbytes
        return memoryview(data).nbytes


def _file(path: Path | None, write: Write) -> dict[str, Any]:
    digest = _Digest()
    write(cast(BinaryIO, digest))
    return {
        "file": path.name if path else "",
        "bytes": digest.length,
        "sha256": digest.sha256.hexdigest(),
    }


def _external(arguments: Arguments, manager: ExecutorchProgramManager) -> list[dict[str, Any]]:
    """The files that the program needs beside itself."""
    if not arguments.external_weights:
        return []
    return [_file(arguments.out_weights, manager.merged_external_data.write_to_file)]


def _method(
    report: MethodReport,
    plan: schema.ExecutionPlan,
    program: schema.Program,
    table: KernelTable | None,
) -> dict[str, Any]:
    return {
        "name": report.name,
        "inputs": [_value(value) for value in report.inputs],
        "outputs": [_value(value) for value in report.outputs],
        "operators": _operators(report.operator_uses),
        "delegates": _delegates(report, plan, program),
        "not_delegated": _not_delegated(report.operator_uses),
        "bytes": _computed_in_bytes(report.operator_uses),
        "instructions": report.instruction_count,
        "memory": _memory(report, plan, program, table),
    }


def _delegates(
    report: MethodReport, plan: schema.ExecutionPlan, program: schema.Program
) -> list[dict[str, Any]]:
    return [
        {"id": each.backend_id, "bytes": each.nbytes, "parts": parts}
        for each, parts in zip(report.delegates, delegate_parts(plan, program), strict=True)
    ]


def _memory(
    report: MethodReport,
    plan: schema.ExecutionPlan,
    program: schema.Program,
    table: KernelTable | None,
) -> dict[str, Any]:
    delegates = delegate_memory(plan, program)
    kernels = kernel_memory(plan, table) if table else CalledMemory((), (), ())
    return {
        "planned_bytes": list(report.planned_bytes[1:]),
        "shared_id": report.shared_memory_id,
        "lower_bound_bytes": report.lower_bound_bytes,
        "counts": dict(method_counts(plan)),
        "kept": sorted([*delegates.kept, *kernels.kept]),
        "scratch": sorted({*delegates.scratch, *kernels.scratch}),
        "headers": sorted({*delegates.headers, *kernels.headers}),
    }


def _value(value: ValueReport) -> dict[str, Any]:
    described: dict[str, Any] = {"name": value.name, "kind": value.kind.lower()}
    if value.kind == schema.Tensor.__name__:
        described |= {
            "dtype": value.dtype,
            "shape": list(value.shape),
            "dim_order": list(value.dim_order),
            "dynamism": "dynamic_bound" if value.is_dynamic else "static",
        }
    return described


def _not_delegated(uses: Iterable[OperatorUse]) -> list[dict[str, str]]:
    """Each call that a backend has left to kernels, and why, once, sorted."""
    distinct = {
        (use.source, use.name, backend, reason)
        for use in uses
        for backend, reason in use.refusals.items()
    }
    return [
        {"source": source, "operator": name, "backend": backend, "reason": reason}
        for source, name, backend, reason in sorted(distinct)
    ]


def _computed_in_bytes(uses: Sequence[OperatorUse]) -> dict[str, Any]:
    """How many calls compute in bytes, and each that computes floats between bytes, and why, sorted."""
    left = sorted({(use.source, use.name, use.stays_float) for use in uses if use.stays_float})
    return {
        "fused": sum(use.name.startswith("quantized_bytes::") for use in uses),
        "float": [
            {"source": source, "operator": name, "reason": reason} for source, name, reason in left
        ],
    }


def _operators(uses: Iterable[OperatorUse]) -> list[dict[str, Any]]:
    """Each operator with each combination of dtypes, in either layout, once, sorted."""
    distinct = sorted({(use.name, use.dtypes, use.channels_last) for use in uses})
    return [
        {"name": name, "dtypes": list(dtypes)} | ({"channels_last": True} if last else {})
        for name, dtypes, last in distinct
    ]

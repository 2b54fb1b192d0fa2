"""The manifest of a compiled program."""

import hashlib
import io
from pathlib import Path
from typing import Any, BinaryIO, cast

from exir import schema
from exir.cli.arguments import Arguments
from exir.cli.quantization import Bytes, Quantization
from exir.cli.reporting.delegates import delegate_memory, delegate_parts
from exir.files.atomic import Write
from exir.inspection.manifest import manifest_text, method_content, methods_content
from exir.inspection.memory import kernel_memory
from exir.inspection.report import MethodReport
from exir.operators.kernels import KernelTable
from exir.program import ExecutorchProgramManager
from exir.quantize import Decision


def render_manifest(
    arguments: Arguments,
    manager: ExecutorchProgramManager,
    table: KernelTable | None,
    quantization: Quantization | None = None,
) -> str:
    """Return the manifest of a program as text."""
    program, report = manager.executorch_program, manager.report
    methods = [
        _method(method, plan, program, table)
        for method, plan in zip(report.methods, program.execution_plan)
    ]
    content = {
        "target": arguments.target,
        "weights": "seed" if arguments.weights is None else "file",
        "program": _file(arguments.out_pte, manager.write_to_file),
        "external": _external(arguments, manager),
        **methods_content(report.methods, methods),
    }
    if quantization is not None:
        content["quantization"] = _quantization(quantization)
    return manifest_text(content)


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
    """Return the quantization parameters of quantized inputs or outputs."""
    return [
        {"index": index, "scale": each.scale, "zero_point": each.zero_point}
        for index, each in sorted(found.items())
    ]


def _decision(decision: Decision) -> dict[str, str]:
    return {"module": decision.module, "operator": decision.operator, "source": decision.source}


class _Digest(io.RawIOBase):
    """A file object that keeps only the length and the hash of the written data."""

    def __init__(self) -> None:
        self.length = 0
        self.sha256 = hashlib.sha256()

    def write(self, data: Any) -> int:
        """Add `data` to the length and the hash."""
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
    """Return the external files of the program."""
    if not arguments.external_weights:
        return []
    return [_file(arguments.out_weights, manager.merged_external_data.write_to_file)]


def _method(
    report: MethodReport,
    plan: schema.ExecutionPlan,
    program: schema.Program,
    table: KernelTable | None,
) -> dict[str, Any]:
    called = [delegate_memory(plan, program), *([kernel_memory(plan, table)] if table else [])]
    return method_content(report, plan, delegate_parts(plan, program), called)

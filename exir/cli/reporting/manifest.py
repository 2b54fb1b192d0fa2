"""The manifest of a compiled program."""

import hashlib
import inspect
import io
from pathlib import Path
from typing import Any, BinaryIO, cast

from exir import schema
from exir.cli.arguments import Arguments
from exir.cli.quantization import IoParams, Quantization
from exir.cli.reporting.delegates import delegate_memory, delegate_parts
from exir.files.atomic import Write
from exir.inspection.manifest import manifest_text, method_content, methods_content
from exir.inspection.memory import kernel_memory
from exir.inspection.report import MethodReport
from exir.model.spec import ModelSpec
from exir.operators.kernels import KernelTable
from exir.program import ExecutorchProgramManager
from exir.quantize import Decision


def render_manifest(
    arguments: Arguments,
    manager: ExecutorchProgramManager,
    table: KernelTable | None,
    quantization: Quantization | None = None,
    spec: ModelSpec | None = None,
) -> str:
    """Return the manifest of a program as text. The docstrings are those of `spec`."""
    program, report = manager.executorch_program, manager.report
    docs = _method_docs(spec) if spec else {}
    methods = [
        {**_method_entry(method, plan, program, table), "doc": docs.get(method.name, "")}
        for method, plan in zip(report.methods, program.execution_plan)
    ]
    content = {
        "target": arguments.target,
        "doc": _doc_of(type(spec.module)) if spec else "",
        "weights": "seed" if arguments.weights is None else "file",
        "program": _file_entry(arguments.out_pte, manager.write_to_file),
        "external": _external_files_entry(arguments, manager),
        **methods_content(report.methods, methods),
    }
    if quantization is not None:
        content["quantization"] = _quantization_entry(quantization)
    return manifest_text(content)


def _method_docs(spec: ModelSpec) -> dict[str, str]:
    return {
        name: _doc_of(getattr(type(method.module), method.function, None))
        for name, method in spec.resolved_methods().items()
    }


def _doc_of(documented: object) -> str:
    """Return the docstring of a class or function of the user, not of PyTorch."""
    owner = str(getattr(documented, "__module__", ""))
    if owner == "torch" or owner.startswith("torch."):
        return ""
    return inspect.cleandoc(getattr(documented, "__doc__", None) or "")


def _quantization_entry(quantization: Quantization) -> dict[str, Any]:
    return {
        "recipe": quantization.options.recipe,
        "methods": [
            {
                "name": name,
                "inputs": _io_quantization_entry(quantization.inputs.get(name, {})),
                "outputs": _io_quantization_entry(quantization.outputs.get(name, {})),
                "quantized": [
                    _decision_entry(decision) for decision in decisions if not decision.reason
                ],
                "float": [
                    _decision_entry(decision) | {"reason": decision.reason}
                    for decision in decisions
                    if decision.reason
                ],
            }
            for name, decisions in sorted(quantization.decisions.items())
        ],
    }


def _io_quantization_entry(found: IoParams) -> list[dict[str, Any]]:
    """Return the quantization parameters of quantized inputs or outputs."""
    return [
        {"index": index, "scale": params.scale, "zero_point": params.zero_point}
        for index, params in sorted(found.items())
    ]


def _decision_entry(decision: Decision) -> dict[str, str]:
    return {"module": decision.module, "operator": decision.operator, "source": decision.source}


class _DigestFile(io.RawIOBase):
    """A file object that keeps only the length and the hash of the written data."""

    def __init__(self) -> None:
        self.length = 0
        self.sha256 = hashlib.sha256()

    def write(self, data: Any) -> int:
        """Add `data` to the length and the hash."""
        self.sha256.update(data)
        self.length += memoryview(data).nbytes
        return memoryview(data).nbytes


def _file_entry(path: Path | None, write: Write) -> dict[str, Any]:
    digest = _DigestFile()
    write(cast(BinaryIO, digest))
    return {
        "file": path.name if path else "",
        "bytes": digest.length,
        "sha256": digest.sha256.hexdigest(),
    }


def _external_files_entry(
    arguments: Arguments, manager: ExecutorchProgramManager
) -> list[dict[str, Any]]:
    """Return the external files of the program."""
    if not arguments.external_weights:
        return []
    return [_file_entry(arguments.out_weights, manager.merged_external_data.write_to_file)]


def _method_entry(
    report: MethodReport,
    plan: schema.ExecutionPlan,
    program: schema.Program,
    table: KernelTable | None,
) -> dict[str, Any]:
    called = [delegate_memory(plan, program), *([kernel_memory(plan, table)] if table else [])]
    return method_content(report, plan, delegate_parts(plan, program), called)

"""Write the manifest of a prebuilt program, so that it can be linked.

    python -m exir.cli.describe --target //app:net --pte net.pte --kernels kernels.toml --out-manifest net.manifest.json

It needs no packages, unless a delegate's requirements come from its backend's Python side
(`--backend`).

Exit codes: 0 success, 1 invalid program or flag.
"""

import argparse
import hashlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from exir import schema
from exir._serialize import deserialize_pte_binary
from exir.base_error import ConfigError, InvalidProgramError, UserError
from exir.files.unreadable import invalid_program_message
from exir.inspection.imported import external_tensors, imported_methods
from exir.inspection.indices import check_indices
from exir.inspection.kernels import calls_without_kernel, load_tables
from exir.inspection.manifest import manifest_text, method_content, methods_content
from exir.inspection.memory import (
    CalledMemory,
    RuntimeMemory,
    called_memory,
    kernel_memory,
    measured_memory,
    payload_of,
)
from exir.inspection.report import MethodReport
from exir.operators.kernels import KernelTable


def describe(options: argparse.Namespace) -> str:
    """Return the manifest as text. Raises `UserError`."""
    program = _read_program_file(options.pte)
    _, table = load_tables(tuple(options.operators), tuple(options.kernels))
    assert table is not None, "a flag that is required"
    reports = imported_methods(program)
    _check_calls(options.pte, program, reports, table)
    _check_weights(options, program)
    _check_backends(options, reports)
    methods = [
        _describe_method(report, plan, table, options, program)
        for report, plan in zip(reports, program.execution_plan, strict=True)
    ]
    content = {
        "target": options.target,
        "weights": "file",
        "program": _hash_file(options.pte),
        "external": [_hash_file(weight) for weight in options.weights],
        **methods_content(reports, methods),
    }
    return manifest_text(content)


def _read_program_file(path: Path) -> schema.Program:
    try:
        program = deserialize_pte_binary(path.read_bytes()).program
        check_indices(program)
    except InvalidProgramError as error:
        raise ConfigError(invalid_program_message(path, error)) from error
    return program


def _check_calls(
    path: Path, program: schema.Program, reports: Sequence[MethodReport], table: KernelTable
) -> None:
    problems = calls_without_kernel(program.execution_plan, reports, table)
    if problems:
        raise ConfigError(
            f"{path}: no kernel of this build supports these calls:{problems}\n  add kernels to the "
            "attribute 'kernels' (kernels/README.md)"
        )


def _check_weights(options: argparse.Namespace, program: schema.Program) -> None:
    names = external_tensors(program)
    if names and not options.weights:
        shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        raise ConfigError(
            f"{options.pte}: {len(names)} weights are in a separate file ({shown}); pass the .ptd file "
            "in 'weights'"
        )


def _describe_method(
    report: MethodReport,
    plan: schema.ExecutionPlan,
    table: KernelTable,
    options: argparse.Namespace,
    program: schema.Program,
) -> dict[str, Any]:
    parts, delegates = _describe_delegates(report, plan, options, program)
    return method_content(report, plan, parts, [delegates, kernel_memory(plan, table)])


def _describe_delegates(
    report: MethodReport,
    plan: schema.ExecutionPlan,
    options: argparse.Namespace,
    program: schema.Program,
) -> tuple[list[list[str]], CalledMemory]:
    """Return the backend parts of each delegate, and the memory of all delegates."""
    measures = dict(options.measure)
    if any(delegate.id not in measures for delegate in plan.delegates):
        _import_backends(options)
    needs = [_describe_delegate(delegate, program, measures) for delegate in plan.delegates]
    return [parts for parts, _ in needs], called_memory([memory for _, memory in needs])


def _import_backends(options: argparse.Namespace) -> None:
    # These imports need torch.
    from exir.cli.loading.import_roots import use_import_roots
    from exir.cli.loading.references import resolve

    use_import_roots(tuple(options.import_root))
    for reference in options.backend:
        resolve(reference, "--backend", tuple(options.import_root))


def _describe_delegate(
    delegate: schema.BackendDelegate, program: schema.Program, measures: Mapping[str, Path]
) -> tuple[list[str], RuntimeMemory]:
    """Return the parts and the memory of one delegate.

    A `--measure` program of the backend has priority over the backend's Python side.
    """
    name = str(delegate.id)
    if name in measures:
        return [], measured_memory(measures[name], payload_of(delegate, program), name)
    from exir.cli.reporting.delegates import memory_of, parts_of

    return parts_of(delegate, program), memory_of(delegate, program)


def _check_backends(options: argparse.Namespace, reports: Sequence[MethodReport]) -> None:
    known = [*options.backend_id, *dict(options.measure)]
    missing = {delegate.backend_id for report in reports for delegate in report.delegates}.difference(
        known
    )
    for name in sorted(missing):
        raise ConfigError(
            f"{options.pte}: delegates to '{name}', which is not in 'backend'; add a backend target "
            "for it"
        )


def _hash_file(path: Path) -> Mapping[str, Any]:
    content = path.read_bytes()
    return {
        "file": path.name,
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _parse_measure(text: str) -> tuple[str, Path]:
    name, _, path = text.partition("=")
    return name, Path(path)


def _parse_options(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="describe", fromfile_prefix_chars="@", allow_abbrev=False)
    parser.add_argument(
        "--target", required=True, help="label of the target, for messages and the manifest"
    )
    parser.add_argument("--pte", type=Path, required=True, help="program (.pte)")
    parser.add_argument(
        "--weights",
        type=Path,
        action="append",
        default=[],
        help="weights file of the program (.ptd); repeatable",
    )
    parser.add_argument(
        "--operators",
        type=Path,
        action="append",
        default=[],
        help="table of custom operators; repeatable",
    )
    parser.add_argument(
        "--kernels", type=Path, action="append", required=True, help="table of kernels; repeatable"
    )
    parser.add_argument(
        "--measure",
        type=_parse_measure,
        action="append",
        default=[],
        help="ID=PROGRAM: program that measures the delegates of backend ID; repeatable",
    )
    parser.add_argument(
        "--backend-id", action="append", default=[], help="id of a linked backend; repeatable"
    )
    parser.add_argument(
        "--backend",
        action="append",
        default=[],
        help="compiler side of a backend, MODULE:ATTRIBUTE; repeatable",
    )
    parser.add_argument(
        "--import-root",
        type=Path,
        action="append",
        default=[],
        help="folder to import backends from; repeatable",
    )
    parser.add_argument("--out-manifest", type=Path, required=True, help="manifest to write (JSON)")
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    options = _parse_options(argv)
    try:
        text = describe(options)
    except UserError as error:
        print(f"error: {options.target}: {error}", file=sys.stderr)
        return 1
    options.out_manifest.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

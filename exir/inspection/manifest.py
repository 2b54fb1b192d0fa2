"""The parts of a manifest that depend only on the program, as JSON data.

The format is documented in docs/reference/manifest.md.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from exir import schema
from exir.inspection.memory import CalledMemory, method_counts
from exir.inspection.ranges import Steps
from exir.inspection.report import MethodReport, OperatorUse, ValueReport

FORMAT = 3


def manifest_text(content: Mapping[str, Any]) -> str:
    """Return the manifest as JSON. Keys are sorted for deterministic output."""
    return json.dumps({"format": FORMAT, **content}, indent=1, sort_keys=True) + "\n"


def methods_content(
    methods: Sequence[MethodReport], sections: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the content that the methods share, and `sections`, one per method."""
    return {
        "methods": sections,
        "operators": _operator_entries(use for method in methods for use in method.operator_uses),
        "backends": sorted({delegate.backend_id for method in methods for delegate in method.delegates}),
    }


def method_content(
    report: MethodReport,
    plan: schema.ExecutionPlan,
    parts: Sequence[Sequence[str]],
    called: Sequence[CalledMemory],
) -> dict[str, Any]:
    """Return the section of one method.

    parts: for each delegate, the parts of its backend that it needs.
    called: the memory needs of the method's kernels and delegates.
    """
    return {
        "name": report.name,
        "inputs": [
            _value_entry(value) | _fixed_value(value, plan.values[index].val)
            for value, index in zip(report.inputs, plan.inputs, strict=True)
        ],
        "outputs": [_value_entry(value) for value in report.outputs],
        "state": [
            {"name": state.name, "dtype": state.dtype, "shape": list(state.shape)}
            for state in report.state
        ],
        "operators": _operator_entries(report.operator_uses),
        "delegates": [
            {
                "id": delegate_report.backend_id,
                "bytes": delegate_report.nbytes,
                "parts": list(needed),
                "options": _compile_options(delegate),
            }
            for delegate_report, needed, delegate in zip(
                report.delegates, parts, plan.delegates, strict=True
            )
        ],
        "not_delegated": _not_delegated(report.operator_uses),
        "int8": _computed_in_int8(report.operator_uses),
        "instructions": report.instruction_count,
        "branches": _has_branches(plan),
        **_conditions(plan),
        "memory": _memory_entry(report, plan, called),
    }


def _conditions(plan: schema.ExecutionPlan) -> dict[str, Any]:
    """Return the conditions that the sizes of inputs satisfy, if there are any."""
    texts = plan.container_meta_type.condition_texts if plan.container_meta_type else None
    return {"conditions": texts.split("\n")} if texts else {}


def _compile_options(delegate: schema.BackendDelegate) -> dict[str, str]:
    """Return the compile specs of a delegate as text."""
    return {
        str(spec.key): bytes(spec.value).decode(errors="backslashreplace")
        for spec in delegate.compile_specs
    }


def _has_branches(plan: schema.ExecutionPlan) -> bool:
    """Return whether the method needs the optional runtime part for moves and jumps."""
    steps = (step.instr_args for chain in plan.chains for step in chain.instructions)
    return any(isinstance(step, (schema.MoveCall, schema.JumpFalseCall)) for step in steps)


def _memory_entry(
    report: MethodReport, plan: schema.ExecutionPlan, called: Sequence[CalledMemory]
) -> dict[str, Any]:
    return {
        "planned_bytes": list(report.planned_bytes[1:]),
        "shared_id": report.shared_memory_id,
        "lower_bound_bytes": report.lower_bound_bytes,
        "counts": dict(method_counts(plan)),
        "persistent": sorted(need for one in called for need in one.persistent),
        "scratch": sorted({need for one in called for need in one.scratch}),
        "headers": sorted({header for one in called for header in one.headers}),
    }


def _value_entry(value: ValueReport) -> dict[str, Any]:
    described: dict[str, Any] = {"name": value.name, "kind": value.kind.lower()}
    expressions = value.expressions or [""] * len(value.steps)
    if value.kind == schema.Tensor.__name__:
        described |= {
            "dtype": value.dtype,
            "shape": list(value.shape),
            "dim_order": list(value.dim_order),
            "dynamism": "dynamic_bound" if value.is_dynamic else "static",
        }
        if value.is_dynamic:
            described["sizes"] = [
                size if steps is None else _range_entry(steps, expression)
                for size, steps, expression in zip(value.shape, value.steps, expressions, strict=True)
            ]
    elif value.steps and value.steps[0] is not None:
        described["range"] = _range_entry(value.steps[0], expressions[0])
    return described


def _range_entry(steps: Steps, expression: str) -> dict[str, Any]:
    entry = {"min": steps.min, "max": steps.max, "step": steps.step}
    return {**entry, "expression": expression} if expression else entry


def _fixed_value(report: ValueReport, content: schema.KernelTypes) -> dict[str, Any]:
    """Return the value of an input that each call must pass unchanged.

    A float that is not finite is text: JSON has no such numbers.
    """
    if report.steps:
        return {}
    match content:
        case schema.Int(value) | schema.Bool(value) | schema.String(value):
            return {"value": value}
        case schema.Double(value):
            return {"value": value if math.isfinite(float(value)) else str(value)}
    return {}


def _not_delegated(uses: Iterable[OperatorUse]) -> list[dict[str, str]]:
    """Return the distinct calls that a backend left to kernels, with reasons, sorted."""
    distinct = {
        (use.source, use.name, backend, reason)
        for use in uses
        for backend, reason in use.refusals.items()
    }
    return [
        {"source": source, "operator": name, "backend": backend, "reason": reason}
        for source, name, backend, reason in sorted(distinct)
    ]


def _computed_in_int8(uses: Sequence[OperatorUse]) -> dict[str, Any]:
    """Return the number of int8 calls, and the calls that stay float with reasons."""
    left = sorted({(use.source, use.name, use.stays_float) for use in uses if use.stays_float})
    return {
        "fused": sum(use.name.startswith("quantized_bytes::") for use in uses),
        "float": [
            {"source": source, "operator": name, "reason": reason} for source, name, reason in left
        ],
    }


def _operator_entries(uses: Iterable[OperatorUse]) -> list[dict[str, Any]]:
    """Return each distinct combination of operator, dtypes and layout, sorted."""
    distinct = sorted({(use.name, use.dtypes, use.channels_last) for use in uses})
    return [
        {"name": name, "dtypes": list(dtypes)} | ({"channels_last": True} if last else {})
        for name, dtypes, last in distinct
    ]

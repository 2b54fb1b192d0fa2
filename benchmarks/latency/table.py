"""Format measurements as text and as JSON."""

from __future__ import annotations

from typing import Any

from benchmarks.latency.measurement import Measured, Measurement

LIMIT = "FMA limit"
_OURS = (
    "ours, cpu",
    "ours, cpu, in chunks",
    "ours, kernels",
)  # peers are compared with the first of these that was measured
_ELSEWHERE = 0.05  # minimum share of other threads that is reported


def _cost(measured: Measured, threads: int) -> float:
    """Return the value to compare: the cost, or wall-clock time for several threads."""
    return measured.samples.cost if threads == 1 else measured.samples.fastest_ns


def ratios(measurement: Measurement, threads: int) -> dict[str, dict[str, float]]:
    """Return the ratios of our cost (`ours`) and of the limit to each side's cost."""
    costs = {measured.side: _cost(measured, threads) for measured in measurement.sides}
    ours = next((costs[name] for name in _OURS if name in costs), None)
    found: dict[str, dict[str, float]] = {side: {} for side in costs}
    for side, cost in costs.items():
        if ours is not None:
            found[side]["ours"] = ours / cost
        if LIMIT in costs:
            found[side]["limit"] = costs[LIMIT] / cost
    return found


def text(measurement: Measurement, unit: str, threads: int) -> str:
    """Format the table of one model, and a line for each missing side."""
    model = measurement.model
    shares = ratios(measurement, threads)
    cost = "Mcycles" if unit == "cycles" else "cpu ms"
    lines = [f"{model.name}: {model.operations / 1e9:.3f} Gflop, {model.weights / 1e6:.2f} M weights"]
    lines.append(
        f"  {'side':18s}{cost:>9s}{'median ms':>11s}{'ours / it':>11s}{'limit / it':>11s}"
        f"{'load ms':>9s}{'first ms':>10s}{'file MB':>9s}{'memory MB':>11s}{'error':>10s}"
    )
    lines += [_row(measured, shares[measured.side]) for measured in measurement.sides]
    lines += [f"  {side}: skipped: {reason}" for side, reason in measurement.missing.items()]
    lines += _registers(measurement)
    lines += [
        _busy(measured) for measured in measurement.sides if threads == 1 and measured.samples.elsewhere > _ELSEWHERE
    ]
    return "\n".join(lines)


def _row(measured: Measured, shares: dict[str, float]) -> str:
    samples, loaded = measured.samples, measured.loaded
    return (
        f"  {measured.side:18s}{samples.cost / 1e6:9.2f}{samples.wall_ns / 1e6:11.2f}"
        f"{_number(shares.get('ours'), '11.2f')}{_number(shares.get('limit'), '11.2f')}"
        f"{samples.load_ns / 1e6:9.1f}{samples.first.wall_ns / 1e6:10.2f}"
        f"{_number(loaded.file_bytes and loaded.file_bytes / 1e6, '9.2f')}"
        f"{_number(sum(loaded.memory.values()) / 1e6 or None, '11.2f')}{_number(measured.error, '10.1e')}"
    )


def _number(value: float | None, form: str) -> str:
    width = int(form.split(".", maxsplit=1)[0])
    return "-".rjust(width) if value is None else format(value, form)


def _busy(measured: Measured) -> str:
    return f"  {measured.side}: other threads used {measured.samples.elsewhere:.0%} of its processor time"


def _registers(measurement: Measurement) -> list[str]:
    """Return a line about restricted sides that nevertheless used AVX-512 registers."""
    known = [measured for measured in measurement.sides if measured.used_avx512 is not None]
    if not known:
        return []
    using = [measured.side for measured in known if measured.used_avx512]
    return [f"  used AVX-512 registers, although restricted to {measurement.isa}: {'; '.join(using) or 'no side'}"]


def record(measurement: Measurement, threads: int) -> dict[str, Any]:
    """Return the measurements of one model as data for JSON."""
    shares = ratios(measurement, threads)
    return {
        "model": measurement.model.name,
        "operations": measurement.model.operations,
        "weights": measurement.model.weights,
        "missing": measurement.missing,
        "sides": {
            measured.side: _figures(measured) | {"ratios": shares[measured.side]} for measured in measurement.sides
        },
    }


def _figures(measured: Measured) -> dict[str, Any]:
    samples = measured.samples
    return {
        "cost": samples.cost,
        "wall_median_ns": samples.wall_ns,
        "wall_min_ns": samples.fastest_ns,
        "runs": len(samples.runs),
        "load_ns": samples.load_ns,
        "first_wall_ns": samples.first.wall_ns,
        "first_cost": samples.first.cost,
        "file_bytes": measured.loaded.file_bytes,
        "memory_bytes": measured.loaded.memory,
        "error": measured.error,
        "used_avx512": measured.used_avx512,
    }

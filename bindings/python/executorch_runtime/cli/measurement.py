"""Results of a benchmark, and their file format."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

from executorch_runtime.cli.inputs import InputError
from executorch_runtime.cli.latency import Latency

FORMAT = 1


@dataclass(frozen=True)
class OperatorTime:
    """Time per run of all calls of an operator, or of a backend's delegates."""

    name: str
    calls: int
    nanoseconds: float


@dataclass(frozen=True)
class Measurement:
    """The measurement of one program.

    `load` is the machine's load average before the measurement. `times` are run times in nanoseconds.
    """

    program: str
    signature: str
    threads: int
    cpu: str
    load: float
    times: tuple[int, ...]
    operators: tuple[OperatorTime, ...]

    @property
    def latency(self) -> Latency:
        return Latency(self.times)


def write_measurement(path: Path, found: Measurement) -> None:
    quantiles = {name: found.latency.quantile(share) for name, share in (("median", 0.5), ("90%", 0.9), ("99%", 0.99))}
    document = {"format": FORMAT, **asdict(found), "quantiles": quantiles}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def read_measurement(path: Path) -> Measurement:
    """Read a measurement.

    Raises `InputError` for another format, OSError if unreadable.
    """
    text = path.read_text(encoding="utf-8")
    try:
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise ValueError(f"format is {document['format']}, expected {FORMAT}")
        return Measurement(
            program=str(document["program"]),
            signature=str(document["signature"]),
            threads=int(document["threads"]),
            cpu=str(document["cpu"]),
            load=float(document["load"]),
            times=_times(document["times"]),
            operators=tuple(OperatorTime(**operator) for operator in document["operators"]),
        )
    except KeyError as error:
        raise InputError(f"{path} is not a file of --json: it does not have {error}; measure again") from error
    except (ValueError, TypeError) as error:
        raise InputError(f"{path} is not a file of --json: {error}; measure again") from error


def _times(values: list[int]) -> tuple[int, ...]:
    if not values:
        raise ValueError("no times")
    return tuple(int(value) for value in values)


def cpu_name() -> str:
    """Return the CPU's name from the operating system."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def load() -> float:
    """Return the load average over one minute."""
    return os.getloadavg()[0]

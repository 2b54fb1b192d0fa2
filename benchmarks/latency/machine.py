"""Describe the machine for the report."""

from __future__ import annotations

import datetime
import os
import re
from pathlib import Path


def _cpuinfo(field: str) -> str:
    found = re.search(rf"^{field}\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else "unknown"


def instruction_sets() -> list[str]:
    """The benchmark's instruction sets that this processor supports."""
    flags = _cpuinfo("flags").split()
    needed = {
        "avx2": ("avx2", "fma"),
        "avxvnni": ("avx2", "fma", "avx_vnni"),
        "avx512": ("avx512f", "avx512bw", "avx512vl", "avx512dq"),
    }
    return [name for name, every in needed.items() if all(flag in flags for flag in every)]


def description() -> dict[str, str | int | float]:
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "processor": f"{_cpuinfo('model name')}, family {_cpuinfo('cpu family')}, model {_cpuinfo('model')}",
        "cores": os.cpu_count() or 0,
        "load_average": os.getloadavg()[0],
    }

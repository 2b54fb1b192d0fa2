"""Run one side with one model on request, so that instructions.py can count.

python -m benchmarks.latency.counted SIDE MODEL
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import torch

from benchmarks.latency.catalog import MODELS
from benchmarks.latency.conversion import converted
from benchmarks.latency.instructions import DONE, ISA, READY
from benchmarks.latency.native import Library
from benchmarks.latency.roster import SIDES
from benchmarks.latency.sides.side import Missing, Setting, converts


def main(arguments: list[str]) -> None:
    side, model = SIDES[arguments[0]], MODELS[arguments[1]]
    torch.set_grad_enabled(False)
    setting = Setting(Library(), ISA, 1, Path(os.environ["LATENCY_PROGRAMS"]))
    try:
        side.start(setting)
        loaded = side.load(model, converted(side, model) if converts(side) else None, setting)
    except Missing as reason:
        sys.exit(str(reason))
    loaded.run()
    print(READY, flush=True)
    for _ in sys.stdin:
        loaded.run()
        print(DONE, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

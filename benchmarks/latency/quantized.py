"""Quantize a model to static int8 with the official quantizer.

It runs in its own process, because its imports register operators that this project's compiler also
registers.

python -m benchmarks.latency.quantized MODEL FILE
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import torch
from torch.export import ExportedProgram

from benchmarks.latency.catalog import MODELS, Model
from benchmarks.latency.sides.official import XnnpackInt8


def quantized(model: Model, folder: Path) -> ExportedProgram:
    """Return the quantized model, and write it to a file in `folder`."""
    import torch.ao.quantization.fx._decomposed

    path = folder / "quantized.pt2"
    subprocess.run([sys.executable, "-m", __name__, model.name, str(path)], check=True)
    return torch.export.load(path)


def main(arguments: list[str]) -> None:
    name, path = arguments
    torch.set_grad_enabled(False)
    model = MODELS[name]
    torch.export.save(torch.export.export(XnnpackInt8().quantized(model), model.inputs, strict=False), path)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Write the files through which a program changes adapters at run time.

    python -m llm.decoder.adapter_files ranks CONFIG... RANKS.json
    python -m llm.decoder.adapter_files weights BASE.ptd CONFIG ADAPTER.ptd

CONFIG is the `adapter_config.json` in the folder of an adapter. RANKS.json has the maximum ranks of the
adapters, by layer; `language_model` reads it. BASE.ptd is the weights file of the program, whose
matrices are zero. ADAPTER.ptd has the same tensors, with the values of the adapter.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from torch import Tensor

from exir._serialize import ExternalData, SerializedProgram, deserialize_ptd, serialize_ptd
from exir.error import UserError
from llm.decoder.adapter import adapter_ranks, read_adapter


def adapter_weights(base: bytes, folder: Path) -> SerializedProgram:
    """Return the weights file of an adapter.

    base: the weights file of the program.

    Raises ValueError for an adapter that is not supported, or that does not fit the program.
    """
    entries = {entry.key: entry for entry in deserialize_ptd(base)}
    shapes = {key: entry.layout.sizes for key, entry in entries.items() if entry.layout is not None}
    sizes = {
        layer: (shape[0], shapes[f"{layer}.adapter_b"][1])
        for key, shape in shapes.items()
        for layer, _, matrix in [key.rpartition(".")]
        if matrix == "adapter_a"
    }
    values: dict[str, Tensor] = {}
    for layer, change in read_adapter(folder, sizes).items():
        values[f"{layer}.adapter_a"] = change.a.T
        values[f"{layer}.adapter_b"] = change.b.T
    return serialize_ptd(
        ExternalData(key, _padded(values[key], shapes[key]) if key in values else entry.data, entry.layout)
        for key, entry in entries.items()
    )


def _padded(tensor: Tensor, shape: list[int]) -> bytes:
    """Return the bytes of a matrix with zeros up to the program's rank."""
    padded = torch.zeros(shape)
    padded[: tensor.shape[0], : tensor.shape[1]] = tensor
    return padded.numpy().tobytes()


def main(arguments: list[str]) -> int:
    command, *inputs, output = arguments
    try:
        if command == "ranks":
            ranks = adapter_ranks([Path(config).parent for config in inputs])
            Path(output).write_text(json.dumps(ranks, indent=1, sort_keys=True), encoding="utf-8")
        else:
            base, config = map(Path, inputs)
            with Path(output).open("wb") as file:
                adapter_weights(base.read_bytes(), config.parent).write_to_file(file)
    except (ValueError, UserError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

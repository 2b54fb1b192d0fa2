"""LiteRT, with programs from its own converter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.latency.catalog import Model
from benchmarks.latency.sides.side import Loaded, Setting, Side


class LiteRt(Side):
    name = "LiteRT"
    packages = ("ai-edge-litert",)
    modules = ("ai_edge_litert.interpreter",)
    converters = ("litert-torch", "litert-converter", "ai-edge-quantizer")

    def convert(self, model: Model, path: Path) -> None:
        import litert_torch

        litert_torch.convert(model.module, model.inputs).export(str(path))

    def load(self, model: Model, path: Path | None, setting: Setting) -> Loaded:
        from ai_edge_litert.interpreter import Interpreter

        assert path is not None
        interpreter = Interpreter(model_path=str(path), num_threads=setting.threads)
        interpreter.allocate_tensors()
        inputs = declared_inputs(interpreter.get_input_details(), [tensor.numpy() for tensor in model.inputs])
        result = interpreter.get_output_details()[0]["index"]

        def run() -> None:
            for place, array in inputs:
                interpreter.set_tensor(place, array)
            interpreter.invoke()

        return Loaded(run, lambda: [torch.from_numpy(interpreter.get_tensor(result))], path.stat().st_size)


def declared_inputs(details: Sequence[Mapping[str, Any]], arrays: Sequence[np.ndarray]) -> list[tuple[int, np.ndarray]]:
    """Return each input's index and its values in the declared dtype.

    The converter changes int64 to int32.

    Raises `OverflowError` if a value does not fit.
    """
    declared = []
    for detail, array in zip(details, arrays, strict=True):
        cast = array.astype(detail["dtype"], copy=False)
        if not np.array_equal(cast, array):
            raise OverflowError(
                f"LiteRT expects input {detail['name']} as {cast.dtype}, which cannot represent its {array.dtype} values"
            )
        declared.append((detail["index"], cast))
    return declared

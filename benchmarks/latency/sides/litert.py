"""LiteRT, of programs that its own converter makes."""

from __future__ import annotations

from pathlib import Path

import torch

from benchmarks.latency.catalogue import Model
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
        places = [each["index"] for each in interpreter.get_input_details()]
        inputs = [tensor.numpy() for tensor in model.inputs]
        result = interpreter.get_output_details()[0]["index"]

        def run() -> None:
            for place, array in zip(places, inputs, strict=True):
                interpreter.set_tensor(place, array)
            interpreter.invoke()

        return Loaded(run, lambda: [torch.from_numpy(interpreter.get_tensor(result))], path.stat().st_size)

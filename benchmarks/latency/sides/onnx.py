"""ONNX Runtime, of programs that torch exports."""

from __future__ import annotations

from pathlib import Path

import torch

from benchmarks.latency.catalogue import Model
from benchmarks.latency.sides.side import Loaded, Setting, Side

_OPSET = 17


class OnnxRuntime(Side):
    name = "ONNX Runtime"
    packages = ("onnxruntime",)
    modules = ("onnxruntime",)
    converters = ("onnx",)

    def convert(self, model: Model, path: Path) -> None:
        # The exporter that is based on torch.export needs another package; this one writes the same operators.
        torch.onnx.export(model.module, model.inputs, str(path), dynamo=False, opset_version=_OPSET)

    def load(self, model: Model, path: Path | None, setting: Setting) -> Loaded:
        import onnxruntime

        assert path is not None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = setting.threads, 1
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        names = [each.name for each in session.get_inputs()]
        inputs = {name: tensor.numpy() for name, tensor in zip(names, model.inputs, strict=True)}
        results: list[torch.Tensor] = []

        def run() -> None:
            results[:] = [torch.from_numpy(each) for each in session.run(None, inputs)]

        return Loaded(run, lambda: results, path.stat().st_size)


class OnnxRuntimeDynamic(OnnxRuntime):
    name = "ONNX Runtime dynamic int8"

    def takes(self, model: Model) -> bool:
        return model.kind == "text"

    def convert(self, model: Model, path: Path) -> None:
        from onnxruntime.quantization import QuantType, quantize_dynamic

        floats = path.with_suffix(".floats")
        super().convert(model, floats)
        quantize_dynamic(str(floats), str(path), per_channel=True, weight_type=QuantType.QInt8)
        floats.unlink()

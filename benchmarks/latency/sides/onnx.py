"""ONNX Runtime, with programs that torch exports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from benchmarks.latency.catalog import Model
from benchmarks.latency.sides.official import CALIBRATIONS
from benchmarks.latency.sides.side import Loaded, Setting, Side

_OPSET = 17
_ERRORS = 3  # severity level of its logger


def _quiet() -> Any:
    """Import the package, and suppress its messages about unused constants."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(_ERRORS)
    return onnxruntime


class OnnxRuntime(Side):
    name = "ONNX Runtime"
    packages = ("onnxruntime",)
    modules = ("onnxruntime",)
    converters: tuple[str, ...] = ("onnx",)

    def convert(self, model: Model, path: Path) -> None:
        # The exporter based on torch.export needs an additional package; this exporter writes the
        # same operators.
        torch.onnx.export(model.module, model.inputs, str(path), dynamo=False, opset_version=_OPSET)

    def session(self, path: Path, setting: Setting) -> Any:
        onnxruntime = _quiet()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = setting.threads, 1
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def load(self, model: Model, path: Path | None, setting: Setting) -> Loaded:
        assert path is not None
        session = self.session(path, setting)
        names = [described.name for described in session.get_inputs()]
        inputs = {name: tensor.numpy() for name, tensor in zip(names, model.inputs, strict=True)}
        results: list[torch.Tensor] = []

        def run() -> None:
            results[:] = [torch.from_numpy(array) for array in session.run(None, inputs)]

        return Loaded(run, lambda: results, path.stat().st_size)


class OnnxRuntimeInt8(OnnxRuntime):
    """Static int8 with ONNX Runtime's quantizer and per-channel weights."""

    name = "ONNX Runtime int8"

    def takes(self, model: Model) -> bool:
        return model.kind == "image"

    def convert(self, model: Model, path: Path) -> None:
        onnxruntime = _quiet()
        from onnxruntime.quantization import CalibrationDataReader, quantize_static

        floats = path.with_suffix(".floats")
        super().convert(model, floats)
        name = onnxruntime.InferenceSession(str(floats)).get_inputs()[0].name
        left = [{name: torch.randn_like(model.inputs[0]).numpy()} for _ in range(CALIBRATIONS)]

        class CalibrationImages(CalibrationDataReader):
            def get_next(self) -> dict[str, Any] | None:
                return left.pop() if left else None

        quantize_static(str(floats), str(path), CalibrationImages(), per_channel=True)
        floats.unlink()


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

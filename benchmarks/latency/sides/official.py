"""The official runtime with XNNPACK: float, static int8 and int4 weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

from benchmarks.latency.catalog import Model
from benchmarks.latency.sides.side import Loaded, Setting, Side

CALIBRATIONS = 4
_GROUP = 32  # weights that share a scale


class Xnnpack(Side):
    name = "XNNPACK"
    packages = ("executorch",)
    modules = ("executorch.runtime", "executorch.kernels.quantized")
    converters = ("torchao",)

    def quantized(self, model: Model) -> nn.Module:
        return model.module

    def convert(self, model: Model, path: Path) -> None:
        from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
        from executorch.exir import to_edge_transform_and_lower

        exported = torch.export.export(self.quantized(model), model.inputs, strict=False)
        edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])
        path.write_bytes(edge.to_executorch().buffer)

    def load(self, model: Model, path: Path | None, setting: Setting) -> Loaded:
        from executorch.runtime import Runtime, Verification

        assert path is not None
        _set_threads(setting.threads)
        method = Runtime.get().load_program(path, verification=Verification.Minimal).load_method("forward")
        inputs = list(model.inputs)
        results: list[Any] = []

        def run() -> None:
            results[:] = method.execute(inputs)

        return Loaded(run, lambda: results, path.stat().st_size)


class XnnpackInt8(Xnnpack):
    name = "XNNPACK int8"

    def takes(self, model: Model) -> bool:
        return model.kind == "image"

    def quantized(self, model: Model) -> nn.Module:
        from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
            XNNPACKQuantizer,
            get_symmetric_quantization_config,
        )
        from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

        quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
        prepared = prepare_pt2e(torch.export.export(model.module, model.inputs).module(), quantizer)
        for _ in range(CALIBRATIONS):
            prepared(*[torch.randn_like(tensor) for tensor in model.inputs])
        return convert_pt2e(prepared)


class Xnnpack4Bit(Xnnpack):
    name = "XNNPACK 4-bit"

    def takes(self, model: Model) -> bool:
        return model.kind == "decoder"

    def quantized(self, model: Model) -> nn.Module:
        return with_dynamic_4_bits(model)


class XnnpackDynamic(Xnnpack):
    name = "XNNPACK dynamic int8"

    def takes(self, model: Model) -> bool:
        return model.kind == "text"

    def quantized(self, model: Model) -> nn.Module:
        return with_dynamic_bytes(model)


def with_dynamic_4_bits(model: Model, scale_dtype: torch.dtype | None = None) -> nn.Module:
    """int4 weights in groups of 32, and dynamically quantized activations.

    Scales have the weights' dtype by default.
    """
    from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_
    from torchao.quantization.granularity import PerGroup

    four_bits: torch.dtype = torch.int4  # type: ignore[attr-defined]
    config = Int8DynamicActivationIntxWeightConfig(four_bits, PerGroup(_GROUP), weight_scale_dtype=scale_dtype)
    quantize_(model.module, config)
    return model.module


def with_dynamic_bytes(model: Model) -> nn.Module:
    """int8 weights with one scale per row, and dynamically quantized activations."""
    from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_
    from torchao.quantization.granularity import PerAxis

    quantize_(model.module, Int8DynamicActivationIntxWeightConfig(torch.int8, PerAxis(0)))
    return model.module


def _set_threads(threads: int) -> None:
    from executorch.extension.pybindings import _portable_lib

    reset: Callable[[int], None] = _portable_lib._unsafe_reset_threadpool
    reset(threads)

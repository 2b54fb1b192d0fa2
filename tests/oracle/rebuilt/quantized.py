"""Programs quantized by the official quantizer, like the originals."""

from __future__ import annotations

from dataclasses import replace

import torch
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from torch import nn
from torch.export import export
from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_
from torchao.quantization.granularity import PerGroup
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from exir import ExecutorchBackendConfig, to_edge
from exir.capture import EdgeCompileConfig
from tests.oracle.rebuilt.networks import mlp
from tests.oracle.rebuilt.rebuilt import Make, Rebuilt, rebuild
from tests.oracle.rebuilt.tutorial import SimpleConv, Sum

Inputs = tuple[torch.Tensor, ...]


def _quantized(module: nn.Module, inputs: Inputs, per_channel: bool = True, dynamic: bool = False) -> nn.Module:
    """Quantize with PT2E, calibrated on the example."""
    options = get_symmetric_quantization_config(is_per_channel=per_channel, is_dynamic=dynamic)
    prepared = prepare_pt2e(export(module.eval(), inputs).module(), XNNPACKQuantizer().set_global(options))
    prepared(*inputs)
    return convert_pt2e(prepared)


def _lowered(module: nn.Module, inputs: Inputs, config: ExecutorchBackendConfig | None = None) -> Rebuilt:
    edge = to_edge(export(module, inputs), compile_config=EdgeCompileConfig(_check_ir_validity=False))
    return Rebuilt(edge.to_executorch(config or ExecutorchBackendConfig()))


def _convolution() -> Rebuilt:
    inputs = (torch.randn(1, 3, 32, 32),)
    return _lowered(_quantized(SimpleConv(), inputs, per_channel=False), inputs)


def _network() -> Rebuilt:
    layers = [nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.ReLU6()]
    layers += [nn.Conv2d(8, 16, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)]
    inputs = (torch.randn(1, 3, 24, 24),)
    return _lowered(_quantized(nn.Sequential(*layers), inputs), inputs)


def _fused_sum() -> Rebuilt:
    inputs = (torch.randn(4, 8), torch.randn(4, 8))
    return _lowered(_quantized(Sum(), inputs, per_channel=False), inputs)


def _dynamic() -> Rebuilt:
    inputs = (torch.randn(4, 64),)
    return _lowered(_quantized(mlp(64, 128, 32), inputs, dynamic=True), inputs)


def _four_bits() -> Rebuilt:
    """Build an int4 linear layer.

    The official portable kernels do not support it; there, XNNPACK runs it.
    """
    module = nn.Sequential(nn.Linear(64, 32, bias=False)).eval()
    int4 = torch.__dict__["int4"]  # PyTorch's type hints do not include it
    quantize_(module, Int8DynamicActivationIntxWeightConfig(weight_dtype=int4, weight_granularity=PerGroup(32)))
    return replace(rebuild(module, (torch.randn(3, 64),)), eager={"forward": module})


PROGRAMS: dict[str, Make] = {
    "tut04_quant_simpleconv_portable": _convolution,
    "small_cnn_int8_portable": _network,
    "small_cnn_int8_xnn": _network,
    "add_int8_quantfusion": _fused_sum,
    "linear_dynquant_xnn": _dynamic,
    "linear_8da4w_xnn": _four_bits,
}

"""Tests of linear layers with dynamically quantized inputs, per tensor."""

import pytest
import torch
import torch.ao.quantization.fx._decomposed
from torch import Tensor, nn
from torch.export import Dim, export

from exir.capture import ExecutorchBackendConfig
from exir.passes.fuse_dynamic_layers import FuseDynamicLayers
from exir.program import EdgeProgramManager, to_edge
from exir.testing import quantized
from exir.testing.graphs import operator_names

_OPS = torch.ops.quantized_decomposed
_LAYER = "quantized_weight::dynamic_linear_per_tensor"
_CHOICE = "quantized_decomposed::choose_qparams.Tensor_out"


class WholeRange(nn.Module):
    """A layer whose input is quantized with the range of all rows."""

    def __init__(self, low: int = -128, per_channel: bool = True, bias: bool = True) -> None:
        super().__init__()
        self._low = low
        self.layer = quantized.Layer(nn.Linear(8, 4, bias=bias), per_channel)

    def forward(self, x: Tensor) -> Tensor:
        limits = self._low, 127
        parameters = _OPS.choose_qparams.tensor(x, *limits, 1e-6, torch.int8)
        codes = _OPS.quantize_per_tensor.tensor(x, *parameters, *limits, torch.int8)
        return self.layer(_OPS.dequantize_per_tensor.tensor(codes, *parameters, *limits, torch.int8))


def _to_edge_program(network: nn.Module, is_dynamic: bool = False) -> EdgeProgramManager:
    shapes = ({0: Dim("rows", min=2, max=9)},) if is_dynamic else None
    return to_edge(export(network.eval(), (torch.randn(5, 3, 8),), dynamic_shapes=shapes))


@pytest.mark.parametrize("per_channel", [True, False])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("is_dynamic", [True, False])
def test_dynamically_quantized_layer_is_one_operator(
    per_channel: bool, bias: bool, is_dynamic: bool
) -> None:
    network = WholeRange(per_channel=per_channel, bias=bias)
    program = FuseDynamicLayers().run(_to_edge_program(network, is_dynamic).exported_program())
    assert [name for name in operator_names(program) if "quantized" in name] == [_LAYER]
    x = torch.randn(5, 3, 8) * 3 + 1
    torch.testing.assert_close(program.module()(x), network(x), rtol=1e-5, atol=1e-5)


def test_dynamic_layers_stay_decomposed_for_backends_and_the_official_runtime() -> None:
    manager = _to_edge_program(WholeRange())
    names = operator_names(manager.exported_program())
    assert not [name for name in names if "quantized_weight" in name]
    for fuse_int8, expected in ((False, _CHOICE), (True, f"{_LAYER}.out")):
        program = manager.to_executorch(ExecutorchBackendConfig(fuse_int8=fuse_int8)).exported_program()
        assert expected in operator_names(program)


def test_quantized_values_with_other_limits_are_not_fused() -> None:
    manager = _to_edge_program(WholeRange(low=-127)).to_executorch(
        ExecutorchBackendConfig(fuse_int8=True)
    )
    names = operator_names(manager.exported_program())
    assert _CHOICE in names and f"{_LAYER}.out" not in names

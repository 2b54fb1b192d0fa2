"""Tests of quantized inputs and outputs."""

import pytest
import torch
from torch import Tensor, nn
from torch.export import ExportedProgram, export

from exir import schema
from exir.error import ConfigError
from exir.passes import QuantizeInputs, QuantizeOutputs
from exir.passes.quantize_io_pass import dequantized_outputs, quantize_input, quantize_output
from exir.program import to_edge
from exir.testing.quantized import quantized

_OPS = torch.ops.quantized_decomposed


def _quantized_network() -> tuple[ExportedProgram, Tensor]:
    torch.manual_seed(0)
    x = torch.randn(3, 8)
    network = quantized(nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 4)), x)
    return export(network, (x,)), x


def test_exported_program_has_int8_inputs_and_outputs() -> None:
    program, x = _quantized_network()
    expected = program.module()(x)
    input_params, output_params = quantize_input(program, 0), quantize_output(program, 0)
    result = program.module(check_guards=False)(_OPS.quantize_per_tensor(x, *input_params))
    assert result.dtype == torch.int8
    assert torch.equal(_OPS.dequantize_per_tensor(result, *output_params), expected)


def test_only_dequantized_outputs_are_listed() -> None:
    class Both(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            return x + 1, _OPS.dequantize_per_tensor(x.to(torch.int8), 0.5, 0, -128, 127, torch.int8)

    assert dequantized_outputs(export(Both(), (torch.randn(2),))) == [1]
    assert dequantized_outputs(_quantized_network()[0]) == [0]


def test_edge_program_has_int8_inputs_and_outputs_and_states_their_parameters() -> None:
    program, x = _quantized_network()
    expected = program.module()(x)
    edge = to_edge(program)
    edge = edge.transform([QuantizeInputs(edge, [0]), QuantizeOutputs(edge, [0])])
    manager = edge.to_executorch()
    constants = manager._config_methods
    kinds = ("input0", "output0")
    assert set(constants) == {
        f"{kind}_{key}" for kind in kinds for key in ("scale", "zp", "quant_min", "quant_max", "dtype")
    }
    input_params, output_params = (
        [constants[f"{kind}_{key}"] for key in ("scale", "zp", "quant_min", "quant_max")]
        for kind in kinds
    )
    plan = manager.executorch_program.execution_plan[0]
    for index in (*plan.inputs, *plan.outputs):
        tensor = plan.values[index].val
        assert isinstance(tensor, schema.Tensor)
        assert tensor.scalar_type == schema.ScalarType.CHAR
    run = manager.exported_program().module()
    with torch.no_grad():
        result = run(_OPS.quantize_per_tensor(x, *input_params, torch.int8))
    assert torch.equal(_OPS.dequantize_per_tensor(result, *output_params, torch.int8), expected)


def test_named_method_prefixes_its_constants() -> None:
    program, _ = _quantized_network()
    edge = to_edge({"run": program})
    edge = edge.transform([QuantizeInputs(edge, [0], "run")])
    assert "run_input0_scale" in edge.config_methods


@pytest.mark.parametrize(
    ("quantize", "index", "message"),
    [
        (quantize_input, 0, "input 0 is not quantized in the same way by all its users"),
        (quantize_input, 1, "unknown input 1; the program has 1"),
        (quantize_output, 0, "output 0 is not the result of a dequantization"),
        (quantize_output, 1, "output 1 is not the result of a dequantization"),
    ],
)
def test_unquantized_input_or_output_is_refused(quantize: object, index: int, message: str) -> None:
    assert callable(quantize)
    with pytest.raises(ConfigError, match=message):
        quantize(export(nn.Linear(4, 4), (torch.randn(2, 4),)), index)

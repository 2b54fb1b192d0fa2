"""Tests that operators between int8 tensors compute in integers.

Results differ by at most one quantization step.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram, export
from torchao.quantization.pt2e import move_exported_model_to_eval
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_qat_pt2e

from exir.capture import ExecutorchBackendConfig
from exir.dialects._ops import ops as exir_ops
from exir.graph.int8_fusion import STAYS_FLOAT
from exir.graph.program_copy import copy_program
from exir.passes.fuse_int8 import FuseInt8
from exir.program import to_edge
from exir.quantize import QuantizationOptions, output_steps, quantize_program
from exir.quantize.quantizer import StaticQuantizer
from exir.testing import quantized
from exir.testing.graphs import operator_names

IMAGE_SHAPE = (2, 8, 10, 10)
QUANTIZING = ("quantized_decomposed::quantize_per_tensor", "quantized_decomposed::dequantize_per_tensor")


class Fn(nn.Module):
    """A linear layer with an int8 result, and a function of that result."""

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.stem = nn.Conv2d(8, 8, 1)
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(self.stem(x))


def _to_edge_program(
    module: nn.Module, x: Tensor, recipe: str = "int8_static", **options: Any
) -> ExportedProgram:
    torch.manual_seed(0)
    calls = [(torch.randn_like(x),) for _ in range(4)]
    program = export(module.eval(), (x,), **options)
    found = quantize_program(program, QuantizationOptions(recipe), calls, options.get("dynamic_shapes"))
    return to_edge(found.program).exported_program()


def _fuse_program(program: ExportedProgram) -> ExportedProgram:
    return FuseInt8().run(copy_program(program))


def _inner_operators(program: ExportedProgram) -> list[str]:
    """Return the called operators, without the conversions of inputs and outputs."""
    return [name for name in operator_names(program) if name not in QUANTIZING]


def _check_fused_results(program: ExportedProgram, fused: ExportedProgram, x: Tensor) -> None:
    """If few rounding errors accumulate, results differ by at most one step."""
    step = max(steps.step for steps in output_steps(program)) or 1.0
    with torch.no_grad():
        difference = (program.module()(x) - fused.module()(x)).abs() / step
    assert float(difference.max()) <= 1.01


LAYERS = {
    "pointwise": nn.Conv2d(8, 12, 1),
    "3x3": nn.Conv2d(8, 6, 3, 2, 1),
    "grouped": nn.Conv2d(8, 4, 3, groups=2, bias=False),
    "depthwise": nn.Conv2d(8, 16, 3, 2, 1, groups=8),
    "dilated": nn.Conv2d(8, 8, 3, padding=2, dilation=2),
    "1-D": nn.Sequential(nn.Flatten(2), nn.Conv1d(8, 5, 3)),
    "linear": nn.Linear(10, 7),
    "relu": nn.Sequential(nn.Conv2d(8, 6, 1), nn.ReLU()),
    "relu6": nn.Sequential(nn.Conv2d(8, 6, 1), nn.ReLU6()),
    "linear and relu": nn.Sequential(nn.Linear(10, 7), nn.ReLU()),
}


@pytest.mark.parametrize("recipe", ["int8_static", "int8_static_per_tensor"])
@pytest.mark.parametrize("name", LAYERS)
def test_linear_layers_are_computed_in_int8(name: str, recipe: str) -> None:
    x = torch.randn(IMAGE_SHAPE)
    program = _to_edge_program(LAYERS[name], x, recipe)
    fused = _fuse_program(program)
    names = [name for name in _inner_operators(fused) if name != "aten::view_copy"]
    assert names in (["quantized_bytes::convolution"], ["quantized_bytes::linear"])
    _check_fused_results(program, fused, x)


FUNCTIONS: dict[str, tuple[Callable[[Tensor], Tensor], str]] = {
    "sum": (lambda x: x + x.flip(2), "add"),
    "difference": (lambda x: torch.relu(x - x.flip(2)), "add"),
    "product": (lambda x: x * x.flip(2), "mul"),
    "larger": (lambda x: torch.maximum(x, x.flip(2)), "maximum"),
    "sigmoid": (torch.sigmoid, "table"),
    "hardswish": (nn.functional.hardswish, "table"),
    "silu": (nn.functional.silu, "table"),
    "gelu": (nn.functional.gelu, "table"),
    "scaled": (lambda x: 0.3 * x + 1, "table"),
    "mean": (lambda x: x.mean((2, 3)), "mean"),
    "average pooling": (lambda x: nn.functional.avg_pool2d(x, 3, 2, 1), "avg_pool2d"),
    "global pooling": (lambda x: nn.functional.adaptive_avg_pool2d(x, 1), "mean"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_ops_between_int8_values_have_int8_operators(name: str) -> None:
    function, operator = FUNCTIONS[name]
    x = torch.randn(IMAGE_SHAPE)
    program = _to_edge_program(Fn(function), x)
    fused = _fuse_program(program)
    assert f"quantized_bytes::{operator}" in _inner_operators(fused)
    assert not [
        name for name in _inner_operators(fused) if name.startswith("aten::") and name != "aten::flip"
    ]
    _check_fused_results(program, fused, x)


MOVES = {
    "max_pool": (lambda x: nn.functional.max_pool2d(x, 2), "aten::max_pool2d_with_indices"),
    "cat": (lambda x: torch.cat([x, x.flip(1)], 1), "aten::cat"),
    "transpose": (lambda x: x.transpose(2, 3), "aten::permute_copy"),
    "slice": (lambda x: x[:, 1:3], "aten::slice_copy.Tensor"),
}


@pytest.mark.parametrize("name", MOVES)
def test_data_movement_ops_take_int8(name: str) -> None:
    function, operator = MOVES[name]
    x = torch.randn(IMAGE_SHAPE)
    program = _to_edge_program(Fn(function), x)
    fused = _fuse_program(program)
    (node,) = [node for node in fused.graph.nodes if operator_names_of(node) == operator]
    assert {input_node.meta["val"].dtype for input_node in node.all_input_nodes} == {torch.int8}
    torch.testing.assert_close(
        program.module()(x), fused.module()(x), rtol=0.0, atol=_output_step(program)
    )


def operator_names_of(node: torch.fx.Node) -> str:
    op = getattr(node.target, "_op", None)
    return op.name() if op is not None else ""


def _output_step(program: ExportedProgram) -> float:
    return max(step.step for step in output_steps(program))


def test_int8_weights_are_not_copied() -> None:
    program = _to_edge_program(nn.Conv2d(8, 6, 3), torch.randn(IMAGE_SHAPE))
    fused = _fuse_program(program)
    (convolution,) = [node for node in fused.graph.nodes if "convolution" in node.name]
    weight = convolution.args[2]
    assert weight.op == "placeholder" and weight.meta["val"].dtype == torch.int8
    (same,) = [node for node in program.graph.nodes if node.name == weight.name]
    assert same.meta["val"].shape == weight.meta["val"].shape


def test_int8_ops_take_a_dynamic_batch() -> None:
    shapes = ({0: Dim("batch", min=1, max=8)},)
    program = _to_edge_program(LAYERS["3x3"], torch.randn(IMAGE_SHAPE), dynamic_shapes=shapes)
    fused = _fuse_program(program)
    assert _inner_operators(fused) == ["quantized_bytes::convolution"]
    _check_fused_results(program, fused, torch.randn(5, *IMAGE_SHAPE[1:]))


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
@pytest.mark.parametrize("per_channel", [False, True])
def test_models_quantized_by_other_tools_are_fused(dtype: torch.dtype, per_channel: bool) -> None:
    network, x = quantized.cnn()
    network = quantized.quantized(network, x, quantized.Recipe(dtype, per_channel))
    program = to_edge(export(network, (x,))).exported_program()
    fused = _fuse_program(program)
    assert not {"aten::convolution", "aten::addmm", "aten::add.Tensor"} & set(_inner_operators(fused))
    with torch.no_grad():
        difference = program.module()(x) - fused.module()(x)
    assert float(difference.abs().max()) <= 3 * _output_step(program)


def _float_reasons(program: ExportedProgram) -> dict[str, str]:
    nodes = [node for node in _fuse_program(program).graph.nodes if STAYS_FLOAT in node.meta]
    return {operator_names_of(node): node.meta[STAYS_FLOAT] for node in nodes}


class Blended(nn.Module):
    """Quantized layers whose weights are computed."""

    def __init__(self, layer: nn.Conv2d | nn.Linear, change: Callable[[nn.Module], object]) -> None:
        super().__init__()
        self.before, self.after = (
            quantized.Affine(torch.randn(9), torch.int8),
            quantized.Affine(torch.randn(9), torch.int8),
        )
        self.layer = quantized.Layer(layer, per_channel=True)
        change(self.layer.weight)

    def forward(self, x: Tensor) -> Tensor:
        return self.after(self.layer(self.before(x)))


def test_float_layers_report_the_reason() -> None:
    shifted = Blended(nn.Linear(8, 4), lambda weight: weight.zero_points.fill_(1))
    program = to_edge(export(shifted, (torch.randn(2, 8),))).exported_program()
    assert _float_reasons(program) == {"aten::addmm": "its weight has nonzero zero points"}
    last = Blended(nn.Conv2d(8, 4, 3), lambda _: None)
    x = torch.randn(IMAGE_SHAPE).to(memory_format=torch.channels_last)
    program = to_edge(export(last, (x,))).exported_program()
    assert _float_reasons(program) == {"aten::convolution": "its tensors are not in row-major order"}


def test_lut_output_has_its_operands_layout() -> None:
    x = torch.randn(IMAGE_SHAPE).to(memory_format=torch.channels_last)
    program = _to_edge_program(Fn(nn.functional.silu), x)
    fused = _fuse_program(program)
    (table,) = fused.graph.find_nodes(
        op="call_function", target=exir_ops.edge.quantized_bytes.table.default
    )
    assert table.meta["val"].dim_order() == x.dim_order() == (0, 2, 3, 1)
    _check_fused_results(program, fused, x)


class Interpolated(Fn):
    def __init__(self) -> None:
        super().__init__(lambda x: nn.functional.interpolate(x, scale_factor=2, mode="bilinear"))


def test_op_without_an_int8_kernel_is_reported() -> None:
    assert set(_float_reasons(_to_edge_program(Interpolated(), torch.randn(IMAGE_SHAPE))).values()) == {
        "no int8 kernel computes it"
    }


def test_int8_fusion_is_on_by_default() -> None:
    network, x = quantized.mlp()
    program = export(quantized.quantized(network, x), (x,))
    names = [
        operator_names(
            to_edge(program)
            .to_executorch(ExecutorchBackendConfig(fuse_int8=is_fused))
            .exported_program()
        )
        for is_fused in (True, False)
    ]
    assert ["quantized_bytes::linear.out" in name for name in names] == [True, False]


def test_quantization_aware_trained_models_are_computed_in_int8() -> None:
    x = torch.randn(3, 64)
    network = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 48))
    prepared = prepare_qat_pt2e(
        export(network, (x,)).module(), StaticQuantizer(QuantizationOptions("int8_static"))
    )
    prepared(x).sum().backward()
    move_exported_model_to_eval(prepared)
    program = to_edge(export(convert_pt2e(prepared), (x,))).exported_program()
    fused = _fuse_program(program)
    assert _inner_operators(fused) == ["quantized_bytes::linear"] * 2
    _check_fused_results(program, fused, x)


def test_clamp_with_an_integer_input_as_bound_is_not_fused() -> None:
    class Bounded(nn.Module):
        def forward(self, x: Tensor, n: int) -> Tensor:
            return (x + x).clamp(max=n) * 2

    inputs = torch.randn(IMAGE_SHAPE), 3
    program = export(Bounded(), inputs, dynamic_shapes=({}, Dim.DYNAMIC(min=2, max=6)))
    found = quantize_program(program, QuantizationOptions("int8_static"), [inputs]).program
    before = to_edge(found).exported_program()
    after = _fuse_program(before)
    for number in (2, 6):
        expected = before.module(check_guards=False)(inputs[0], number)
        torch.testing.assert_close(after.module(check_guards=False)(inputs[0], number), expected)


def test_lookup_of_a_scalar_tensor_is_fused() -> None:
    class Scalar(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return torch.nn.functional.silu(x.mean()).abs()

    x = torch.randn(IMAGE_SHAPE)
    program = _to_edge_program(Scalar(), x)
    fused = _fuse_program(program)
    assert "quantized_bytes::table" in operator_names(fused)
    torch.testing.assert_close(fused.module()(x), program.module()(x), atol=0.02, rtol=0.0)

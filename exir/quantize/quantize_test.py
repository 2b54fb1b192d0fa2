"""Tests of static quantization: int8 and float operators, and accuracy."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import ExportedProgram, export
from torch.fx import Node

from exir.error import ConfigError
from exir.program import to_edge
from exir.quantize import (
    Decision,
    QuantizationOptions,
    Quantized,
    notes_on,
    output_steps,
    quantize_program,
)
from exir.quantize.families import operator_name
from exir.quantize.outputs import Steps
from exir.testing import quantized as quantized_by_hand
from exir.testing.quantized import Residual
from exir.testing.quantized_modules import IMAGE_SHAPE, output_signal_to_noise, quantize_module

_OPS = torch.ops.quantized_decomposed


_QUANTIZE = "quantized_decomposed::quantize_per_tensor"
_DEQUANTIZE = "quantized_decomposed::dequantize_per_tensor"


def _nodes_of(program: ExportedProgram, operator: str) -> list[Node]:
    return [node for node in program.graph.nodes if operator_name(node) == operator]


def _scale_and_zero_point(node: Node) -> tuple[float, int]:
    """Return the scale and the zero point of a quantization."""
    return node.args[1:3]


def _float_reasons(quantized: Quantized) -> dict[str, str]:
    return {
        decision.operator.removeprefix("aten::"): decision.reason for decision in quantized.decisions
    }


class _ResidualCnn(nn.Module):
    """Convolutions with batch norm, a residual block, pooling, cat and a head."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace))
        self.block = nn.Sequential(
            nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.ReLU6(inplace), nn.Conv2d(8, 8, 1)
        )
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Linear(16, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        x = self.pool(x + self.block(x))
        x = torch.cat([x, torch.sigmoid(x)], 1)
        return self.head(x.mean((2, 3)))


@pytest.mark.parametrize("recipe", ["int8_static", "int8_static_per_tensor"])
@pytest.mark.parametrize("inplace", [False, True])
def test_quantized_network_is_close_to_float(recipe: str, inplace: bool) -> None:
    module = _ResidualCnn(inplace)
    x = torch.randn(IMAGE_SHAPE)
    quantized = quantize_module(module, x, recipe)
    assert output_signal_to_noise(quantized, module, x) > 25
    is_per_channel = "quantized_decomposed::dequantize_per_channel" in map(
        operator_name, quantized.program.graph.nodes
    )
    assert is_per_channel == (recipe == "int8_static")
    lowered = to_edge(quantized.program).to_executorch()
    assert len(lowered.buffer) > 0


def test_static_recipe_computes_int8_from_input_to_output() -> None:
    quantized = quantize_module(_ResidualCnn(), torch.randn(IMAGE_SHAPE))
    assert set(_float_reasons(quantized).values()) == {""}
    for node in quantized.program.graph.nodes:
        if operator_name(node).startswith("aten::") and operator_name(node) not in (
            "aten::relu",
            "aten::hardtanh",
        ):
            assert {
                operator_name(input_node).split("::")[0]
                for input_node in node.all_input_nodes
                if input_node.op != "placeholder"
            } == {"quantized_decomposed"}
    (output,) = output_steps(quantized.program)
    assert output.step > 0 and output.scale == 1


@pytest.mark.parametrize("last", [lambda x: x * 1.5, lambda x: nn.functional.leaky_relu(x, 0.2)])
def test_output_of_an_op_with_a_scalar_has_no_quantization_steps(
    last: Callable[[Tensor], Tensor],
) -> None:
    class Last(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return last(x)

    assert output_steps(export(Last(), (torch.randn(3),))) == [Steps()]


def test_quantized_output_keeps_its_parameters_in_another_shape() -> None:
    class Reshaped(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor, ...]:
            codes = _OPS.quantize_per_tensor(x, 0.5, 3, -128, 127, torch.int8)
            real = _OPS.dequantize_per_tensor(codes, 0.5, 3, -128, 127, torch.int8)
            return codes.reshape(-1), real.permute(1, 0), x + 1

    program = export(Reshaped(), (torch.randn(2, 3),))
    assert output_steps(program) == [Steps(1.0, 0.5, 3), Steps(0.5), Steps(0.0, 1.0, 0)]


def test_output_with_computed_parameters_has_no_quantization_steps() -> None:
    class Scaled(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            parameters = _OPS.choose_qparams.tensor(x, -128, 127, 1e-6, torch.int8)
            return _OPS.quantize_per_tensor.tensor(x, *parameters, -128, 127, torch.int8)

    assert output_steps(export(Scaled(), (torch.randn(2, 3),))) == [Steps()]


def test_clamp_after_a_gemm_is_fused() -> None:
    quantized = quantize_module(nn.Sequential(nn.Conv2d(3, 4, 1), nn.ReLU()), torch.randn(IMAGE_SHAPE))
    (convolution,) = _nodes_of(quantized.program, "aten::conv2d")
    (relu,) = convolution.users
    assert operator_name(relu) == "aten::relu"
    (quantize,) = relu.users
    assert operator_name(quantize) == _QUANTIZE
    assert _scale_and_zero_point(quantize)[1] == -128  # a ReLU's range has no negative values


def test_weights_are_symmetric_per_channel_int8() -> None:
    quantized = quantize_module(nn.Linear(6, 4), torch.randn(2, 6))
    (linear,) = _nodes_of(quantized.program, "aten::linear")
    _, weight, _ = linear.args
    assert operator_name(weight) == "quantized_decomposed::dequantize_per_channel"
    codes, scales, zero_points = (
        quantized.program.state_dict[arg.target.removeprefix("b_")] for arg in weight.args[:3]
    )
    assert codes.dtype == torch.int8 and codes.shape == (4, 6) and int(codes.min()) >= -127
    assert scales.shape == (4,) and not zero_points.any()


def test_pass_through_values_share_their_scale() -> None:
    layers = nn.Conv2d(3, 4, 1), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 3)
    quantized = quantize_module(nn.Sequential(*layers), torch.randn(IMAGE_SHAPE))
    (pool,) = _nodes_of(quantized.program, "aten::max_pool2d")
    before, after = pool.args[0], next(iter(pool.users))
    assert (operator_name(before), operator_name(after)) == (_DEQUANTIZE, _QUANTIZE)
    assert _scale_and_zero_point(before) == _scale_and_zero_point(after)


def test_concatenated_values_share_one_scale() -> None:
    class Join(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.small, self.large = nn.Conv2d(3, 4, 1), nn.Conv2d(3, 4, 1)

        def forward(self, x: Tensor) -> Tensor:
            return torch.cat([self.small(x), 9 * self.large(x)], 1)

    quantized = quantize_module(Join(), torch.randn(IMAGE_SHAPE))
    (joined,) = _nodes_of(quantized.program, "aten::cat")
    after = next(iter(joined.users))
    assert {_scale_and_zero_point(input_node) for input_node in joined.all_input_nodes} == {
        _scale_and_zero_point(after)
    }


def test_static_recipe_keeps_excluded_modules_in_float() -> None:
    quantized = quantize_module(_ResidualCnn(), torch.randn(IMAGE_SHAPE), exclude=["block", "he*d"])
    by_module = {(decision.module, decision.operator): decision for decision in quantized.decisions}
    assert by_module["block.0", "aten::conv2d"].reason == "excluded by 'block'"
    assert by_module["head", "aten::linear"].reason == "excluded by 'he*d'"
    assert by_module["stem.0", "aten::conv2d"].reason == ""
    assert by_module["", "aten::add"].reason == "an operand is float"


def test_static_recipe_rejects_a_pattern_without_matches() -> None:
    with pytest.raises(ConfigError, match="'exclude': 'haed' matches no module with an operator"):
        quantize_module(_ResidualCnn(), torch.randn(IMAGE_SHAPE), exclude=["haed"])


def test_quantization_decisions_name_module_and_line() -> None:
    quantized = quantize_module(_ResidualCnn(), torch.randn(IMAGE_SHAPE))
    first = quantized.decisions[0]
    assert (first.module, first.operator) == ("stem.0", "aten::conv2d")
    assert first.source.startswith("exir/quantize/quantize_test.py:")


class _MaskedAttention(nn.Module):
    """Matrix multiplications, softmax, and a mask without a finite range."""

    def __init__(self) -> None:
        super().__init__()
        self.inward, self.outward = nn.Linear(8, 24), nn.Linear(8, 8)
        self.register_buffer("mask", torch.full((4, 4), float("-inf")).triu(1))

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.inward(x).chunk(3, -1)
        scores = query @ key.transpose(-1, -2) + self.mask
        return self.outward(torch.softmax(scores, -1) @ value)


def test_attention_stays_float_except_linear_layers() -> None:
    module, x = _MaskedAttention(), torch.randn(2, 4, 8)
    quantized = quantize_module(module, x)
    reasons = _float_reasons(quantized)
    assert reasons["linear"] == ""
    assert reasons["matmul"] == "recipe 'int8_static' does not support this operator"
    assert output_signal_to_noise(quantized, module, x) > 25


def test_constants_without_a_range_are_not_quantized() -> None:
    class Masked(nn.Linear):
        def __init__(self) -> None:
            super().__init__(4, 4)
            self.register_buffer("mask", torch.tensor([0, 0, 0, float("-inf")]))

        def forward(self, x: Tensor) -> Tensor:
            return torch.softmax(super().forward(x) + self.mask, -1)

    module, x = Masked(), torch.randn(3, 4)
    quantized = quantize_module(module, x)
    assert _float_reasons(quantized)["add"] == "an operand is float"
    assert output_signal_to_noise(quantized, module, x) > 25


def test_static_recipe_keeps_computed_weights_in_float() -> None:
    class Computed(nn.Linear):
        def forward(self, x: Tensor) -> Tensor:
            return nn.functional.linear(x, self.weight * 2, self.bias)

    quantized = quantize_module(Computed(4, 4), torch.randn(3, 4))
    assert _float_reasons(quantized)["linear"] == "its weight is computed, not a constant"


@pytest.mark.parametrize("make", [quantized_by_hand.mlp, quantized_by_hand.cnn])
def test_quantized_layers_are_unchanged(
    make: Callable[[], tuple[nn.Sequential, Tensor]],
) -> None:
    network, x = make()
    program = export(quantized_by_hand.quantized(network, x), (x,))
    quantized = quantize_program(program, QuantizationOptions("int8_static"))
    assert quantized == Quantized(program, ())


def test_quantization_is_deterministic() -> None:
    torch.manual_seed(3)
    module = _ResidualCnn()
    first, second = (quantize_module(module, torch.ones(IMAGE_SHAPE)) for _ in range(2))
    assert str(first.program.graph) == str(second.program.graph)
    assert first.decisions == second.decisions


def test_residual_block_is_fully_quantized() -> None:
    module = nn.Sequential(nn.Conv2d(3, 8, 1), Residual(nn.Conv2d(8, 8, 1), nn.ReLU()))
    quantized = quantize_module(module, torch.randn(IMAGE_SHAPE))
    assert quantized.decisions[-1] == Decision("1", quantized.decisions[-1].source, "aten::add")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"recipe": "int8_statik"},
            "unknown recipe 'int8_statik'; did you mean 'int8_static'?",
        ),
        (
            {"recipe": "int8_static", "observer": "mean"},
            "unknown observer 'mean'; valid: histogram, minmax",
        ),
        (
            {"recipe": "int8_static", "calibration_batches": 0},
            "'calibration_batches' must be at least 1, got 0",
        ),
    ],
)
def test_invalid_quantization_option_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message.replace("?", r"\?")):
        QuantizationOptions(**options)


def test_weight_only_recipe_takes_modules() -> None:
    program = export(nn.Linear(4, 4), (torch.randn(3, 4),))
    with pytest.raises(
        ConfigError, match="recipe 'int8_dynamic' quantizes modules; call quantize_weights"
    ):
        quantize_program(program, QuantizationOptions("int8_dynamic"))


def test_torchao_is_imported_only_to_quantize() -> None:
    program = "import sys, exir.cli.one_shot, exir.quantize; print('torchao' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def _pad_program(pad: Callable[[Tensor], Tensor]) -> tuple[nn.Module, Tensor, Quantized]:
    class Padded(nn.Conv2d):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(pad(x))

    module, x = Padded(3, 4, 3), torch.randn(IMAGE_SHAPE)
    return module, x, quantize_module(module, x)


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate"])
def test_padding_shares_its_operands_range(mode: str) -> None:
    module, x, quantized = _pad_program(lambda x: nn.functional.pad(x, (0, 1, 0, 1), mode))
    assert _float_reasons(quantized)["pad"] == ""
    assert output_signal_to_noise(quantized, module, x) > 30


def test_padding_with_a_nonzero_value_stays_float() -> None:
    _, _, quantized = _pad_program(lambda x: nn.functional.pad(x, (0, 1, 0, 1), value=-9.0))
    assert _float_reasons(quantized)["pad"] == "recipe 'int8_static' does not support this operator"


@pytest.mark.parametrize("count", [1, 2, 3])
def test_note_mentions_other_float_layers(count: int) -> None:
    layers = [Decision(f"layers.{i}", "", "aten::linear", "a reason") for i in range(count)]
    (note,) = notes_on(layers, QuantizationOptions("int8_static"))
    others = f", and others; the manifest lists all {count}" if count > 1 else ""
    assert note == (
        f"recipe 'int8_static' leaves {count} of {count} layers float: 'layers.0' (aten::linear): "
        f"a reason{others}"
    )


def test_float64_layers_are_reported() -> None:
    module, x = nn.Linear(4, 4).double(), torch.randn(3, 4, dtype=torch.float64)
    (note,) = notes_on(quantize_module(module, x).decisions, QuantizationOptions("int8_static"))
    assert note.endswith("its result is float64; recipe 'int8_static' quantizes float32")


class ScaledSum(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x: Tensor, n: int) -> Tensor:
        y = self.linear(x)
        return torch.add(y, y, alpha=n)


def test_sum_scaled_by_an_integer_input_stays_float() -> None:
    inputs = (torch.randn(2, 8), 3)
    program = export(ScaledSum(), inputs, dynamic_shapes=(None, torch.export.Dim.DYNAMIC))
    quantized = quantize_program(program, QuantizationOptions("int8_static"), [inputs])
    assert _float_reasons(quantized)["add"] == "its argument 'alpha' is not a constant"
    assert _float_reasons(quantized)["linear"] == ""

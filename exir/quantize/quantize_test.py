"""Tests of static quantization: int8 and float operators, and accuracy."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram, export
from torch.fx import Node

from exir.decomposition.recurrence import dynamic_recurrence
from exir.error import ConfigError, ModelError
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
from exir.testing import quantized as made_by_hand
from exir.testing.quantized import Residual

_OPS = torch.ops.quantized_decomposed
_QUANTIZE = "quantized_decomposed::quantize_per_tensor"
_DEQUANTIZE = "quantized_decomposed::dequantize_per_tensor"


def _quantize_module(
    module: nn.Module, x: Tensor, recipe: str = "int8_static", **options: Any
) -> Quantized:
    torch.manual_seed(0)
    calls = [(x,), *((torch.randn_like(x),) for _ in range(7))]
    return quantize_program(export(module.eval(), (x,)), QuantizationOptions(recipe, **options), calls)


def _nodes_of(program: ExportedProgram, operator: str) -> list[Node]:
    return [node for node in program.graph.nodes if operator_name(node) == operator]


def _scale_and_zero_point(node: Node) -> tuple[float, int]:
    """Return the scale and the zero point of a quantization."""
    return node.args[1:3]


def _float_reasons(quantized: Quantized) -> dict[str, str]:
    return {
        decision.operator.removeprefix("aten::"): decision.reason for decision in quantized.decisions
    }


def _output_sqnr(quantized: Quantized, module: nn.Module, x: Tensor) -> float:
    with torch.no_grad():
        real, found = module(x), quantized.program.module()(x)
    return float(10 * torch.log10(real.square().sum() / (real - found).square().sum()))


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


_PICTURE = (2, 3, 8, 8)


@pytest.mark.parametrize("recipe", ["int8_static", "int8_static_per_tensor"])
@pytest.mark.parametrize("inplace", [False, True])
def test_quantized_network_is_close_to_float(recipe: str, inplace: bool) -> None:
    module = _ResidualCnn(inplace)
    x = torch.randn(_PICTURE)
    quantized = _quantize_module(module, x, recipe)
    assert _output_sqnr(quantized, module, x) > 25
    lowered = to_edge(quantized.program).to_executorch()
    assert len(lowered.buffer) > 0


def test_static_recipe_computes_int8_from_input_to_output() -> None:
    quantized = _quantize_module(_ResidualCnn(), torch.randn(_PICTURE))
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
    quantized = _quantize_module(nn.Sequential(nn.Conv2d(3, 4, 1), nn.ReLU()), torch.randn(_PICTURE))
    (convolution,) = _nodes_of(quantized.program, "aten::conv2d")
    (relu,) = convolution.users
    assert operator_name(relu) == "aten::relu"
    (quantize,) = relu.users
    assert operator_name(quantize) == _QUANTIZE
    assert _scale_and_zero_point(quantize)[1] == -128  # a ReLU's range has no negative values


def test_weights_are_symmetric_per_channel_int8() -> None:
    quantized = _quantize_module(nn.Linear(6, 4), torch.randn(2, 6))
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
    quantized = _quantize_module(nn.Sequential(*layers), torch.randn(_PICTURE))
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

    quantized = _quantize_module(Join(), torch.randn(_PICTURE))
    (joined,) = _nodes_of(quantized.program, "aten::cat")
    after = next(iter(joined.users))
    assert {_scale_and_zero_point(input_node) for input_node in joined.all_input_nodes} == {
        _scale_and_zero_point(after)
    }


def test_static_recipe_keeps_excluded_modules_in_float() -> None:
    quantized = _quantize_module(_ResidualCnn(), torch.randn(_PICTURE), exclude=["block", "he*d"])
    by_module = {(decision.module, decision.operator): decision for decision in quantized.decisions}
    assert by_module["block.0", "aten::conv2d"].reason == "excluded by 'block'"
    assert by_module["head", "aten::linear"].reason == "excluded by 'he*d'"
    assert by_module["stem.0", "aten::conv2d"].reason == ""
    assert by_module["", "aten::add"].reason == "an operand is float"


def test_static_recipe_rejects_a_pattern_without_matches() -> None:
    with pytest.raises(ConfigError, match="'exclude': 'haed' matches no module with an operator"):
        _quantize_module(_ResidualCnn(), torch.randn(_PICTURE), exclude=["haed"])


def test_quantization_decisions_name_module_and_line() -> None:
    quantized = _quantize_module(_ResidualCnn(), torch.randn(_PICTURE))
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
    quantized = _quantize_module(module, x)
    reasons = _float_reasons(quantized)
    assert reasons["linear"] == ""
    assert reasons["matmul"] == "recipe 'int8_static' does not support this operator"
    assert _output_sqnr(quantized, module, x) > 25


def test_constants_without_a_range_are_not_quantized() -> None:
    class Masked(nn.Linear):
        def __init__(self) -> None:
            super().__init__(4, 4)
            self.register_buffer("mask", torch.tensor([0, 0, 0, float("-inf")]))

        def forward(self, x: Tensor) -> Tensor:
            return torch.softmax(super().forward(x) + self.mask, -1)

    module, x = Masked(), torch.randn(3, 4)
    quantized = _quantize_module(module, x)
    assert _float_reasons(quantized)["add"] == "an operand is float"
    assert _output_sqnr(quantized, module, x) > 25


def test_static_recipe_keeps_computed_weights_in_float() -> None:
    class Computed(nn.Linear):
        def forward(self, x: Tensor) -> Tensor:
            return nn.functional.linear(x, self.weight * 2, self.bias)

    quantized = _quantize_module(Computed(4, 4), torch.randn(3, 4))
    assert _float_reasons(quantized)["linear"] == "its weight is computed, not a constant"


def test_quantized_program_keeps_dynamic_shapes() -> None:
    module, x = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).eval(), torch.randn(3, 4)
    shapes = {"input": {0: Dim("n", min=2, max=16)}}
    program = export(module, (x,), dynamic_shapes=shapes)
    quantized = quantize_program(program, QuantizationOptions("int8_static"), [(x,)], shapes)
    assert quantized.program.module()(torch.randn(11, 4)).shape == (11, 2)


def test_quantized_program_keeps_a_size_without_upper_bound() -> None:
    module, x = nn.Linear(4, 2).eval(), torch.randn(3, 4)
    program = export(module, (x,), dynamic_shapes=({0: Dim.DYNAMIC},))
    quantized = quantize_program(program, QuantizationOptions("int8_static"), [(x,)]).program
    assert quantized.module()(torch.randn(50, 4)).shape == (50, 2)
    assert list(quantized.range_constraints.values()) == list(program.range_constraints.values())


def test_quantization_preserves_state() -> None:
    class Sum(nn.Module):
        total: Tensor

        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)
            self.register_buffer("total", torch.zeros(3, 4))

        def forward(self, x: Tensor) -> Tensor:
            self.total += self.layer(x)
            return self.total

    module, x = Sum(), torch.randn(3, 4)
    run = _quantize_module(module, x).program.module()
    with torch.no_grad():
        first, second = run(x).clone(), run(x).clone()
        assert torch.equal(second, 2 * first)
        torch.testing.assert_close(first, module.layer(x), atol=0.05, rtol=0.05)


@pytest.mark.parametrize("calibration", [None, [], ()])
def test_static_recipe_needs_calibration_inputs(calibration: Any) -> None:
    program = export(nn.Linear(4, 4), (torch.randn(3, 4),))
    with pytest.raises(ConfigError, match="recipe 'int8_static' needs calibration inputs; set"):
        quantize_program(program, QuantizationOptions("int8_static"), calibration)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ((torch.ones(3, 4), torch.ones(3)), "a calibration call has 2 inputs, but the method has 1"),
        (
            (torch.ones(4),),
            "input 0 of a calibration call is a float32 tensor of rank 1, but the method's is a float32 tensor",
        ),
        ((3,), "input 0 of a calibration call is a int, but the method's is a float32 tensor of rank 2"),
        ((torch.ones(0, 4),), r"input 0 of a calibration call is empty: sizes \[0, 4\]"),
        ((torch.full((3, 4), torch.nan),), "input 0 of a calibration call has NaN values"),
        (
            (torch.ones(3, 5),),
            r"input 0 of a calibration call has sizes \[3, 5\], but the method's are \[3, 4\]",
        ),
    ],
)
def test_mismatched_calibration_call_is_an_error(call: tuple, message: str) -> None:
    program = export(nn.Linear(4, 4), (torch.randn(3, 4),))
    with pytest.raises(ModelError, match=message):
        quantize_program(program, QuantizationOptions("int8_static"), [(torch.randn(3, 4),), call])


@pytest.mark.parametrize(
    ("observer", "message"),
    [
        ("histogram", "calibration call 0: torch.histc: range of .* is not finite"),
        ("minmax", "calibration produces a range that is not finite"),
    ],
)
def test_calibrated_ranges_are_finite(observer: str, message: str) -> None:
    program = export(nn.Linear(4, 4), (torch.randn(3, 4),))
    options = QuantizationOptions("int8_static", observer=observer)
    with pytest.raises(ModelError, match=message):
        quantize_program(program, options, [(torch.full((3, 4), torch.inf),)])


@pytest.mark.parametrize("observer", ["histogram", "minmax"])
def test_empty_activation_needs_no_range(observer: str) -> None:
    class Emptied(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            return x[:0] * 2 + 1, x * 2

    x = torch.randn(3, 4)
    options = QuantizationOptions("int8_static", observer=observer)
    run = quantize_program(export(Emptied(), (x,)), options, [(x,)]).program.module()
    empty, doubled = run(x)
    assert empty.shape == (0, 4)
    torch.testing.assert_close(doubled, x * 2, atol=0.05, rtol=0)


def test_calibration_batches_are_limited() -> None:
    used_batches = []

    def calls() -> Any:
        for number in range(9):
            used_batches.append(number)
            yield (torch.randn(3, 4),)

    program = export(nn.Linear(4, 4), (torch.randn(3, 4),))
    quantize_program(program, QuantizationOptions("int8_static", calibration_batches=2), calls)
    assert used_batches == [0, 1]


@pytest.mark.parametrize("make", [made_by_hand.mlp, made_by_hand.cnn])
def test_quantized_layers_are_unchanged(
    make: Callable[[], tuple[nn.Sequential, Tensor]],
) -> None:
    network, x = make()
    program = export(made_by_hand.quantized(network, x), (x,))
    quantized = quantize_program(program, QuantizationOptions("int8_static"))
    assert quantized == Quantized(program, ())


def test_quantization_is_deterministic() -> None:
    torch.manual_seed(3)
    module = _ResidualCnn()
    first, second = (_quantize_module(module, torch.ones(_PICTURE)) for _ in range(2))
    assert str(first.program.graph) == str(second.program.graph)
    assert first.decisions == second.decisions


def test_residual_block_is_fully_quantized() -> None:
    module = nn.Sequential(nn.Conv2d(3, 8, 1), Residual(nn.Conv2d(8, 8, 1), nn.ReLU()))
    quantized = _quantize_module(module, torch.randn(_PICTURE))
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

    module, x = Padded(3, 4, 3), torch.randn(_PICTURE)
    return module, x, _quantize_module(module, x)


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate"])
def test_padding_shares_its_operands_range(mode: str) -> None:
    module, x, quantized = _pad_program(lambda x: nn.functional.pad(x, (0, 1, 0, 1), mode))
    assert _float_reasons(quantized)["pad"] == ""
    assert _output_sqnr(quantized, module, x) > 30


def test_padding_with_a_nonzero_value_stays_float() -> None:
    _, _, quantized = _pad_program(lambda x: nn.functional.pad(x, (0, 1, 0, 1), value=-9.0))
    assert _float_reasons(quantized)["pad"] == "recipe 'int8_static' does not support this operator"


def _set_norm_statistics(norm: nn.Module) -> nn.Module:
    """Set a batch norm's statistics and weights to values far from the identity."""
    for name, low, high in (("running_mean", -1, 1), ("running_var", 0.3, 4), ("weight", 0.3, 3)):
        getattr(norm, name).data.uniform_(low, high)
    return norm


_LAYERS: dict[str, tuple[Callable[[], nn.Module], type[nn.Module], tuple[int, ...]]] = {
    "conv1d": (lambda: nn.Conv1d(4, 4, 3), nn.BatchNorm1d, (1, 4, 16)),
    "conv2d": (lambda: nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d, (1, 4, 8, 8)),
    "depthwise": (lambda: nn.Conv2d(4, 4, 3, groups=4, bias=False), nn.BatchNorm2d, (1, 4, 8, 8)),
    "conv3d": (lambda: nn.Conv3d(4, 4, 3), nn.BatchNorm3d, (1, 4, 5, 5, 5)),
    "conv_transpose2d": (lambda: nn.ConvTranspose2d(4, 4, 3), nn.BatchNorm2d, (1, 4, 8, 8)),
    "conv_transpose1d of groups": (
        lambda: nn.ConvTranspose1d(4, 4, 3, groups=2),
        nn.BatchNorm1d,
        (1, 4, 16),
    ),
    "depthwise conv_transpose2d": (
        lambda: nn.ConvTranspose2d(4, 4, 3, groups=4),
        nn.BatchNorm2d,
        (1, 4, 8, 8),
    ),
    "linear": (lambda: nn.Linear(32, 32), nn.BatchNorm1d, (16, 32)),
}


class _TwoNorms(nn.Module):
    """A layer with two batch norms; `uses` selects their uses."""

    def __init__(self, layer: str, uses: "Callable[[_TwoNorms, Tensor], tuple[Tensor, ...]]") -> None:
        super().__init__()
        make, norm, sizes = _LAYERS[layer]
        self.layer, self.other = make(), make()
        self.first, self.second = (_set_norm_statistics(norm(sizes[1])) for _ in range(2))
        self._uses = uses

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        return self._uses(self, x)


def _output_before_norm(m: _TwoNorms, x: Tensor) -> tuple[Tensor, ...]:
    y = m.layer(x)
    return m.first(y), torch.relu(y)


_USES: dict[str, Callable[[_TwoNorms, Tensor], tuple[Tensor, ...]]] = {
    "a norm per level": lambda m, x: (torch.relu(m.first(m.layer(x))), m.second(m.layer(x))),
    "the norm of one call alone": lambda m, x: (m.first(m.layer(x)), torch.relu(m.layer(x))),
    "a tap before the norm": _output_before_norm,
    "a weight that is read": lambda m, x: (m.first(m.layer(x)), m.layer.weight * 2),
    "one norm of two layers": lambda m, x: (m.first(m.layer(x)), m.first(m.other(x))),
}


def _quantize_norms(layer: str, uses: str) -> tuple[Quantized, list[float]]:
    """Return the quantized module, and the relative error of each output.

    The error is relative to the output's largest element.
    """
    torch.manual_seed(0)
    module, calls = (
        _TwoNorms(layer, _USES[uses]).eval(),
        [torch.randn(_LAYERS[layer][2]) for _ in range(8)],
    )
    options = QuantizationOptions("int8_static", observer="minmax")
    with torch.no_grad():
        quantized = quantize_program(export(module, (calls[0],)), options, [(call,) for call in calls])
        found, real = quantized.program.module()(calls[0]), module(calls[0])
    return quantized, [float((a - b).abs().max() / b.abs().max()) for a, b in zip(found, real)]


@pytest.mark.parametrize("layer", _LAYERS)
def test_norm_is_folded_into_an_unshared_weight(layer: str) -> None:
    quantized, errors = _quantize_norms(layer, "a norm per level")
    assert max(errors) < 0.05
    assert not any("batch_norm" in decision.operator for decision in quantized.decisions)


@pytest.mark.parametrize("uses", _USES)
def test_folding_a_norm_preserves_other_uses_of_the_layer(uses: str) -> None:
    _, errors = _quantize_norms("conv2d", uses)
    assert max(errors) < 0.05


def test_unfolded_norm_does_not_start_a_search_for_training_patterns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """torchao would export 96 patterns for a batch norm, which takes a minute."""

    def fail(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("torchao exports a pattern")

    monkeypatch.setattr("torchao.quantization.pt2e.qat_utils._get_aten_graph_module_for_pattern", fail)
    quantized, _ = _quantize_norms("conv2d", "a tap before the norm")
    assert any("batch_norm" in decision.operator for decision in quantized.decisions)


def test_unfolded_norm_is_reported_with_the_reason() -> None:
    quantized, _ = _quantize_norms("conv2d", "a tap before the norm")
    reason = "the result of the preceding aten::conv2d has 1 other user"
    left = [decision for decision in quantized.decisions if "batch_norm" in decision.operator]
    assert [(decision.module, decision.reason) for decision in left] == [("first", reason)]
    (note,) = notes_on(quantized.decisions, QuantizationOptions("int8_static"))
    assert note.startswith(
        "recipe 'int8_static' leaves 1 of 2 layers float: 'first' ("
    ) and note.endswith(reason)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_note_mentions_other_float_layers(count: int) -> None:
    layers = [Decision(f"layers.{i}", "", "aten::linear", "a reason") for i in range(count)]
    (note,) = notes_on(layers, QuantizationOptions("int8_static"))
    others = f", and others; the manifest lists all {count}" if count > 1 else ""
    assert note == (
        f"recipe 'int8_static' leaves {count} of {count} layers float: 'layers.0' (aten::linear): "
        f"a reason{others}"
    )


def test_tied_weight_keeps_its_value() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.two = nn.Linear(32, 32), nn.Linear(32, 32)
            self.two.weight, self.one.bias = self.one.weight, self.two.bias
            self.norm = _set_norm_statistics(nn.BatchNorm1d(32))

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            return self.norm(self.one(x)), torch.relu(self.two(x))

    torch.manual_seed(0)
    module, x = Tied().eval(), torch.randn(16, 32)
    with torch.no_grad():
        found, real = _quantize_module(module, x).program.module()(x), module(x)
    for a, b in zip(found, real):
        assert (a - b).abs().max() < 0.05 * b.abs().max()


def test_norm_after_a_computed_weight_stays_float() -> None:
    class Computed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.norm = nn.Conv2d(3, 4, 1), _set_norm_statistics(nn.BatchNorm2d(4))

        def forward(self, x: Tensor) -> Tensor:
            return self.norm(nn.functional.conv2d(x, self.conv.weight * 2, self.conv.bias))

    module, x = Computed().eval(), torch.randn(_PICTURE)
    assert _output_sqnr(_quantize_module(module, x), module, x) > 30


def test_norm_of_an_unbatched_convolution_is_not_folded() -> None:
    class Unbatched(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.norm = nn.Conv1d(4, 8, 3, padding=1), _set_norm_statistics(nn.BatchNorm1d(8))

        def forward(self, x: Tensor) -> Tensor:
            return self.norm(self.conv(x))

    module, x = Unbatched().eval(), torch.randn(4, 8)
    assert _output_sqnr(_quantize_module(module, x), module, x) > 25


def test_float64_layers_are_reported() -> None:
    module, x = nn.Linear(4, 4).double(), torch.randn(3, 4, dtype=torch.float64)
    (note,) = notes_on(_quantize_module(module, x).decisions, QuantizationOptions("int8_static"))
    assert note.endswith("its result is float64; recipe 'int8_static' quantizes float32")


def test_recurrent_layer_keeps_a_dynamic_length() -> None:
    module = nn.Sequential(nn.Linear(4, 4), nn.GRU(4, 3)).eval()
    with dynamic_recurrence():
        program = export(module, (torch.randn(6, 1, 4),), dynamic_shapes=({0: Dim("n", min=1, max=16)},))
    calls = [(torch.randn(6, 1, 4),)] * 3
    quantized = quantize_program(program, QuantizationOptions("int8_static"), calls).program
    for length in (1, 16):
        x = calls[0][0][:1].expand(length, -1, -1)
        for found, expected in zip(quantized.module()(x), module(x), strict=True):
            torch.testing.assert_close(found, expected, atol=0.02, rtol=0.0)


def test_dynamic_shapes_of_nested_arguments_stay_dynamic() -> None:
    class Variadic(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, *inputs: Tensor) -> Tensor:
            return self.layer(inputs[0]) + inputs[1][::2]

    module, n = Variadic().eval(), Dim("n", min=2, max=16)
    inputs = torch.randn(3, 4), torch.randn(6, 4)
    program = export(module, inputs, dynamic_shapes=(({0: n}, {0: 2 * n}),))
    quantized = quantize_program(program, QuantizationOptions("int8_static"), [inputs]).program
    assert quantized.module()(torch.randn(11, 4), torch.randn(22, 4)).shape == (11, 4)
    bounds = [sorted(map(str, program_.range_constraints.values())) for program_ in (program, quantized)]
    assert bounds[0] == bounds[1]


def test_input_size_that_is_a_product_of_sizes_stays_dynamic() -> None:
    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x: Tensor, mask: Tensor) -> Tensor:
            return self.layer(x).reshape(-1, 4) + mask

    shapes = ({0: Dim.DYNAMIC, 1: Dim.DYNAMIC}, {0: Dim.AUTO})
    inputs = torch.randn(3, 5, 4), torch.randn(15, 1)
    program = export(Masked().eval(), inputs, dynamic_shapes=shapes)
    assert program.graph.find_nodes(op="placeholder")[-1].meta["val"].shape[0].node.expr.is_Mul
    quantized = quantize_program(program, QuantizationOptions("int8_static"), [inputs]).program
    assert quantized.module()(torch.randn(2, 7, 4), torch.randn(14, 1)).shape == (14, 4)


def test_integer_input_keeps_its_bounds() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x: Tensor, n: int) -> Tensor:
            return self.layer(x) * n

    inputs = torch.randn(3, 4), 3
    program = export(Scaled().eval(), inputs, dynamic_shapes=({}, Dim.DYNAMIC(min=2, max=5)))
    quantized = quantize_program(program, QuantizationOptions("int8_static"), [inputs]).program
    assert [str(constraint) for constraint in quantized.range_constraints.values()] == ["VR[2, 5]"]


class Remembering(nn.Module):
    """Float and integer states that are mutated in several ways."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("total", torch.zeros(3, 4))
        self.register_buffer("rows", torch.zeros(3, 4), persistent=False)
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        y = self.linear(x)
        self.total += y
        self.rows[:1] = y[:1]
        self.calls += 1
        return torch.relu(self.linear(y) + self.total + self.rows + self.calls)


@pytest.mark.parametrize("is_refused", [False, True])
def test_calibration_does_not_change_state(is_refused: bool) -> None:
    module = Remembering().eval()
    program = torch.export.export(module, (torch.randn(3, 4),))
    calls = [(torch.randn(3, 4),) for _ in range(3)]
    options = QuantizationOptions(recipe="int8_static")
    if is_refused:
        with pytest.raises(ModelError, match="calibration call 3"):
            quantize_program(program, options, [*calls, (torch.full((3, 4), float("inf")),)])
    else:
        quantized = quantize_program(program, options, calls).program
        assert quantized.state_dict["total"].count_nonzero() == 0
    for name, buffer in [*module.named_buffers(), *program.named_buffers()]:
        assert buffer.count_nonzero() == 0, name


class _UnusedConstant(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.layer(x)
        _ = torch.tensor(3) * y
        return y


def test_a_program_is_quantized_twice_and_keeps_its_unused_constants() -> None:
    x = torch.randn(2, 8)
    program = export(_UnusedConstant(), (x,))
    names = list(program.constants)
    results = [quantize_program(program, QuantizationOptions("int8_static"), [(x,)]) for _ in range(2)]
    assert list(program.constants) == names
    first, second = (result.program.module()(x) for result in results)
    assert torch.equal(first, second)

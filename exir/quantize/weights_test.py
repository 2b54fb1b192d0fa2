"""Tests of 4-bit and 8-bit weight recipes."""

import importlib.util
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import ExportedProgram, export

from exir.error import ConfigError
from exir.model.module_copy import copy_modules
from exir.program import to_edge
from exir.quantize import Decision, QuantizationOptions, decisions_of, notes_on, quantize_weights
from exir.testing.quantized_modules import signal_to_noise

# The minimum signal-to-noise ratio of each recipe, in dB.
RECIPES = {"int8_dynamic": 35, "int4_dynamic": 15, "int8_weight_only": 35, "int4_weight_only": 15}


class _EmbeddingWithHead(nn.Module):
    """An embedding, and a head whose rows are shorter than a group of 32."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(50, 64)
        self.inner = nn.Sequential(nn.Linear(64, 96), nn.GELU(), nn.Linear(96, 20))
        self.head = nn.Linear(20, 7)

    def forward(self, words: Tensor) -> Tensor:
        return self.head(self.inner(self.table(words)))


def _quantize_words(options: QuantizationOptions) -> tuple[ExportedProgram, Sequence[Decision], float]:
    """Return a quantized program, its decisions and its signal-to-noise ratio."""
    torch.manual_seed(0)
    module, words = _EmbeddingWithHead().eval(), torch.randint(0, 50, (3, 11))
    with torch.no_grad():
        real = module(words)
        reasons = quantize_weights(module, options)
        program = export(module, (words,))
        found = program.module()(words)
    return program, decisions_of(program, options, reasons), signal_to_noise(real, found)


def _by_module(decisions: Sequence[Decision]) -> dict[str, str]:
    weighted = ("aten::linear", "aten::embedding")
    return {decision.module: decision.reason for decision in decisions if decision.operator in weighted}


@pytest.mark.parametrize("recipe", RECIPES)
def test_low_bit_module_is_close_to_float(
    recipe: str,
) -> None:
    program, decisions, sqnr = _quantize_words(QuantizationOptions(recipe))
    assert sqnr > RECIPES[recipe]
    grouped = recipe.startswith("int4")
    not_divided = "its 20 inputs are not a multiple of group_size 32"
    assert _by_module(decisions) == {
        "table": "",
        "inner.0": "",
        "inner.2": "",
        "head": not_divided if grouped else "",
    }
    lowered = to_edge(program).to_executorch()
    called = {str(node.target) for node in lowered.exported_program().graph.nodes}
    assert (
        f"quantized_weight.{'dynamic_linear' if recipe.endswith('dynamic') else 'linear'}.out" in called
    )


def test_operators_without_weights_have_no_quantized_form() -> None:
    _, decisions, _ = _quantize_words(QuantizationOptions("int8_dynamic"))
    (gelu,) = [decision for decision in decisions if decision.operator == "aten::gelu"]
    assert gelu.module == "inner.1" and gelu.source.startswith("exir/quantize/weights_test.py:")
    assert gelu.reason == "recipe 'int8_dynamic' does not support this operator"


def test_smaller_group_sizes_are_accepted() -> None:
    _, decisions, _ = _quantize_words(QuantizationOptions("int4_weight_only", group_size=4))
    assert set(_by_module(decisions).values()) == {""}


def test_weight_only_recipe_keeps_excluded_modules_in_float() -> None:
    _, decisions, _ = _quantize_words(QuantizationOptions("int8_weight_only", exclude=["inner", "tab*"]))
    assert _by_module(decisions) == {
        "table": "excluded by 'tab*'",
        "inner.0": "excluded by 'inner'",
        "inner.2": "excluded by 'inner'",
        "head": "",
    }


def test_weight_only_recipe_rejects_a_pattern_without_matches() -> None:
    with pytest.raises(ConfigError, match="'exclude': 'haed' matches no module with an operator"):
        quantize_weights(_EmbeddingWithHead(), QuantizationOptions("int8_weight_only", exclude=["haed"]))


def test_weight_outside_modules_stays_float() -> None:
    class Bare(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.randn(4, 8))

        def forward(self, x: Tensor) -> Tensor:
            return nn.functional.linear(x, self.weight)

    module, options = Bare(), QuantizationOptions("int8_dynamic")
    reasons = quantize_weights(module, options)
    (found,) = decisions_of(export(module, (torch.randn(2, 8),)), options, reasons)
    assert found.reason == "its weight is not the weight of a torch.nn.Linear or torch.nn.Embedding"


@pytest.mark.parametrize(
    ("recipe", "size", "message"),
    [
        ("int4_dynamic", 0, "'group_size' must be at least 1, got 0"),
        ("int8_static", 32, "'group_size' needs a recipe that is not static; 'int8_static' has"),
    ],
)
def test_invalid_group_sizes_are_named(recipe: str, size: int, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        QuantizationOptions(recipe, group_size=size)


@pytest.mark.parametrize("recipe", ["int8_weight_only", "int8_dynamic"])
def test_layers_with_one_input_stay_float(recipe: str) -> None:
    module = nn.Sequential(nn.Linear(6, 1), nn.Linear(1, 8), nn.Linear(8, 4))
    reasons = quantize_weights(module, QuantizationOptions(recipe))
    assert list(reasons) == ["1"] and "rows of length 1" in reasons["1"]


def test_static_recipe_rejects_modules() -> None:
    message = "recipe 'int8_static' quantizes exported programs; call quantize_program"
    with pytest.raises(ConfigError, match=message):
        quantize_weights(nn.Linear(4, 3), QuantizationOptions("int8_static"))


def test_group_size_that_divides_no_layer_is_refused() -> None:
    message = "'group_size' 33 does not divide the rows of any layer; '0': its 4 inputs are not a multiple of group_size 33"
    with pytest.raises(ConfigError, match=f"^{message}$"):
        quantize_weights(
            nn.Sequential(nn.Linear(4, 3)), QuantizationOptions("int4_weight_only", group_size=33)
        )


def test_single_layer_model_is_named() -> None:
    with pytest.raises(ConfigError, match="; the model itself: its 4 inputs"):
        quantize_weights(nn.Linear(4, 3), QuantizationOptions("int4_weight_only", group_size=33))


@pytest.mark.parametrize("recipe", ["int4_weight_only", "int8_dynamic"])
@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("group_size", "x", "'group_size' must be an integer, got 'x'"),
        ("group_size", True, "'group_size' must be an integer, got True"),
        ("group_size", -1, "'group_size' must be at least 1, got -1"),
        ("exclude", "head", "'exclude' must be a list, each element a string, got 'head'"),
        ("exclude", [3], r"'exclude' must be a list, each element a string, got \[3\]"),
        ("observer", "minmax", "'observer' needs a static recipe; '.*' does not use calibration"),
        ("observer", "mean", "unknown observer 'mean'; valid: histogram, minmax"),
        (
            "calibration_batches",
            2,
            "'calibration_batches' needs a static recipe; '.*' does not use calibration",
        ),
        ("calibration_batches", 0, "'calibration_batches' must be at least 1, got 0"),
        ("quantize_inputs", 1, "'quantize_inputs' must be true or false, got 1"),
        ("quantize_outputs", True, "'quantize_inputs' and 'quantize_outputs' need a static recipe"),
    ],
)
def test_unsupported_recipe_option_is_refused(recipe: str, key: str, value: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{message}"):
        QuantizationOptions(recipe, **{key: value})


def test_layers_left_in_float_are_reported() -> None:
    options = QuantizationOptions("int4_weight_only")
    _, decisions, _ = _quantize_words(options)
    reason = "its 20 inputs are not a multiple of group_size 32"
    assert notes_on(decisions, options) == [
        f"recipe 'int4_weight_only' leaves 1 of 4 layers float: 'head' (aten::linear): {reason}"
    ]
    excluding = QuantizationOptions("int4_weight_only", exclude=["head"])
    assert notes_on(_quantize_words(excluding)[1], excluding) == []


def test_model_without_quantizable_layers_is_reported() -> None:
    options = QuantizationOptions("int8_dynamic")
    program = export(nn.Softmax(1), (torch.randn(2, 3),))
    decisions = decisions_of(program, options, {})
    assert notes_on(decisions, options) == ["recipe 'int8_dynamic' finds no operator to quantize"]


def test_functional_attention_keeps_float_weights() -> None:
    class Attention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = nn.MultiheadAttention(64, 4, batch_first=True)
            self.head = nn.Linear(64, 32)

        def forward(self, x: Tensor) -> Tensor:
            return self.head(self.attention(x, x, x, need_weights=False)[0])

    module, options = Attention().eval(), QuantizationOptions("int8_weight_only")
    reasons = quantize_weights(module, options)
    assert reasons == {
        "attention.out_proj": "torch.nn.MultiheadAttention multiplies by its weight directly"
    }
    program = export(module, (torch.randn(2, 5, 64),))
    linears = [
        decision
        for decision in decisions_of(program, options, reasons)
        if decision.operator == "aten::linear"
    ]
    assert [bool(decision.reason) for decision in linears] == [True, True, False]
    assert len(to_edge(program).to_executorch().buffer) > 0


def _pruned_module() -> nn.Linear:
    layer = nn.Linear(32, 32)
    nn.utils.prune.l1_unstructured(layer, "weight", 0.5)
    return layer


_COMPUTED = {
    "weight_norm": lambda: nn.utils.weight_norm(nn.Linear(32, 32)),
    "spectral_norm": lambda: nn.utils.spectral_norm(nn.Linear(32, 32)),
    "pruning": _pruned_module,
    "parametrization": lambda: nn.utils.parametrizations.weight_norm(nn.Linear(32, 32)),
}


@pytest.mark.parametrize("kind", _COMPUTED)
def test_weight_computed_in_each_call_is_quantized(kind: str) -> None:
    torch.manual_seed(0)
    module, x = _COMPUTED[kind]().eval(), torch.randn(4, 32)
    other = copy_modules(module)
    real = module(x)
    assert quantize_weights(module, QuantizationOptions("int8_weight_only")) == {}
    found = export(module, (x,)).module()(x)
    assert (found - real).abs().max() < 0.02 * real.abs().max()
    assert torch.equal(other(x), real)


def test_float64_weight_is_unchanged() -> None:
    reasons = quantize_weights(nn.Linear(4, 4).double(), QuantizationOptions("int8_weight_only"))
    assert reasons == {
        "": "its weight is float64; only float32, float16 and bfloat16 weights are quantized"
    }


_READS = {
    "T": lambda x, w: x @ w.T,
    "transpose": lambda x, w: torch.matmul(x, w.transpose(0, 1)),
    "a slice": lambda x, w: nn.functional.linear(x, w[3:17]),
    "einsum": lambda x, w: torch.einsum("bd,vd->bv", x, w),
    "a sum": lambda x, w: x + w.sum(0),
    "a sum with keywords": lambda x, w: x + torch.sum(input=w, dim=0, keepdim=True),
    "rows": lambda x, w: x + w[torch.arange(8)],
}


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("read", _READS)
def test_quantized_embedding_is_readable_by_any_operator(recipe: str, read: str) -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table, self.layer = nn.Embedding(64, 32), nn.Linear(32, 32)

        def forward(self, words: Tensor) -> Tensor:
            return _READS[read](self.layer(self.table(words)), self.table.weight)

    torch.manual_seed(0)
    module, words = Tied().eval(), torch.arange(8)
    real = module(words)
    quantize_weights(module, QuantizationOptions(recipe))
    program = export(module, (words,))
    found = program.module()(words)
    assert (found - real).abs().max() < (0.05 if "int8" in recipe else 0.4) * real.abs().max()
    assert len(to_edge(program).to_executorch().buffer) > 0


def test_missing_torchao_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="recipe 'int8_dynamic': torchao is not installed") as error:
        quantize_weights(nn.Linear(4, 3), QuantizationOptions("int8_dynamic"))
    assert "rules-executorch[torchao]" in str(error.value)

"""Tests that static quantization folds batch norms, and preserves other uses."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import export

from exir.quantize import QuantizationOptions, Quantized, notes_on, quantize_program
from exir.testing.quantized_modules import IMAGE_SHAPE, output_signal_to_noise, quantize_module


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
        found, real = quantize_module(module, x).program.module()(x), module(x)
    for a, b in zip(found, real):
        assert (a - b).abs().max() < 0.05 * b.abs().max()


def test_norm_after_a_computed_weight_stays_float() -> None:
    class Computed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.norm = nn.Conv2d(3, 4, 1), _set_norm_statistics(nn.BatchNorm2d(4))

        def forward(self, x: Tensor) -> Tensor:
            return self.norm(nn.functional.conv2d(x, self.conv.weight * 2, self.conv.bias))

    module, x = Computed().eval(), torch.randn(IMAGE_SHAPE)
    assert output_signal_to_noise(quantize_module(module, x), module, x) > 30


def test_norm_of_an_unbatched_convolution_is_not_folded() -> None:
    class Unbatched(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.norm = nn.Conv1d(4, 8, 3, padding=1), _set_norm_statistics(nn.BatchNorm1d(8))

        def forward(self, x: Tensor) -> Tensor:
            return self.norm(self.conv(x))

    module, x = Unbatched().eval(), torch.randn(4, 8)
    assert output_signal_to_noise(quantize_module(module, x), module, x) > 25

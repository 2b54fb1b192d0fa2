"""Tests of calibration: its inputs, ranges and effects on a module's state."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import export

from exir.error import ConfigError, ModelError
from exir.quantize import QuantizationOptions, quantize_program
from exir.testing.quantized_modules import quantize_module


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
    run = quantize_module(module, x).program.module()
    with torch.no_grad():
        first, second = run(x).clone(), run(x).clone()
        assert torch.equal(second, 2 * first)
        torch.testing.assert_close(first, module.layer(x), atol=0.05, rtol=0.05)


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

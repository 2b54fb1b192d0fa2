"""Tests of the effect of rounding on a quantized program's outputs."""

import torch
from torch import Tensor, nn
from torch.export import export

from exir.cli.reporting.rounding import RoundingRun, RoundingRuns
from exir.quantize import QuantizationOptions, output_steps, quantize_program


def _run_differences(module: nn.Module, x: Tensor) -> tuple[list[float], list[float]]:
    """Return the differences, equal in two runs, and the outputs' quantization steps."""
    torch.manual_seed(0)
    calls = [(torch.randn_like(x),) for _ in range(4)]
    program = quantize_program(
        export(module.eval(), (x,)), QuantizationOptions("int8_static"), calls
    ).program
    with torch.no_grad():
        outputs = [program.module()(x)]
        first, second = (RoundingRuns(program.module()).differences([x], outputs) for _ in range(2))
    assert first == second
    return first, [step.step for step in output_steps(program)]


def test_quantized_output_deviates_by_whole_steps() -> None:
    module = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 32))
    (difference,), (step,) = _run_differences(module, torch.randn(4, 32))
    assert step > 0
    steps = difference / step
    assert 1 <= round(steps) <= 8 and abs(steps - round(steps)) < 1e-3


def test_float_output_deviates_continuously() -> None:
    module = nn.Sequential(nn.Linear(32, 32), nn.Softmax(-1))
    (difference,), (step,) = _run_differences(module, torch.randn(4, 32))
    assert step == 0
    assert 1e-5 < difference < 0.05


def test_difference_is_the_largest_of_several_runs() -> None:
    torch.manual_seed(1)
    x = torch.randn(1, 8)
    program = quantize_program(
        export(nn.Linear(8, 8).eval(), (x,)), QuantizationOptions("int8_static"), [(x,)]
    ).program
    with torch.no_grad():
        outputs = [program.module()(x)]
        runs = RoundingRuns(program.module())
        (found,) = runs.differences([x], outputs)
        single = [RoundingRun(program.module(), i).differences([x], outputs)[0] for i in range(3)]
    assert found == max(single) > single[0]


def test_inputs_are_not_changed() -> None:
    class Doubling(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.mul_(2)

    x = torch.ones(2)
    RoundingRuns(torch.fx.symbolic_trace(Doubling())).differences([x], [x * 2])
    assert torch.equal(x, torch.ones(2))


def test_index_output_does_not_deviate() -> None:
    class Best(nn.Linear):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x).argmax(-1)

    assert _run_differences(Best(32, 32), torch.randn(64, 32))[0] == [0.0]

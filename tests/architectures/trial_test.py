"""Tests that a trial reports the stage at which an architecture failed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

from exir import ExecutorchProgramManager
from tests.architectures.architecture import PartialModel, Subject
from tests.architectures.trial import Outcome, Result, attempt, lower, lower_for_cpu


def of(call: Callable[[nn.Module, Tensor], Tensor]) -> Result:
    return attempt(lambda: Subject(PartialModel(nn.Linear(4, 4), call), ((torch.ones(2, 4),),)))


def test_matching_layer_passes() -> None:
    assert of(lambda linear, x: linear(x).relu()) == Result(Outcome.MATCHES)


def test_cpu_backend_is_tried() -> None:
    subject = Subject(nn.Sequential(nn.Linear(4, 4), nn.GELU()), ((torch.ones(2, 4),),))
    found = attempt(lambda: subject, lower_for_cpu, 3e-6)
    assert found == Result(Outcome.MATCHES) and found.error is not None and found.error <= 3e-6


def test_each_call_is_compared() -> None:
    calls = ((torch.ones(2, 4),), (torch.ones(7, 4),))
    shapes = {"inputs": ({0: Dim("rows", min=2, max=9)},)}
    subject = Subject(PartialModel(nn.Linear(4, 4), lambda linear, x: linear(x)), calls, shapes)
    assert attempt(lambda: subject) == Result(Outcome.MATCHES)


def test_stateful_module_continues_between_calls() -> None:
    class Counter(nn.Module):
        count: Tensor

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(1))

        def forward(self, x: Tensor) -> Tensor:
            self.count += 1
            return x * self.count

    assert attempt(lambda: Subject(Counter(), ((torch.ones(2),),) * 3)) == Result(Outcome.MATCHES)


@pytest.mark.parametrize(
    ("call", "outcome", "why"),
    [
        (lambda linear, x: linear(x[:, :3]), Outcome.MODEL, "shapes cannot be multiplied"),
        (lambda linear, x: x if linear(x).sum() > 0 else -x, Outcome.EXPORT, "data-dependent"),
        (lambda linear, x: torch.linalg.ldl_factor(linear.weight * x.sum()).LD, Outcome.COMPILER, "linalg_ldl_factor"),
    ],
)
def test_failure_stages_are_distinguished(
    call: Callable[[nn.Module, Tensor], Tensor], outcome: Outcome, why: str
) -> None:
    result = of(call)
    assert result.outcome is outcome
    assert why in result.why


def test_deviating_result_is_a_runtime_failure() -> None:
    """The compiled module is not the one that runs in eager mode."""

    def other(program: torch.export.ExportedProgram) -> ExecutorchProgramManager:
        return lower(torch.export.export(nn.ReLU(), (torch.ones(2, 4),)))

    subject = Subject(nn.Sigmoid(), ((torch.ones(2, 4),),))
    assert attempt(lambda: subject, other).outcome is Outcome.RUNTIME


def test_integers_and_shapes_must_be_equal() -> None:
    def of_program(module: nn.Module) -> Result:
        exported = torch.export.export(module, (torch.ones(2),))
        subject = Subject(PartialModel(nn.Identity(), lambda _, x: x.long()), ((torch.ones(2),),))
        return attempt(lambda: subject, lambda _: lower(exported))

    assert of_program(PartialModel(nn.Identity(), lambda _, x: x.long())).outcome is Outcome.MATCHES
    assert "inf" in of_program(PartialModel(nn.Identity(), lambda _, x: x.long() + 1)).why
    assert (
        "[1] of torch.int64, but eager PyTorch returns [2]"
        in of_program(PartialModel(nn.Identity(), lambda _, x: x.long()[:1])).why
    )

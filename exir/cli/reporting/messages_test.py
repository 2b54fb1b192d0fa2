"""Tests that bad input gives one message and an exit code, and writes no file."""

import os
from pathlib import Path

import pytest

from exir.cli.conftest import Compile
from exir.torch_versions import can_export

_LINEAR = """
import torch

def model():
    return torch.nn.Linear(2, 3), (torch.randn(1, 2),)
"""


_WRONG_EXAMPLE = """
import torch

def model():
    return torch.nn.Linear(4, 3), (torch.randn(1, 5),)
"""


_WRONG_LAYER = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(4, 3)
    def forward(self, x):
        return self.head(x)

def model():
    return Net(), (torch.randn(1, 5),)
"""


_UNTRACEABLE = """
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        if torch.compiler.is_exporting():
            raise RuntimeError("no export")
        return x

def model():
    return Net(), (torch.randn(1, 5),)
"""


_BRANCH = """
import torch

class Branch(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x
        return -x

def model():
    return Branch(), (torch.rand(3),)
"""


_DERIVATIVE = """
import torch

class Derivative(torch.nn.Module):
    def forward(self, x):
        def energy(y):
            return ({term}).sum(){factor}
        return torch.func.{function}(energy)(x)

def model():
    return Derivative(), (torch.rand(3),)
"""


# Without this support, `torch.export` reports an internal error.
_DERIVATIVE_PARTS = (
    [
        "computes a derivative: torch.export does not record torch.func.grad",
        "torch.func.jvp",
        "app/net.py:8: return torch.func",
    ]
    if can_export("torch.func.grad and torch.func.jvp")
    else ["cannot be exported"]
)


_ENERGY = """
import torch

class Energy(torch.nn.Module):
    def forward(self, x):
        x = x.detach().requires_grad_()
        with torch.enable_grad():
            energy = torch.tanh(x).sum()
        return torch.autograd.grad(energy, x)

def model():
    return Energy(), (torch.rand(3),)
"""


def _message_lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize(
    "source, flags, expected",
    [
        ("x = undefined\n", [], ["cannot be imported: NameError", "app/net.py:1: x = undefined"]),
        (_LINEAR, ["--entry-point=modle"], ["has no entry point 'modle'", "did you mean 'model'?"]),
        ("def model(): return 3\n", [], ["must return (module, example_inputs)", "app/net.py:1"]),
        (_LINEAR, ['--config-json={"edge": {"skip": 1}}'], ["config: [edge]: unknown key 'skip'"]),
        (_LINEAR, ["--weights=nowhere.safetensors"], ["nowhere.safetensors: cannot be read as weights"]),
        (_LINEAR, ["--backend=backends.nowhere:B"], ["module 'backends.nowhere' was not found"]),
        (_LINEAR, ["--operators=nowhere.toml"], ["--operators: nowhere.toml"]),
        (_LINEAR, ["--kernels=nowhere.toml"], ["--kernels: nowhere.toml"]),
        (
            _WRONG_EXAMPLE,
            [],
            [
                "cannot be exported: RuntimeError",
                "app/net.py:4: def model",
                "in the model: Linear(in_features=4, out_features=3, bias=True)",
                "example inputs: float32[1, 5]; eager PyTorch fails with them too; correct",
            ],
        ),
        (
            _WRONG_LAYER,
            [],
            [
                "app/net.py:9: return self.head(x)",
                "in 'head' of app/net.py:7: Linear(in_features=4, out_features=3, bias=True)",
                "example inputs: float32[1, 5]; eager PyTorch fails with them too; correct",
            ],
        ),
        (
            _UNTRACEABLE,
            [],
            ["app/net.py:7: raise RuntimeError", "eager PyTorch accepts them; rewrite the code"],
        ),
        (_BRANCH, [], ["cannot be exported", "app/net.py:6: if x.sum() > 0:", "use torch.where"]),
        *[
            (
                _DERIVATIVE.format(term=term, factor=factor, function=function),
                [],
                _DERIVATIVE_PARTS,
            )
            for term, factor, function in [
                ("y ** 2", "", "grad"),
                ("torch.sin(y)", " * 2", "grad"),
                ("y ** 3", "", "jacrev"),
                ("y ** 3", "", "hessian"),
            ]
        ],
        (_ENERGY, [], ["cannot be exported", "computes a derivative", "torch.func.jvp"]),
    ],
)
def test_user_error_is_one_message(
    compile_source: Compile, tmp_path: Path, source: str, flags: list[str], expected: list[str]
) -> None:
    outcome = compile_source(source, *flags)
    assert outcome.exit_code == 1
    assert outcome.output.startswith("error: //app:net_pte: ")
    for part in expected:
        assert part in outcome.output
    assert "Traceback" not in outcome.output and "exir/" not in outcome.output
    assert len(_message_lines(outcome.output)) <= 8
    assert os.listdir(tmp_path / "out") == []


def test_traceback_is_printed_on_request(compile_source: Compile) -> None:
    outcome = compile_source("x = undefined\n", "--traceback")
    assert outcome.exit_code == 1
    assert "Traceback (most recent call last)" in outcome.output
    assert "\nerror: //app:net_pte: module 'app.net' cannot be imported" in outcome.output


def test_internal_error_has_a_traceback(
    compile_source: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **options: object) -> None:
        raise ZeroDivisionError("our mistake")

    monkeypatch.setattr("exir.cli.one_shot.lower_programs", fail)
    outcome = compile_source(_LINEAR)
    assert outcome.exit_code == 2
    assert "Traceback" in outcome.output
    assert "internal error: //app:net_pte: ZeroDivisionError: our mistake" in outcome.output
    assert os.listdir(tmp_path / "out") == []


def test_model_output_is_printed(compile_source: Compile) -> None:
    assert compile_source(_LINEAR + "\nprint('loading')\n").output == "loading\n"

"""Bad input through the whole command line: one message, the exit code, no file."""

import os
from pathlib import Path

import pytest

from exir.cli.conftest import Compile

_ROOT = Path(__file__).parents[3]
_LIBRARIES = [_ROOT / folder / "kernels.toml" for folder in ("kernels/portable", "runtime/prim")]

_LINEAR = """
import torch

def model():
    return torch.nn.Linear(2, 3), (torch.randn(1, 2),)
"""

_CUMSUM = """
import torch

class Cumsum(torch.nn.Module):
    def forward(self, x):
        y = x + 1
        return torch.cumsum(y, 0), torch.flip(y, (0,))

def model():
    return Cumsum(), (torch.rand(3),)
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

_DOUBLE = """
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

def model():
    return Net(), (torch.rand(3).double(),)
"""

_CHANNELS_LAST = """
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        y = x.to(memory_format=torch.channels_last)
        return torch.nn.functional.layer_norm(y, (3, 5))

def model():
    return Net(), (torch.rand(1, 2, 3, 5),)
"""

_ONE_KERNEL = """
[dtypes]
float = ["float32"]

[[kernel]]
operator = "aten::{name}.out"
symbol = "et_op_{name}_out"
file = "op_{name}.c"
dtypes = "float"
"""


def _lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize(
    "source, flags, expected",
    [
        ("x = undefined\n", [], ["cannot be imported: NameError", "app/net.py:1: x = undefined"]),
        (_LINEAR, ["--entry-point=modle"], ["has no entry point 'modle'", "did you mean 'model'?"]),
        ("def model(): return 3\n", [], ["must return (module, example_inputs)", "app/net.py:1"]),
        (_LINEAR, ['--config-json={"edge": {"skip": 1}}'], ["config: [edge]: unknown key 'skip'"]),
        (_LINEAR, ["--weights=nowhere.safetensors"], ["nowhere.safetensors cannot be read as weights"]),
        (_LINEAR, ["--backend=backends.nowhere:B"], ["module 'backends.nowhere' was not found"]),
        (_LINEAR, ["--operators=nowhere.toml"], ["--operators: nowhere.toml"]),
        (_LINEAR, ["--kernels=nowhere.toml"], ["--kernels: nowhere.toml"]),
        (_BRANCH, [], ["cannot be exported", "app/net.py:6: if x.sum() > 0:", "use torch.where"]),
        *[
            (
                _DERIVATIVE.format(term=term, factor=factor, function=function),
                [],
                [
                    "takes a derivative: torch.export does not record torch.func.grad",
                    "torch.func.jvp",
                    "app/net.py:8: return torch.func",
                ],
            )
            for term, factor, function in [
                ("y ** 2", "", "grad"),
                ("torch.sin(y)", " * 2", "grad"),
                ("y ** 3", "", "jacrev"),
                ("y ** 3", "", "hessian"),
            ]
        ],
        (_ENERGY, [], ["cannot be exported", "takes a derivative", "torch.func.jvp"]),
    ],
)
def test_a_users_mistake_is_one_message(
    compile_source: Compile, tmp_path: Path, source: str, flags: list[str], expected: list[str]
) -> None:
    outcome = compile_source(source, *flags)
    assert outcome.exit_code == 1
    assert outcome.output.startswith("error: //app:net_pte: ")
    for part in expected:
        assert part in outcome.output
    assert "Traceback" not in outcome.output and "exir/" not in outcome.output
    assert len(_lines(outcome.output)) <= 8
    assert os.listdir(tmp_path / "out") == []


def test_every_operator_without_a_kernel_is_named_with_its_line(
    compile_source: Compile, tmp_path: Path
) -> None:
    table = tmp_path / "kernels.toml"
    table.write_text(_ONE_KERNEL.format(name="add"))
    outcome = compile_source(_CUMSUM, f"--kernels={table}")
    assert outcome.exit_code == 1
    assert "aten::cumsum.out on float32, float32: no kernel (app/net.py:7)" in outcome.output
    assert "aten::flip.out on float32, float32: no kernel (app/net.py:7)" in outcome.output
    assert "aten::add" not in outcome.output
    assert os.listdir(tmp_path / "out") == []


def test_of_many_operators_without_a_kernel_the_first_ten_are_named(
    compile_source: Compile, tmp_path: Path
) -> None:
    table = tmp_path / "kernels.toml"
    table.write_text(_ONE_KERNEL.format(name="add"))
    layer = "        y = torch.cumsum(y, 0)\n"
    source = _CUMSUM.replace("        return", 12 * layer + "        return")
    output = compile_source(source, f"--kernels={table}").output
    assert output.count("no kernel (app/net.py:") == 10
    assert "\n    and 4 more\n" in output


def test_a_dtype_without_a_kernel_is_named(compile_source: Compile, tmp_path: Path) -> None:
    table = tmp_path / "kernels.toml"
    table.write_text(_ONE_KERNEL.format(name="relu"))
    outcome = compile_source(_DOUBLE, f"--kernels={table}")
    assert outcome.exit_code == 1
    expected = (
        "aten::relu.out: no kernel takes float64 for 'self' and 'out', only float32 (app/net.py:6)"
    )
    assert expected in outcome.output


def test_a_rank_without_a_kernel_is_named(compile_source: Compile, tmp_path: Path) -> None:
    table = tmp_path / "kernels.toml"
    table.write_text(_ONE_KERNEL.format(name="relu") + "ranks = [2, 3]\n")
    outcome = compile_source(_DOUBLE.replace(".double()", ""), f"--kernels={table}")
    assert outcome.exit_code == 1
    expected = (
        "aten::relu.out: no kernel takes 1 dimensions for 'self' and 'out', only 2 to 3 (app/net.py:6)"
    )
    assert expected in outcome.output


def test_a_kernel_that_would_fail_on_the_device_is_a_build_error(compile_source: Compile) -> None:
    outcome = compile_source(_CHANNELS_LAST, *(f"--kernels={table}" for table in _LIBRARIES))
    assert outcome.exit_code == 1
    reasons = [line.strip() for line in outcome.output.splitlines() if "no kernel takes" in line]
    assert reasons == [
        "aten::native_layer_norm.out: no kernel takes dim order (0, 2, 3, 1) for 'input', only tensors in row-major"
        " order (app/net.py:7)"
    ]


def test_the_repositorys_kernels_suffice_for_a_linear_model(compile_source: Compile) -> None:
    outcome = compile_source(_LINEAR, *(f"--kernels={table}" for table in _LIBRARIES))
    assert (outcome.exit_code, outcome.output) == (0, "")


def test_a_traceback_is_shown_when_asked_for(compile_source: Compile) -> None:
    outcome = compile_source("x = undefined\n", "--traceback")
    assert outcome.exit_code == 1
    assert "Traceback (most recent call last)" in outcome.output
    assert "\nerror: //app:net_pte: module 'app.net' cannot be imported" in outcome.output


def test_an_error_of_ours_is_internal_and_has_a_traceback(
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


def test_a_user_who_prints_is_heard(compile_source: Compile) -> None:
    assert compile_source(_LINEAR + "\nprint('loading')\n").output == "loading\n"

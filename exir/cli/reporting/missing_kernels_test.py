"""Tests messages about operators and tensors that no kernel supports."""

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


def test_first_ten_operators_without_a_kernel_are_named(compile_source: Compile, tmp_path: Path) -> None:
    table = tmp_path / "kernels.toml"
    table.write_text(_ONE_KERNEL.format(name="add"))
    layer = "        y = torch.cumsum(y, 0)\n"
    source = _CUMSUM.replace("        return", 12 * layer + "        return")
    output = compile_source(source, f"--kernels={table}").output
    assert output.count("no kernel (app/net.py:") == 10
    assert "\n    and 4 more\n" in output


@pytest.mark.parametrize(
    ("rule", "cast", "message"),
    [
        ("", ".double()", "float64 for 'self' and 'out'; supported: float32 (app/net.py:6)"),
        ("ranks = [2, 3]\n", "", "1 dimensions for 'self' and 'out'; supported: 2 to 3 (app/net.py:6)"),
        (
            'layout = "channels_last"\n',
            "",
            "dim order (0) for 'self' and 'out'; supported: tensors with channels last",
        ),
    ],
    ids=["dtype", "rank", "layout"],
)
def test_a_tensor_without_a_kernel_is_named(
    compile_source: Compile, tmp_path: Path, rule: str, cast: str, message: str
) -> None:
    table = tmp_path / "kernels.toml"
    table.write_text(_ONE_KERNEL.format(name="relu") + rule)
    outcome = compile_source(_DOUBLE.replace(".double()", cast), f"--kernels={table}")
    assert outcome.exit_code == 1
    assert f"aten::relu.out: no kernel supports {message}" in outcome.output


def test_tensor_is_copied_to_the_kernels_layout(compile_source: Compile) -> None:
    outcome = compile_source(_CHANNELS_LAST, *(f"--kernels={table}" for table in _LIBRARIES))
    assert (outcome.exit_code, outcome.output) == (0, "")


def test_portable_kernels_suffice_for_a_linear_model(compile_source: Compile) -> None:
    outcome = compile_source(_LINEAR, *(f"--kernels={table}" for table in _LIBRARIES))
    assert (outcome.exit_code, outcome.output) == (0, "")

"""Tests of the values that PyTorch computes for each instruction."""

from pathlib import Path
from typing import Any

import pytest
import torch

from exir.cli.conftest import Compile
from exir.cli.reporting.calls import Call, read_calls
from exir.cli.reporting.instruction_values import MIN_SAMPLED
from exir.dialects.custom_ops import writing

_NET = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 3)
        self.register_buffer("seen", torch.zeros(2, 3))

    def forward(self, x):
        hidden = self.first(x)
        self.seen.add_(hidden)
        return torch.sin(self.seen)

def model():
    return Net(), (torch.rand(2, 4),)
"""


def _compile_steps(compile_source: Compile, folder: Path, source: str, *flags: str) -> list[Call]:
    outcome = compile_source(source, *flags, outputs=("reference", "instruction-values"))
    assert outcome.exit_code == 0, outcome.output
    return read_calls((folder / "out" / "net.instruction-values").read_bytes())


def _by_place(call: Call) -> list[tuple[int, str, list[torch.Tensor]]]:
    values: list[Any] = list(call.outputs[1:])
    found = []
    while values:
        index, where, count = values[:3]
        found.append(
            (
                index,
                where,
                [value for value in values[3 : 3 + 2 * count] if isinstance(value, torch.Tensor)],
            )
        )
        del values[: 3 + 2 * count]
    return found


def test_each_instruction_has_its_line_and_value(compile_source: Compile, tmp_path: Path) -> None:
    calls = _compile_steps(compile_source, tmp_path, _NET)
    reference = read_calls((tmp_path / "out" / "net.reference").read_bytes())
    for call, expected in zip(calls, reference, strict=True):
        places = _by_place(call)
        assert [index for index, _, _ in places] == list(range(len(places)))
        assert places[0][1] == "app/net.py:11 in module 'first'"
        (last,) = [values for _, where, values in places if where == "app/net.py:13"]
        torch.testing.assert_close(last[0], expected.outputs[0].reshape(-1))


_LARGE = """
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        return torch.exp(x)

def model():
    return Net(), (torch.rand(3000),)
"""


def test_large_results_are_sampled(compile_source: Compile, tmp_path: Path) -> None:
    call = _compile_steps(compile_source, tmp_path, _LARGE)[0]
    quantized, index, where, count, step, sampled = call.outputs
    assert (quantized, index, where, count) == (False, 0, "app/net.py:6", 1)
    assert step == 3000 // MIN_SAMPLED
    torch.testing.assert_close(sampled, torch.exp(call.inputs[0])[::step])


def test_delegate_has_the_lines_of_its_nodes(compile_source: Compile, tmp_path: Path) -> None:
    (place, *_) = _by_place(
        _compile_steps(compile_source, tmp_path, _NET, "--backend=backends.demo.compiler_demo:BACKEND")[
            0
        ]
    )
    assert place[1].startswith("app/net.py:11 in module 'first'")


_BRANCH = """
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        y = torch.cond(x.sum() > 0, lambda v: v.sin(), lambda v: v.cos(), (x,))
        return y + 1

def model():
    return Net(), (torch.rand(2),)
"""


def test_branch_instructions_are_omitted(compile_source: Compile, tmp_path: Path) -> None:
    places = _by_place(_compile_steps(compile_source, tmp_path, _BRANCH)[0])
    assert {where for _, where, _ in places} == {"app/net.py:6", "app/net.py:7"}
    torch.testing.assert_close(places[-1][2][0].numel(), 2)


_ROWS = """
import torch
import exir

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(32, 4)

    def forward(self, x):
        return torch.relu(self.layer(x))

def model():
    sizes = {"x": {0: torch.export.Dim("n", min=1, max=9)}}
    return exir.ModelSpec(Net(), (torch.rand(3, 32),), dynamic_shapes=sizes)
"""


@pytest.mark.parametrize("flags", [(), ('--config-json={"quantization": {"recipe": "int8_dynamic"}}',)])
def test_dynamic_sizes_are_those_of_the_call_without_warnings(
    compile_source: Compile, tmp_path: Path, flags: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    for call in _compile_steps(compile_source, tmp_path, _ROWS, *flags):
        if call.expected_status == 0:
            rows = call.inputs[0].shape[0]
            assert _by_place(call)[-1][2][0].numel() == rows * 4
    assert "resized" not in capfd.readouterr().err


_LOOP = """
import torch
import exir

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.LSTM(8, 4)

    def forward(self, x):
        return self.layer(x)[0] * 2

def model():
    sizes = {"x": {0: torch.export.Dim("n", min=1, max=9)}}
    return exir.ModelSpec(Net(), (torch.rand(3, 8),), dynamic_shapes=sizes)
"""


def test_values_after_a_loop_are_recorded_without_messages(
    compile_source: Compile, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for call in _compile_steps(compile_source, tmp_path, _LOOP):
        if call.expected_status == 0:
            steps = call.inputs[0].shape[0]
            assert _by_place(call)[-1][1].startswith("app/net.py:11")
            assert _by_place(call)[-1][2][0].numel() == steps * 4
    messages = capfd.readouterr().err
    assert "Traceback" not in messages
    assert "resized" not in messages


def test_custom_operators_out_sizes_are_recorded() -> None:
    sine = writing(torch.sin)
    for room in (torch.empty(0), torch.empty(3)):
        assert torch.equal(sine(torch.ones(3), out=room), torch.sin(torch.ones(3)))

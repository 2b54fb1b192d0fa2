"""Tests of the values that PyTorch computes for each instruction."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram, export

from exir import to_edge
from exir.backend.backend_details import BackendDetails, PreprocessResult
from exir.backend.canonical_partitioners import AllNodePartitioner
from exir.backend.compile_spec_schema import CompileSpec
from exir.backend.partitioner import PartitionResult
from exir.backend.tags import tag_mutated_buffer
from exir.cli.conftest import Compile
from exir.cli.reporting.calls import Call, read_calls
from exir.cli.reporting.instruction_values import record_instruction_values
from exir.dialects.custom_ops import writing
from exir.program import ExecutorchProgramManager
from exir.testing.models import Counter

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
    assert "resized" not in outcome.output
    assert "Traceback" not in outcome.output
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
    assert step == 5
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
    compile_source: Compile, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    for call in _compile_steps(compile_source, tmp_path, _ROWS, *flags):
        if call.expected_status == 0:
            rows = call.inputs[0].shape[0]
            assert _by_place(call)[-1][2][0].numel() == rows * 4


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
    compile_source: Compile, tmp_path: Path
) -> None:
    for call in _compile_steps(compile_source, tmp_path, _LOOP):
        if call.expected_status == 0:
            steps = call.inputs[0].shape[0]
            assert _by_place(call)[-1][1].startswith("app/net.py:11")
            assert _by_place(call)[-1][2][0].numel() == steps * 4


def test_custom_operators_out_sizes_are_recorded() -> None:
    sine = writing(torch.sin)
    for room in (torch.empty(0), torch.empty(3)):
        assert torch.equal(sine(torch.ones(3), out=room), torch.sin(torch.ones(3)))


class _UnusedPayload(BackendDetails):
    """A backend for programs that only PyTorch runs."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        return PreprocessResult(b"")


class _WithStates(AllNodePartitioner):
    """Delegates a whole program, including the buffers that it updates."""

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        result = super().partition(exported_program)
        tag_mutated_buffer(exported_program)
        return result


def _lower_module(module: nn.Module, *inputs: Any, shapes: Any = None) -> ExecutorchProgramManager:
    return to_edge(export(module, inputs, dynamic_shapes=shapes, strict=False)).to_executorch()


def _delegate_module(module: nn.Module, *inputs: Any) -> ExecutorchProgramManager:
    edge = to_edge(export(module, inputs, strict=False))
    return edge.to_backend(_WithStates("_UnusedPayload", [])).to_executorch()


def _record_values(
    manager: ExecutorchProgramManager, *inputs: tuple[Any, ...]
) -> list[list[tuple[int, str, list[Any]]]]:
    """Return the values of each instruction as lists, for each call of `forward`."""
    calls = [Call("forward", values, ()) for values in inputs]
    return [
        [
            (index, where, [value.tolist() for value in values])
            for index, where, values in _by_place(call)
        ]
        for call in record_instruction_values(manager, calls, False, False)
    ]


@pytest.mark.parametrize(("size", "step"), [(1023, 1), (1024, 2)])
def test_results_of_at_least_1024_elements_are_sampled(size: int, step: int) -> None:
    x = torch.rand(size)
    (call,) = record_instruction_values(
        _lower_module(nn.Sigmoid(), x), [Call("forward", (x,), ())], False, False
    )
    assert call.outputs[4] == step
    assert torch.equal(call.outputs[5], x.sigmoid()[::step])


class _EightSines(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        x = x.sin()
        x = x.sin()
        x = x.sin()
        x = x.sin()
        x = x.sin()
        x = x.sin()
        x = x.sin()
        return x.sin()


class _NineSines(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = _EightSines()

    def forward(self, x: Tensor) -> Tensor:
        return self.first(x).sin()


@pytest.mark.parametrize(("module", "rest"), [(_EightSines(), ""), (_NineSines(), "1 more lines")])
def test_at_most_eight_lines_of_a_delegate_are_shown(module: nn.Module, rest: str) -> None:
    x = torch.ones(2)
    (((_, where, _),),) = _record_values(_delegate_module(module, x), (x,))
    shown, _, end = where.partition(" and ")
    assert (shown.count("instruction_values_test.py:"), end) == (8, rest)


def test_module_without_a_line_of_the_model_is_not_shown() -> None:
    x = torch.ones(2)
    (((_, where, _),),) = _record_values(_lower_module(nn.Sequential(nn.Sigmoid()), x), (x,))
    assert where == "unknown line of the model"


@pytest.mark.parametrize("lower", [_lower_module, _delegate_module])
def test_states_are_kept_between_calls_but_not_in_the_program(
    lower: Callable[..., ExecutorchProgramManager],
) -> None:
    x = torch.ones(4)
    manager = lower(Counter(), x)
    for _ in range(2):
        first, second = _record_values(manager, (x,), (3 * x,))
        assert [[2.0] * 4] in [values for _, _, values in first]
        assert [[5.0] * 4] in [values for _, _, values in second]


def test_values_of_a_delegate_exclude_its_states() -> None:
    x = torch.ones(4)
    ((place,),) = _record_values(_delegate_module(Counter(), x), (x,))
    assert place[2] == [[2.0] * 4]


@pytest.mark.parametrize(("shares_state", "total"), [(False, 2.0), (True, 3.0)])
def test_methods_share_states_only_if_stated(shares_state: bool, total: float) -> None:
    x = torch.ones(4)
    programs = {name: export(Counter(), (x,), strict=False) for name in ("first", "second")}
    calls = [Call(name, (x,), ()) for name in programs]
    _, second = record_instruction_values(to_edge(programs).to_executorch(), calls, shares_state, False)
    results = [values[0].tolist() for _, _, values in _by_place(second)]
    assert [total] * 4 in results


class _AddsInPlace(nn.Module):
    def forward(self, x: Tensor, count: int) -> Tensor:
        x.add_(count)
        return x.exp()


def test_recording_does_not_change_the_inputs_of_a_call() -> None:
    x = torch.zeros(2)
    (places,) = _record_values(_lower_module(_AddsInPlace(), torch.zeros(2), 3), (x, 3))
    assert [torch.full((2,), 3.0).exp().tolist()] in [values for _, _, values in places]
    assert torch.equal(x, torch.zeros(2))


class _Rows(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(4, 2)

    def forward(self, indices: Tensor) -> Tensor:
        return self.table(indices + 1)


def test_values_end_at_an_instruction_that_fails() -> None:
    manager = _lower_module(_Rows(), torch.zeros(1, dtype=torch.int64))
    (places,) = _record_values(manager, (torch.tensor([7]),))
    assert [values for _, _, values in places] == [[[8]]]


class _TimesItsRows(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.exp() * x.shape[0]


def test_only_tensors_are_recorded_and_not_resized(capfd: pytest.CaptureFixture[str]) -> None:
    shapes = ({0: Dim("n", min=2, max=8)},)
    manager = _lower_module(_TimesItsRows(), torch.ones(4), shapes=shapes)
    (places,) = _record_values(manager, (torch.zeros(3),))
    assert len(places) < len(manager.instruction_nodes["forward"])
    assert all(values for _, _, values in places)
    assert places[-1][2] == [[3.0] * 3]
    # PyTorch writes this warning to the file descriptor, not to Python's warnings.
    assert "resized" not in capfd.readouterr().err

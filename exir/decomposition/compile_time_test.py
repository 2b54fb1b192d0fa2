"""Tests that unsupported operators on constants are evaluated at compile time."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, export

from exir import EdgeCompileConfig, to_edge
from exir.decomposition import compile_time
from exir.error import UnsupportedOperatorError
from exir.testing.graphs import operator_names, run

_X = torch.linspace(-1, 1, 8)


class _FunctionModule(nn.Module):
    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


MADE: dict[str, Callable[[Tensor], Tensor]] = {
    "hann": lambda x: x * torch.hann_window(8),
    "hamming": lambda x: x * torch.hamming_window(8, periodic=False, alpha=0.5, beta=0.4),
    "bartlett": lambda x: x * torch.bartlett_window(8),
    "blackman": lambda x: x * torch.blackman_window(8),
    "kaiser": lambda x: x * torch.kaiser_window(8, periodic=True, beta=9.0),
    "half": lambda x: x.half() * torch.hamming_window(8, dtype=torch.float16),
    "fftfreq": lambda x: x * torch.fft.fftfreq(8, 0.5),
    "rfftfreq": lambda x: x * torch.fft.rfftfreq(14),
    "tril_indices": lambda x: x[torch.tril_indices(4, 5)[1]],
    "triu_indices": lambda x: x[torch.triu_indices(4, 5, 1)[1]],
    "range": lambda x: x * torch.range(0, 7),
    "written in place": lambda x: torch.hamming_window(8).mul_(x),
    "of another constant": lambda x: (
        x * torch.linalg.eigvals(torch.arange(16.0).reshape(4, 4)).real.sum()
    ),
    "one of several results": lambda x: x * torch.linalg.eig(torch.eye(8) * 2)[0].real,
}


@pytest.mark.parametrize("name", MADE)
def test_tensor_without_inputs_becomes_a_constant(name: str) -> None:
    module = _FunctionModule(MADE[name])
    program = to_edge(export(module, (_X,))).exported_program()
    torch.testing.assert_close(run(program, (_X,)), [module(_X)])


def test_float32_windows_are_rounded_once() -> None:
    module = _FunctionModule(lambda x: x * torch.hann_window(1000))
    one = torch.ones(1)
    (found,) = run(to_edge(export(module, (one,))).exported_program(), (one,))
    assert torch.equal(found, torch.hann_window(1000, dtype=torch.float64).float())


def test_constants_of_control_flow_become_operands() -> None:
    def windowed(x: Tensor) -> Tensor:
        return torch.cond(
            x.sum() > 0,
            lambda x: x * torch.hamming_window(8),
            lambda x: x * torch.kaiser_window(8),
            (x,),
        )

    program = to_edge(export(_FunctionModule(windowed), (_X,))).exported_program()
    for x in (_X, _X + 1):
        torch.testing.assert_close(run(program, (x,)), [windowed(x)])


def test_parameter_is_evaluated_and_removed_from_the_program() -> None:
    class Eigenvalues(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.diag(torch.arange(1.0, 9.0)))

        def forward(self, x: Tensor) -> Tensor:
            return x * torch.linalg.eigvals(self.weight).real

    module = Eigenvalues()
    program = to_edge(export(module, (_X,))).exported_program()
    assert not program.state_dict
    torch.testing.assert_close(run(program, (_X,)), [module(_X)])


def test_buffer_that_the_program_writes_is_not_evaluated() -> None:
    class Written(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("state", torch.eye(8))

        def forward(self, x: Tensor) -> Tensor:
            values = torch.linalg.eigvals(self.state).real
            self.state.add_(x)
            return values

    with pytest.raises(UnsupportedOperatorError, match="linalg_eig"):
        to_edge(export(Written(), (_X,)))


def test_random_numbers_are_drawn_at_runtime() -> None:
    module = _FunctionModule(lambda x: x + torch.normal(0.0, 1.0, (8,)))
    assert "aten::randn" in operator_names(to_edge(export(module, (_X,))).exported_program())


def test_view_at_a_dynamic_offset_is_not_evaluated() -> None:
    class Model(nn.Module):
        def forward(self, x: Tensor, n: int) -> Tensor:
            return torch.linalg.eigvals(x.flatten()[n].reshape(1, 1)).real

    exported = export(Model(), (_X, 3), dynamic_shapes=({}, Dim.DYNAMIC(min=0, max=7)))
    with pytest.raises(UnsupportedOperatorError, match="linalg_eig"):
        to_edge(exported).to_executorch()


def test_preserved_operator_is_not_evaluated() -> None:
    config = EdgeCompileConfig(preserve_ops=[torch.ops.aten.hamming_window.default])
    program = export(_FunctionModule(lambda x: x * torch.hamming_window(8)), (_X,))
    edge = to_edge(program, compile_config=config)
    assert "aten::hamming_window" in operator_names(edge.exported_program())


def test_compile_time_value_above_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_time, "MAX_VALUE_BYTES", 31)
    with pytest.raises(UnsupportedOperatorError, match="has 32 bytes.*at most 31 bytes"):
        to_edge(export(_FunctionModule(MADE["hamming"]), (_X,)))

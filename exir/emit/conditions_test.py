"""Tests that programs contain the conditions on sizes of inputs."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.export import Dim, export

from exir import to_edge
from exir.emit import _conditions


class _FunctionModule(nn.Module):
    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any) -> object:
        return self.function(*inputs)


def _plan(function: Callable[..., object], inputs: tuple[Any, ...], *shapes: Any) -> Any:
    program = export(_FunctionModule(function), inputs, dynamic_shapes=(shapes,))
    return to_edge(program).to_executorch().executorch_program.execution_plan[0]


def _texts(*arguments: Any) -> list[str]:
    texts = _plan(*arguments).container_meta_type.condition_texts
    return texts.split("\n") if texts else []


_N = Dim.DYNAMIC(min=2, max=12)


def test_condition_has_tokens_in_postfix_order() -> None:
    def branch(x: torch.Tensor) -> torch.Tensor:
        return x * 2 if x.shape[0] % 4 == 0 else x

    plan = _plan(branch, (torch.ones(8, 3),), {0: _N})
    size = [1, plan.inputs[0], 0]
    assert plan.container_meta_type.conditions == [9, *size, 0, 4, 5, 0, 0, 8]
    assert plan.container_meta_type.condition_texts == "inputs_0.shape[0] % 4 == 0"


def test_exact_division_is_a_remainder() -> None:
    (text,) = _texts(lambda x: x.view(x.shape[0] // 4, 4).sum(0), (torch.ones(8),), {0: _N})
    assert text == "inputs_0.shape[0] % 4 == 0"


def test_text_has_parentheses_where_needed() -> None:
    def branch(x: torch.Tensor, y: torch.Tensor, n: int) -> torch.Tensor:
        rows = (x.shape[0] + y.shape[0]) * 2 // 3 - n
        return x.sum() if rows > min(x.shape[0], n) else y.sum()

    (text,) = _texts(
        branch, (torch.ones(8), torch.ones(9), 2), {0: _N}, {0: _N}, Dim.DYNAMIC(min=0, max=4)
    )
    sizes = {"inputs_0": torch.ones(8), "inputs_1": torch.ones(9), "inputs_2": 2}
    assert eval(text, dict(sizes))
    assert not eval(text, {**sizes, "inputs_0": torch.ones(1), "inputs_1": torch.ones(1)})


def test_input_size_that_decreases_with_another_is_compared() -> None:
    inputs = (torch.ones(2, 4), torch.ones(4, 4))
    texts = _texts(lambda x, y: torch.cat([x, y]).view(2, 12), inputs, {0: _N}, {0: _N})
    assert len(texts) == 1 and "==" in texts[0]


def test_input_size_that_is_a_sum_of_others_is_compared() -> None:
    inputs = (torch.ones(3), torch.ones(2), torch.ones(5))
    texts = _texts(lambda x, y, z: torch.cat([x, y]) + z, inputs, {0: _N}, {0: _N}, {0: _N})
    assert texts == ["inputs_2.shape[0] == inputs_0.shape[0] + inputs_1.shape[0]"]


def test_program_without_conditions_has_none() -> None:
    container = _plan(lambda x: x * 2, (torch.ones(6),), {0: _N}).container_meta_type
    assert container.conditions is None and container.condition_texts is None


def test_multiple_of_a_symbol_is_divided() -> None:
    def branch(x: torch.Tensor) -> torch.Tensor:
        return x * 2 if x.shape[0] // 8 != 3 else x

    (text,) = _texts(branch, (torch.ones(16),), {0: 8 * Dim("n", min=1, max=6)})
    assert text == "inputs_0.shape[0] // 8 != 3"


_DIVISIONS: dict[str, Callable[[int, int], bool]] = {
    "constant divisor": lambda n, _: n / 3 > 1.5,
    "two sizes": lambda n, m: n / m > 2,
    "divisor of unknown sign": lambda n, m: m == 5 or n / (m - 5) > 2,
    "floor": lambda n, _: int(n * 0.5) == 3,
    "ceiling": lambda n, _: math.ceil(n / 2) > 2,
    "decimal fraction": lambda n, _: n / 10 == 0.7,
    "average": lambda n, m: (n + m) / 2 > 3,
}


@pytest.mark.parametrize("name", _DIVISIONS)
def test_condition_with_true_division_is_checked(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_conditions, "_MAX_TEXT", 400)
    compare = _DIVISIONS[name]

    def branch(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x.sum() if compare(x.shape[0], y.shape[0]) else y.sum()

    texts = _texts(branch, (torch.ones(7), torch.ones(4)), {0: _N}, {0: _N})
    for n, m in itertools.product(range(2, 13), repeat=2):
        sizes = {"inputs_0": torch.ones(n), "inputs_1": torch.ones(m)}
        accepted = all(eval(text, dict(sizes)) for text in texts)
        assert accepted == (compare(n, m) == compare(7, 4)), (n, m)


def test_condition_without_a_code_is_noted_with_its_line() -> None:
    def branch(x: torch.Tensor) -> torch.Tensor:
        return x * 2 if round(x.shape[0] / 2) == 4 else x

    with pytest.warns(
        UserWarning, match=r"calls do not check .*inputs_0.shape\[0\].*conditions_test.py:\d+"
    ):
        assert _texts(branch, (torch.ones(7),), {0: _N}) == []


def test_equality_of_rounded_floats_is_noted() -> None:
    """In floats, 3 * 0.1 is 0.30000000000000004."""

    def branch(x: torch.Tensor) -> torch.Tensor:
        return x * 2 if x.shape[0] * 0.1 == 3 * 0.1 else x

    with pytest.warns(UserWarning, match="calls do not check"):
        assert _texts(branch, (torch.ones(3),), {0: _N}) == []

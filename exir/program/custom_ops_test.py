"""Operators of `torch.library.custom_op` are called through a generated overload."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from exir import to_edge


def _twice(x: Tensor) -> Tensor:
    return x * 2


def _scaled(x: Tensor, factor: float = 2.0, *, times: int = 1) -> Tensor:
    return x * factor * times


def _both(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return x + y, x - y


def _optional(x: Tensor, y: Tensor | None = None) -> Tensor:
    return x.clone() if y is None else x + y


def _sum_list(x: list[Tensor]) -> Tensor:
    return torch.cat(x)


_FUNCTIONS: dict[str, tuple[Callable[..., object], Callable[..., Tensor]]] = {
    "twice": (_twice, lambda op, x: op(x)),
    "scaled": (_scaled, lambda op, x: op(x, 3.0, times=2)),
    "both": (_both, lambda op, x: op(x, x)[0] + op(x, x)[1]),
    "optional": (_optional, lambda op, x: op(x) + op(x, x)),
    "of_list": (_sum_list, lambda op, x: op([x, x])),
}


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_custom_operator_lowers_to_its_out_overload(name: str) -> None:
    function, call = _FUNCTIONS[name]
    op = torch.library.custom_op(f"custom_ops_test::{name}", function, mutates_args=())
    op.register_fake(function)

    class Net(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return call(op, x)

    x = torch.ones(3)
    program = to_edge(torch.export.export(Net(), (x,))).to_executorch()
    called = {
        f"{operator_.name}.{operator_.overload}"
        for operator_ in program.executorch_program.execution_plan[0].operators
    }
    assert f"custom_ops_test::{name}.out" in called
    torch.testing.assert_close(program.exported_program().module()(x), Net()(x))

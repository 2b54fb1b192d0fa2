"""Runs programs on the official ExecuTorch runtime."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
from executorch.runtime import Runtime
from torch.utils import _pytree as pytree

from exir.program import ExecutorchProgramManager
from exir.testing.models import Example


class OfficialProgram:
    """Runs a `.pte` on the official runtime; methods keep their state between calls."""

    def __init__(self, data: bytes) -> None:
        self._program = Runtime.get().load_program(data)
        self._methods: dict[str, Any] = {}

    def run(self, method: str, *inputs: Any) -> list[Any]:
        """Return the method's outputs, flat; `inputs` may be nested."""
        if method not in self._methods:
            self._methods[method] = self._program.load_method(method)
        outputs = self._methods[method].execute(pytree.tree_leaves(inputs))
        return [o.clone() if isinstance(o, torch.Tensor) else o for o in outputs]


def assert_runs_as_eager(
    manager: ExecutorchProgramManager,
    example: Example,
    calls: Sequence[tuple[Any, ...]],
    method: str = "forward",
) -> None:
    """Compare the results of one method on the official runtime with eager PyTorch."""
    program = OfficialProgram(manager.buffer)
    module = copy.deepcopy(example.module)
    for inputs in calls:
        with torch.no_grad():
            expected = [_frozen(value) for value in pytree.tree_leaves(module(*inputs))]
        for got, want in zip(program.run(method, *inputs), expected, strict=True):
            _assert_same(got, want)


def _assert_same(got: Any, want: Any) -> None:
    if isinstance(want, torch.Tensor):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)
    else:
        assert got == want


def _frozen(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value

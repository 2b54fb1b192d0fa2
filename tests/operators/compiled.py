"""Compiles functions, and runs them on the C runtime with all kernels."""

from __future__ import annotations

import os
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as pytree

from exir import to_edge
from exir.cli.reporting.calls import Call, write_calls


class _Function(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, *inputs: Any) -> Any:
        return self._function(*inputs)


def compile_function(function: Callable[..., Any], inputs: tuple[Any, ...]) -> bytes:
    """Compile `function` for inputs of these types."""
    module = function if isinstance(function, torch.nn.Module) else _Function(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exported = torch.export.export(module.eval(), inputs)
        return to_edge(exported).to_executorch().buffer


def run_program(program: bytes, call: Call, atol: float, rtol: float) -> str:
    """Run `call` on the runtime; return its error or the differences, or "" if equal."""
    return replay(program, [call], {}, f"--atol={atol}", f"--rtol={rtol}")


def replay(program: bytes, calls: Sequence[Call], data: Mapping[str, bytes], *options: str) -> str:
    """Replay calls in order, with external data by file name; see `run`."""
    contents = {"program.pte": program, "calls": write_calls(calls), **data}
    with tempfile.TemporaryDirectory() as folder:
        for name, content in contents.items():
            Path(folder, name).write_bytes(content)
        command = [os.environ["RUN_CALLS"], *(str(Path(folder, name)) for name in contents), *options]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if result.returncode == 0 else f"exit status {result.returncode}\n{result.stdout}{result.stderr}"


def assert_follows_pytorch(function: Callable[..., Any], *inputs: Any, atol: float = 1e-5, rtol: float = 1e-5) -> None:
    """Assert that the compiled function matches eager PyTorch."""
    program = compile_function(function, inputs)
    with torch.no_grad():
        expected = function(*pytree.tree_map_only(torch.Tensor, torch.Tensor.clone, inputs))
    call = Call("forward", tuple(pytree.tree_leaves(inputs)), tuple(pytree.tree_leaves(expected)))
    assert run_program(program, call, atol, rtol) == ""

"""The reference semantics of ops in PyTorch: checks of shapes, and evaluation.

Modules of this package register one function of each kind for every op.
"""

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

from torch import Tensor

from backends.cpu.compiler.dims import Dim
from backends.cpu.schema.declarations import OpSpec
from exir.error import internal_assert

Sizes = Sequence[tuple[Dim, ...]]


@singledispatch
def check_shapes(spec: OpSpec, sizes: Sizes) -> None:
    """Raise `InternalError` unless inputs, outputs and workspaces of `spec` may have these sizes."""
    raise NotImplementedError(f"{spec.op_name()} has no check of shapes")


@singledispatch
def evaluate(spec: OpSpec, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    """Compute `outputs` from `inputs`."""
    raise NotImplementedError(f"{spec.op_name()} has no reference semantics")


def expect(spec: OpSpec, holds: Any, problem: str) -> None:
    """Raise `InternalError` with `problem` unless `holds`."""
    internal_assert(bool(holds), f"{spec}: {problem}")

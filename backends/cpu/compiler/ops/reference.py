"""The reference semantics of ops in PyTorch: shape checks and evaluation.

Modules of this package and of `lower` register functions for ops.
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
    """Raise `InternalError` unless the tensors of `spec` can have these sizes.

    By default, dimensions with the same name in the declared shapes must have the same size. Ops
    with other relations between sizes register a function.

    sizes: shapes of the inputs, outputs and workspaces, in this order.
    """
    declared = (*spec.inputs, *spec.outputs, *spec.workspaces)
    expect(spec, len(sizes) == len(declared), f"{len(sizes)} tensors, expected {len(declared)}")
    named: dict[str, Dim] = {}
    for tensor, given in zip(declared, sizes, strict=True):
        if tensor.plain_dims is None:
            raise NotImplementedError(f"{spec.op_name()} has no shape check")
        expect(spec, len(given) == len(tensor.plain_dims), f"{tensor.name} is {given}, expected {tensor.shape}")
        for name, size in zip(tensor.plain_dims, given, strict=True):
            expected = int(name) if name.isdecimal() else named.setdefault(name, size)
            expect(spec, size == expected, f"{tensor.name} is {given}, expected {name} = {expected} in {tensor.shape}")


def has_shape_check(op: type[OpSpec]) -> bool:
    """Return whether `check_shapes` supports `op`."""
    is_plain = all(tensor.plain_dims is not None for tensor in (*op.inputs, *op.outputs, *op.workspaces))
    return is_plain or check_shapes.dispatch(op) is not check_shapes.dispatch(OpSpec)


@singledispatch
def evaluate(spec: OpSpec, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    """Compute `outputs` from `inputs`."""
    raise NotImplementedError(f"{spec.op_name()} has no reference semantics")


def expect(spec: OpSpec, holds: Any, problem: str) -> None:
    """Raise `InternalError` with `problem` unless `holds`."""
    internal_assert(bool(holds), f"{spec}: {problem}")

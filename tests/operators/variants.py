"""Runs unusual variants of the samples of torch's operator database.

The variants are compiled for both backends: tensors without dimensions, tensors without elements, scalars that are
sizes, dynamic sizes, and tensors of every dtype.
"""

from __future__ import annotations

import itertools
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.export import Dim, ExportedProgram
from torch.utils import _pytree as pytree

from backends.cpu.compiler.partitioner import CpuPartitioner
from executorch_runtime import Program
from exir import to_edge_transform_and_lower
from exir.cli.reporting.fallback import check_kernels
from exir.error import ExirError, InternalError
from kernels.testing.native import DTYPE_CODES
from tests.operators.op_db import KERNELS, Refused, plain, tolerance, widened

if TYPE_CHECKING:
    from torch.testing._internal.opinfo.core import OpInfo

BACKENDS: dict[str, Callable[[], list[Any]]] = {"portable": list, "cpu": lambda: [CpuPartitioner()]}
_MAX_SIZE = 24


@dataclass(frozen=True)
class SizeScalar:
    """A scalar argument that the program computes from a size.

    The scalar is `example` if the size is `size`.
    """

    example: float
    size: int

    def value(self, size: Any) -> Any:
        """Return the scalar for a size, which may be symbolic."""
        if isinstance(self.example, int):
            return size + (self.example - self.size)
        return size * (self.example / self.size)


@dataclass(frozen=True)
class Variant:
    """A call of an operator.

    leaves: the flattened arguments; a `SizeScalar` is computed from the first dimension of the first tensor.
    dynamic: the dynamic dimensions of each tensor: "first", "all" or "" for none.
    """

    name: str
    op: OpInfo
    leaves: tuple[Any, ...]
    spec: pytree.TreeSpec
    process: Callable[[Any], Any]
    dynamic: str = ""

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """The inputs of the program."""
        return tuple(leaf for leaf in self.leaves if isinstance(leaf, Tensor))


class _Call(torch.nn.Module):
    """The operator on the tensors of a variant; other arguments are constants."""

    def __init__(self, variant: Variant) -> None:
        super().__init__()
        self._variant = variant

    def forward(self, *tensors: Tensor) -> Any:
        given = iter(tensors)
        size = tensors[0].shape[0] if tensors and tensors[0].dim() else 1
        leaves = [self._leaf(leaf, given, size) for leaf in self._variant.leaves]
        args, kwargs = pytree.tree_unflatten(leaves, self._variant.spec)
        return self._variant.process(self._variant.op(*args, **kwargs))

    def _leaf(self, leaf: Any, given: Iterator[Tensor], size: Any) -> Any:
        if isinstance(leaf, SizeScalar):
            return leaf.value(size)
        return next(given) if isinstance(leaf, Tensor) else leaf


@dataclass(frozen=True)
class Result:
    """The result of one variant on one backend.

    kind: `passed`; `skipped` if PyTorch rejects the variant; `refused` with a reason for the author; `wrong` for
        anything else.
    """

    kind: str
    reason: str = ""


def variants(op: OpInfo, dtype: torch.dtype, samples: int) -> Iterator[Variant]:
    """Yield the variants of the first samples of `dtype`."""
    torch.manual_seed(0)
    for number, sample in enumerate(islice(op.sample_inputs("cpu", dtype, requires_grad=False), samples)):
        leaves, spec = pytree.tree_flatten(((sample.input, *sample.args), sample.kwargs))
        try:
            dense = tuple(plain(leaf) for leaf in leaves)
        except Refused:
            continue
        name = f"{str(dtype).removeprefix('torch.')} {number}"
        base = Variant(name, op, dense, spec, sample.output_process_fn_grad)
        yield base
        yield from itertools.chain(_without_dims(base), _without_elements(base), _dynamic(base), _size_scalars(base))


def casts(op: OpInfo, samples: int) -> Iterator[Variant]:
    """Yield float32 samples in every other supported dtype, for one tensor or for all."""
    torch.manual_seed(0)
    if torch.float32 not in op.supported_dtypes("cpu"):
        return
    for base in _bases(op, samples):
        for dtype in DTYPE_CODES:
            if dtype in (torch.float32, torch.complex64, torch.complex128):
                continue
            yield _replaced(base, f"{base.name} as {dtype}", partial(_converted, dtype))


def _converted(dtype: torch.dtype, tensor: Tensor) -> Tensor:
    return tensor.to(dtype) if tensor.dtype == torch.float32 else tensor


def _bases(op: OpInfo, samples: int) -> Iterator[Variant]:
    for variant in variants(op, torch.float32, samples):
        if variant.name.startswith("float32") and len(variant.name.split()) == 2:
            yield variant


def _replaced(base: Variant, name: str, change: Callable[[Tensor], Tensor]) -> Variant:
    return replace(
        base, name=name, leaves=tuple(change(leaf) if isinstance(leaf, Tensor) else leaf for leaf in base.leaves)
    )


def _without_dims(base: Variant) -> Iterator[Variant]:
    """Yield variants in which all tensors, or only the first, are zero-dimensional.

    Integer arguments are adapted.
    """
    if not any(tensor.numel() for tensor in base.tensors):
        return
    scalar = _replaced(base, f"{base.name} 0-d", lambda t: t.reshape(-1)[0].clone() if t.numel() else t)
    first = replace(base, name=f"{base.name} first 0-d", leaves=_first(base.leaves, scalar.leaves))
    for variant in [scalar, first] if len(base.tensors) > 1 else [scalar]:
        yield variant
        zeros = pytree.tree_map_only(int, lambda i: i if isinstance(i, bool) else 0, variant.leaves)
        if zeros != variant.leaves and len(base.tensors) < 2:
            yield replace(variant, name=f"{variant.name}, 0 for integers", leaves=zeros)
            yield _short_lists(replace(variant, name=f"{variant.name}, [0] for lists", leaves=zeros))


def _short_lists(variant: Variant) -> Variant:
    """Return the variant with one element for each list of integers."""
    args = pytree.tree_unflatten(list(variant.leaves), variant.spec)

    def shorten(value: Any) -> Any:
        if isinstance(value, (list, tuple)) and len(value) > 1 and all(type(item) is int for item in value):
            return type(value)(value[:1])
        return value

    args, kwargs = args
    leaves, spec = pytree.tree_flatten((tuple(map(shorten, args)), {k: shorten(v) for k, v in kwargs.items()}))
    return replace(variant, leaves=tuple(leaves), spec=spec)


def _first(leaves: Sequence[Any], changed: Sequence[Any]) -> tuple[Any, ...]:
    """Return `leaves` with the first tensor replaced by that of `changed`."""
    place = next(index for index, leaf in enumerate(leaves) if isinstance(leaf, Tensor))
    return (*leaves[:place], changed[place], *leaves[place + 1 :])


def _without_elements(base: Variant) -> Iterator[Variant]:
    """Yield variants with an empty dimension in the first tensor.

    Dimensions of the same size in other tensors are also empty.
    """
    rank = base.tensors[0].dim() if base.tensors else 0
    for dim in sorted({0, 1, rank - 1} & set(range(rank))):
        size = base.tensors[0].shape[dim]
        yield _replaced(base, f"{base.name} empty dim {dim}", partial(_emptied, size))


def _emptied(size: int, tensor: Tensor) -> Tensor:
    dims = [dim for dim, length in enumerate(tensor.shape) if length == size]
    return tensor.narrow(dims[0], 0, 0).clone() if dims else tensor


def _dynamic(base: Variant) -> Iterator[Variant]:
    """Yield the variant with dynamic dimensions, if `torch.export` allows it."""
    if any(tensor.dim() for tensor in base.tensors):
        yield replace(base, name=f"{base.name} dynamic", dynamic="all")


def _size_scalars(base: Variant) -> Iterator[Variant]:
    """Yield variants in which a scalar argument is computed from a dynamic size."""
    if not base.tensors or not base.tensors[0].dim() or base.tensors[0].shape[0] < 2:
        return
    size = base.tensors[0].shape[0]
    for place, leaf in enumerate(base.leaves):
        if isinstance(leaf, (bool, complex)) or not isinstance(leaf, (int, float)) or not abs(leaf) <= 100:
            continue
        leaves = (*base.leaves[:place], SizeScalar(leaf, size), *base.leaves[place + 1 :])
        yield replace(base, name=f"{base.name} size for argument {place}", leaves=leaves, dynamic="first")


def results(variant: Variant) -> dict[str, Result]:
    """Return the results of a variant on each backend."""
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            _Call(variant)(*_copies(variant.tensors))
        except Exception as error:
            return {"eager": Result("skipped", f"{type(error).__name__}: {error}")}
        return {name: _result_on(variant, partitioners) for name, partitioners in BACKENDS.items()}


def _result_on(variant: Variant, partitioners: Callable[[], list[Any]]) -> Result:
    try:
        exported = torch.export.export(_Call(variant).eval(), variant.tensors, dynamic_shapes=_dims(variant))
        calls = [(variant.tensors, _leaves(exported.module()(*_copies(variant.tensors))))]
        calls += _other_calls(variant, exported)
    except Exception as error:
        return Result("skipped", f"torch.export: {type(error).__name__}: {error}")
    return _result(variant, exported, calls, partitioners())


def _copies(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    return tuple(tensor.clone() for tensor in tensors)


def _leaves(result: Any) -> list[Any]:
    return [plain(leaf) for leaf in pytree.tree_leaves(result)]


def _dims(variant: Variant) -> Any:
    if not variant.dynamic:
        return None
    return (tuple(_dims_of(tensor, variant.dynamic) for tensor in variant.tensors),)


def _dims_of(tensor: Tensor, dynamic: str) -> dict[int, Any]:
    rank = tensor.dim()
    dims = range(min(rank, 1)) if dynamic == "first" else range(rank)
    return {dim: Dim.AUTO(max=_MAX_SIZE) for dim in dims if 1 < tensor.shape[dim] < _MAX_SIZE}


def _other_calls(variant: Variant, exported: ExportedProgram) -> list[tuple[tuple[Tensor, ...], list[Any]]]:
    """Return calls with other sizes that both the program and PyTorch accept."""
    nodes = [node for node in exported.graph.find_nodes(op="placeholder") if isinstance(node.meta.get("val"), Tensor)]
    user = [node for node in nodes if node.name in exported.graph_signature.user_inputs]
    calls = []
    for change in (2, -1) if exported.range_constraints else ():
        sizes = {
            symbol: min(max(int(size) + change, int(bounds.lower), 1), int(min(bounds.upper, _MAX_SIZE)))
            for symbol, bounds in exported.range_constraints.items()
            if (size := _hint(user, symbol)) is not None
        }
        tensors = tuple(_resized(t, node, sizes) for t, node in zip(variant.tensors, user, strict=True))
        try:
            calls.append((tensors, _leaves(exported.module()(*_copies(tensors)))))
        except Exception:
            continue
    return calls


def _hint(nodes: Sequence[Any], symbol: Any) -> int | None:
    """Return the size of a symbol in the example input."""
    for node in nodes:
        for size in node.meta["val"].shape:
            if isinstance(size, torch.SymInt) and size.node.expr == symbol:
                return int(size.node.hint)
    return None


def _resized(tensor: Tensor, node: Any, sizes: dict[Any, int]) -> Tensor:
    """Resize a tensor by repeating its elements.

    Floats are perturbed, so that matrices keep their rank.
    """
    for dim, size in enumerate(node.meta["val"].shape):
        if isinstance(size, torch.SymInt):
            count = int(size.node.expr.subs(sizes))
            tensor = tensor.index_select(dim, torch.arange(count) % tensor.shape[dim])
    if tensor.is_floating_point() and tensor.numel() > 1:
        tensor = tensor * torch.linspace(1, 1.1, tensor.numel(), dtype=tensor.dtype).reshape(tensor.shape)
    return tensor.contiguous()


def _result(
    variant: Variant, exported: ExportedProgram, calls: Sequence[tuple[tuple[Tensor, ...], list[Any]]], parts: Any
) -> Result:
    try:
        manager = to_edge_transform_and_lower(exported, partitioner=parts).to_executorch()
        check_kernels(manager, KERNELS)
        program = manager.buffer
    except ExirError as error:
        return Result("wrong" if isinstance(error, InternalError) else "refused", f"{type(error).__name__}: {error}")
    except Exception as error:
        return Result("wrong", f"the compiler: {type(error).__name__}: {error}")
    with tempfile.NamedTemporaryFile(suffix=".pte") as file:
        Path(file.name).write_bytes(program)
        try:
            method = Program(Path(file.name)).method("forward")
            for tensors, expected in calls:
                outputs = method(*tensors)
                problem = _difference(outputs, expected, tensors)
                if problem and not _is_exact(variant, tensors, outputs, expected):
                    return Result("wrong", problem)
        except Exception as error:
            return Result("wrong", f"the runtime: {type(error).__name__}: {error}")
    return Result("passed")


def _is_exact(variant: Variant, tensors: Sequence[Tensor], got: Sequence[Any], expected: Sequence[Any]) -> bool:
    """Return true if the outputs match PyTorch's float64 outputs.

    For an ill-conditioned matrix, float32 results depend on the LAPACK library.
    """
    try:
        wide = _leaves(_Call(variant)(*(widened(tensor.clone()) for tensor in tensors)))
        exact = [a.to(b.dtype) if isinstance(b, Tensor) else a for a, b in zip(wide, expected, strict=True)]
    except Exception:
        return False
    return not _difference(got, exact, tensors)


def _difference(got: Sequence[Any], expected: Sequence[Any], inputs: Sequence[Tensor]) -> str:
    """Return the first output that differs from PyTorch's; "" if there is none."""
    atol, rtol = tolerance([*inputs, *expected])
    if len(got) != len(expected):
        return f"{len(got)} outputs, expected {len(expected)}"
    for index, (one, other) in enumerate(zip(got, expected)):
        if isinstance(other, Tensor):
            one = torch.as_tensor(one)
            if one.dtype != other.dtype or one.shape != other.shape:
                return f"output {index} is {one.dtype} {[*one.shape]}, expected {other.dtype} {[*other.shape]}"
            if not torch.allclose(_wide(one), _wide(other), atol=atol, rtol=rtol, equal_nan=True):
                return f"values: output {index} is {one.flatten()[:6]}, expected {other.flatten()[:6]}"
        elif one != other and not abs(one - other) <= 1e-5 * abs(other):
            return f"values: output {index} is {one}, expected {other}"
    return ""


def _wide(tensor: Tensor) -> Tensor:
    return tensor.to(torch.complex128) if tensor.is_complex() else tensor.to(torch.float64)

"""Copies programs with their symbolic sizes, to protect those of the caller.

Symbolic sizes belong to a `ShapeEnv` that all copies of a program share, including deep copies. Running
operators on the program's fake tensors adds symbols, bounds and equalities to that `ShapeEnv`.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, MutableMapping, MutableSequence, MutableSet
from contextlib import nullcontext
from typing import Any

import torch
from torch import SymBool, SymFloat, SymInt, Tensor
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node
from torch.fx.experimental.sym_node import SymNode
from torch.fx.experimental.symbolic_shapes import ShapeEnv, ValueRangesSLoc
from torch.utils._python_dispatch import is_traceable_wrapper_subclass, transform_subclass
from torch.utils._pytree import tree_leaves, tree_map

from exir.graph.program_copy import copy_program


def with_private_symbols(program: ExportedProgram) -> ExportedProgram:
    """Return a copy of `program` whose values belong to a separate `ShapeEnv`.

    A program without symbols is returned unchanged.
    """
    shape_env = shape_env_of(program)
    if shape_env is None or not shape_env.var_to_range:
        return program
    copied = copy_program(program)
    values = _ValueCopier()
    for node in _all_nodes(copied):
        if "val" in node.meta:
            node.meta["val"] = values.copied(node.meta["val"])
    return copied


def private_copies(programs: Mapping[str, ExportedProgram]) -> dict[str, ExportedProgram]:
    """Return copies that can be changed without effect on `programs` and their sizes."""
    copies = {}
    for name, program in programs.items():
        copied = with_private_symbols(program)
        copies[name] = copied if copied is not program else copy_program(program)
    return copies


def _all_nodes(program: ExportedProgram) -> Iterator[Node]:
    """Yield the nodes of all graphs of `program`."""
    for graph_module in program.graph_module.modules():
        if isinstance(graph_module, GraphModule):
            yield from graph_module.graph.nodes


def shape_env_of(program: ExportedProgram) -> ShapeEnv | None:
    """Return the `ShapeEnv` of the symbolic sizes of `program`, if any."""
    for node in program.graph.nodes:
        for value in tree_leaves(node.meta.get("val")):
            owner = value.fake_mode if isinstance(value, FakeTensor) else getattr(value, "node", None)
            shape_env = getattr(owner, "shape_env", None)
            if isinstance(shape_env, ShapeEnv):
                return shape_env
    return None


class _ValueCopier:
    """Copies values of a graph and preserves object identity."""

    def __init__(self) -> None:
        # Keyed by the address of the original, which is kept alive so that its address stays
        # unique.
        self._copies: dict[int, tuple[Any, Any]] = {}

    def copied(self, value: Any) -> Any:
        """Return `value`, or its contents, with sizes of the copied `ShapeEnv`."""
        return tree_map(self._copy_leaf, value)

    def _copy_leaf(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            return self._copy_once(value, self._copy_tensor)
        if isinstance(value, (SymInt, SymFloat, SymBool)) and isinstance(value.node, SymNode):
            return type(value)(self._copy_once(value.node, self._copy_symbol))
        return value

    def _copy_once(self, original: Any, copied: Callable[[Any], Any]) -> Any:
        if id(original) not in self._copies:
            self._copies[id(original)] = original, copied(original)
        return self._copies[id(original)][1]

    def _copy_symbol(self, node: SymNode) -> SymNode:
        result = copy.copy(node)
        if node.shape_env is not None:
            result.shape_env = self._copy_once(node.shape_env, _copied_shape_env)
        result._expr_ver, result._expr_cache = -1, None
        return result

    def _copy_tensor(self, value: Tensor) -> Tensor:
        if is_traceable_wrapper_subclass(value):
            return transform_subclass(value, lambda _, inner: self._copy_leaf(inner))
        if not isinstance(value, FakeTensor) or value.layout is not torch.strided:
            return value
        mode = self._copy_once(value.fake_mode, self._copy_mode)
        with mode.shape_env.suppress_guards() if mode.shape_env else nullcontext():
            meta = self._meta_tensor(value)
        copied = FakeTensor(mode, meta, value.device, value.constant)
        copied.requires_grad_(value.requires_grad)
        torch._C._set_conj(copied, value.is_conj())
        torch._C._set_neg(copied, value.is_neg())
        return copied

    def _meta_tensor(self, value: FakeTensor) -> Tensor:
        """Return a tensor on the meta device with the layout of `value`."""
        sizes, strides = (tuple(map(self._copy_leaf, sizes)) for sizes in (value.shape, value.stride()))
        offset = self._copy_leaf(value.storage_offset())
        # The indices of the last element. An empty dimension has no elements, and its stride does
        # not matter.
        last = [
            (size - 1, stride)
            for size, stride in zip(sizes, strides)
            if not (type(size) is int and size == 0)
        ]
        length = offset + 1 + sum(index * stride for index, stride in last)
        base = torch.empty_strided((length,), (1,), dtype=value.dtype, device="meta")
        return base.as_strided(sizes, strides, offset)

    def _copy_mode(self, mode: FakeTensorMode) -> FakeTensorMode:
        return FakeTensorMode(
            allow_fallback_kernels=mode.allow_fallback_kernels,
            allow_non_fake_inputs=mode.allow_non_fake_inputs,
            shape_env=mode.shape_env and self._copy_once(mode.shape_env, _copied_shape_env),
            static_shapes=mode.static_shapes,
            export=mode.fake_tensor_converter.export,
        )


def _copied_shape_env(shape_env: ShapeEnv) -> ShapeEnv:
    """Return `shape_env` with copied containers; their contents are shared."""
    copied = copy.copy(shape_env)
    attributes = {name: _copied_container(value) for name, value in vars(shape_env).items()}
    vars(copied).update(attributes, fake_tensor_cache={})
    return copied


def _copied_container(value: Any) -> Any:
    if isinstance(value, MutableMapping):
        copied = copy.copy(value)
        for key, inner in value.items():
            copied[key] = _copied_container(inner)
        return copied
    is_changed_in_place = isinstance(value, (MutableSequence, MutableSet, ValueRangesSLoc))
    return copy.copy(value) if is_changed_in_place else value

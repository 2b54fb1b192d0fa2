"""Decomposes one operator by recording core operators on fake tensors."""

from collections.abc import Callable
from typing import Any, cast

import torch
from torch import SymBool, SymFloat, SymInt, Tensor
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Node
from torch.fx.node import map_arg
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_any, tree_map

from exir.decomposition.decompositions import Decompositions
from exir.decomposition.result_bounds import Ranges, ranges_of_result
from exir.error import NotLocal, UnsupportedOperatorError
from exir.graph.graph_builder import GraphBuilder
from exir.graph.known_values import known_value
from exir.graph.variants import IDENTITIES, functional_form

# Queries by which C++ code requests sizes as integers. Dynamic tensors do not support them.
_SIZE_QUERIES = frozenset({torch.ops.aten.size.default, torch.ops.aten.stride.default})


class OperatorRecorder(TorchDispatchMode):
    """Appends the core operators of one operator to a graph builder.

    Operators of the decomposition table are replaced by their decomposition, and composite operators by
    the operators that they call. All other operators are recorded.

    ranges: receives the ranges of data-dependent sizes.
    """

    def __init__(
        self,
        builder: GraphBuilder,
        fake_mode: FakeTensorMode,
        decompositions: Decompositions,
        ranges: Ranges,
    ) -> None:
        super().__init__()
        self._builder = builder
        self._fake_mode = fake_mode
        self._decompositions = decompositions
        self._ranges = ranges
        self._nodes: dict[int, tuple[Tensor, Node]] = {}
        self._inputs: list[Node] = []

    def expand(
        self, op: OpOverload, args: Any, kwargs: dict[str, Any], form: Callable[..., Any] | None = None
    ) -> Any:
        """Append the decomposition of `op`; arguments and results are nodes.

        form: a decomposition for this call only.

        Raises `NotLocal` if the decomposition depends on other operators.
        """
        self._nodes.clear()
        self._inputs = []
        tensors, options = _mutable_copy(map_arg((args, kwargs), self._input_value))
        with torch.no_grad(), self._fake_mode, self:
            if form is None:
                result = self._decompositions(op, tensors, options)
            else:
                result = form(*tensors, **options)
            if result is NotImplemented:
                result = op(*tensors, **options)
        return tree_map(self._node_argument, result)

    def _input_value(self, node: Node) -> Any:
        value = node.meta["val"]
        if isinstance(value, Tensor):
            if id(value) in self._nodes and self._nodes[id(value)][1] is not node:
                value = value.detach()
            self._nodes[id(value)] = (value, node)
            self._inputs.append(node)
        return value

    def __torch_dispatch__(
        self, func: OpOverload, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in _SIZE_QUERIES:
            raise self._refused_size()
        if func in IDENTITIES:
            return self._bind_result(func(*args, **kwargs), self._node_argument(args[0]))
        if func._schema.is_mutable:
            return self._functionalize_write(func, args, kwargs)
        result = self._decompose_call(func, args, kwargs)
        return self._record_call(func, args, kwargs) if result is NotImplemented else result

    def _refused_size(self) -> UnsupportedOperatorError:
        source = self._builder.source
        operator = source.target if source is not None else "an operator"
        message = (
            f"{operator} does not support dynamic sizes, because PyTorch decomposes it for fixed "
            "sizes; use other operators, or make the sizes of its inputs static"
        )
        return UnsupportedOperatorError(message, source)

    def _decompose_call(self, func: OpOverload, args: Any, kwargs: dict[str, Any]) -> Any:
        with self:
            result = self._decompositions(func, args, kwargs)
            if result is NotImplemented and func.namespace == "prims":
                return cast(Any, func).impl_aten(*args, **kwargs)
            return result

    def _record_call(self, func: OpOverload, args: Any, kwargs: dict[str, Any]) -> Any:
        result = known_value(func, args, kwargs)
        if tree_any(lambda leaf: isinstance(leaf, Tensor), result):
            node_args, node_kwargs = tree_map(self._node_argument, (tuple(args), kwargs))
            self._ranges.update(ranges_of_result(func, node_args, result))
            return self._bind_result(result, self._builder.append(func, node_args, node_kwargs, result))
        if func is torch.ops.aten._local_scalar_dense.default and isinstance(result, SymInt):
            self._builder.append(func, tree_map(self._node_argument, tuple(args)), {}, result)
        return result

    def _bind_result(self, result: Any, node: Node) -> Any:
        if isinstance(result, Tensor):
            self._nodes[id(result)] = (result, node)
            return result
        for index, item in enumerate(result):
            if isinstance(item, Tensor):
                self._nodes[id(item)] = (item, self._builder.append_item(node, index))
        return result

    def _node_argument(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            if id(value) not in self._nodes:
                raise NotLocal("a decomposition creates an untracked tensor", self._builder.source)
            return self._nodes[id(value)][1]
        if isinstance(value, (SymInt, SymFloat, SymBool)):
            return self._builder.sizes.node_for(value, self._inputs)
        return value

    def _functionalize_write(self, func: OpOverload, args: Any, kwargs: dict[str, Any]) -> Any:
        """Functionalize a write to a tensor of the decomposition, without views."""
        form = functional_form(func)
        node = self._node_argument(args[0])
        if form is None or node in self._inputs or self._builder.aliases.others(node):
            raise NotLocal(f"a decomposition writes to memory with {func}", self._builder.source)
        with self:
            result = form(*args, **kwargs)
        if result.dtype != args[0].dtype or result.shape != args[0].shape:
            raise NotLocal(f"{func} changes the dtype or shape of its target", self._builder.source)
        self._rebind_value(node, self._node_argument(result))
        return args[0]

    def _rebind_value(self, old: Node, new: Node) -> None:
        for key, (tensor, node) in self._nodes.items():
            if node is old:
                self._nodes[key] = (tensor, new)


def _mutable_copy(value: Any) -> Any:
    """Copy to plain lists and dictionaries, which decompositions can modify."""
    if isinstance(value, (list, tuple)):
        items = [_mutable_copy(item) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    if isinstance(value, dict):
        return {key: _mutable_copy(item) for key, item in value.items()}
    return value

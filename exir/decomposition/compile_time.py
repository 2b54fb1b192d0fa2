"""Evaluates operators without a kernel or a decomposition at compile time."""

import math
import operator
from collections.abc import Callable, Collection
from typing import Any

import torch
from torch import SymInt, Tensor
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg
from torch.utils._pytree import tree_leaves

from exir.decomposition.lift_constants import lift_inner_constants
from exir.dialects.edge import to_torch_overload
from exir.graph.constants import ConstantTable
from exir.graph.control_flow import graphs
from exir.graph.fake_mode import fake_mode_of
from exir.operators.properties_of import is_in_edge_dialect

MAX_VALUE_BYTES = 1 << 28
"""Maximum size, in bytes, of a value that is evaluated at compile time."""

_ATEN = torch.ops.aten
# The results also depend on files, devices or threads, not only on the arguments.
_IMPURE = frozenset({_ATEN.from_file.default, _ATEN._make_dep_token.default})
_Constant = Callable[[Node], Tensor | None]


def evaluate_unsupported(
    program: ExportedProgram, preserved: Collection[OpOverload] = ()
) -> ExportedProgram:
    """Replace unsupported calls that depend only on constants with their values.

    Before: functional operators. After: an ATen call outside the edge dialect remains only in these
    cases:

    - The call depends on an input, on a buffer that the program mutates, or on random values.
    - Its operator is in `preserved`.
    - Its value exceeds `MAX_VALUE_BYTES`.

    `program` may be edited.
    """
    nodes = [node for graph in graphs(program.graph_module) for node in graph.graph.nodes]
    if not any(_is_unsupported(node, preserved) for node in nodes):
        return program
    constants = ConstantTable(program, fake_mode_of(program.graph))
    for graph_module in graphs(program.graph_module):
        is_outermost = graph_module is program.graph_module
        evaluator = _GraphEvaluator(constants.tensor if is_outermost else _no_constant)
        for node in list(graph_module.graph.nodes):
            if _is_unsupported(node, preserved):
                for result, value in evaluator.results(node).items():
                    name = result.name
                    holder = (
                        constants.add(name, value)
                        if is_outermost
                        else _hold_as_buffer(graph_module, result, value)
                    )
                    result.replace_all_uses_with(holder)
        graph_module.graph.eliminate_dead_code()
    constants.drop_unused()
    return lift_inner_constants(program)


def _no_constant(node: Node) -> None:
    """Return None: a graph of control flow has no constants."""


def _hold_as_buffer(module: GraphModule, result: Node, value: Tensor) -> Node:
    """Register `value` as a buffer of `module`, and return a node that reads it."""
    name = f"_{result.name}"
    module.register_buffer(name, value, persistent=False)
    with result.graph.inserting_before(result):
        holder = result.graph.get_attr(name)
    holder.meta = dict(result.meta)
    return holder


def _is_unsupported(node: Node, preserved: Collection[OpOverload]) -> bool:
    op = to_torch_overload(node.target)
    return op is not None and op not in preserved and not is_in_edge_dialect(op)


class _GraphEvaluator:
    """Evaluates the nodes of one graph on real tensors.

    constant: returns the value of a placeholder, or None if the value is not known.
    """

    def __init__(self, constant: _Constant) -> None:
        self._constant = constant
        self._known: dict[Node, Any] = {}

    def results(self, node: Node) -> dict[Node, Tensor]:
        """Map each result node of `node` to its tensor.

        The map is empty if the results are not known. An operator with several results has one
        `getitem` node for each.
        """
        value = self._value_of(node)
        if isinstance(value, Tensor):
            return {node: value}
        items = [user for user in node.users if user.target is operator.getitem]
        return {} if value is None else {item: self._value_of(item) for item in items}

    def _value_of(self, node: Node) -> Any:
        if node not in self._known:
            self._known[node] = self._evaluate(node)
        return self._known[node]

    def _evaluate(self, node: Node) -> Any:
        if node.op == "placeholder":
            return self._constant(node)
        if node.op != "call_function" or not _is_pure(node) or not _is_small(node):
            return None
        if any(self._value_of(input_node) is None for input_node in node.all_input_nodes):
            return None
        args, kwargs = map_arg((node.args, node.kwargs), self._value_of)
        if node.target is operator.getitem:
            return args[0][args[1]]
        op = to_torch_overload(node.target)
        assert op is not None
        value = _evaluate_call(op, args, kwargs, node.meta["val"])
        return value if _has_form(value, node.meta["val"]) else None


def _evaluate_call(op: OpOverload, args: Any, kwargs: dict[str, Any], like: Any) -> Any:
    """Compute the value of the call.

    Factories of float32 tensors compute in float64 and round once, so that the bits do not depend on the
    processor's vector instructions.
    """
    with torch.no_grad():
        is_made = not any(isinstance(arg, Tensor) for arg in tree_leaves(args))
        has_dtype = any(argument.name == "dtype" for argument in op._schema.arguments)
        if is_made and has_dtype and isinstance(like, Tensor) and like.dtype is torch.float32:
            return op(*args, **{**kwargs, "dtype": torch.float64}).to(torch.float32)
        return op(*args, **kwargs)


def _is_pure(node: Node) -> bool:
    """Return true if equal arguments give equal results."""
    if node.target is operator.getitem:
        return True
    op = to_torch_overload(node.target)
    if op is None or op.namespace != "aten" or op in _IMPURE or op._schema.is_mutable:
        return False
    return torch.Tag.nondeterministic_seeded not in op.tags


def _is_small(node: Node) -> bool:
    """Return true if the results are dense tensors of static size within the limit."""
    tensors = _tensors_in(node.meta.get("val"))
    if not all(tensor.layout is torch.strided and not tensor.is_quantized for tensor in tensors):
        return False
    if not tensors or any(isinstance(size, SymInt) for tensor in tensors for size in tensor.shape):
        return False
    # A view at a dynamic offset has a static size, but no `nbytes`.
    return sum(math.prod(tensor.shape) * tensor.itemsize for tensor in tensors) <= MAX_VALUE_BYTES


def _has_form(value: Any, like: Any) -> bool:
    """Return true if `value` has the dtypes and shapes of `like`."""
    pairs = list(zip(_tensors_in(value), _tensors_in(like), strict=True))
    return all(got.dtype == want.dtype and got.shape == want.shape for got, want in pairs)


def _tensors_in(value: Any) -> list[Tensor]:
    values = value if isinstance(value, (tuple, list)) else [value]
    return [tensor for tensor in values if isinstance(tensor, Tensor)]

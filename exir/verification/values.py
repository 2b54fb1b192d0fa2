"""Check that `meta["val"]` agrees with the value that each node computes."""

import operator
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import SymBool, SymFloat, SymInt, Tensor
from torch._dispatch.python import enable_python_dispatcher
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorMode,
    UnsupportedFakeTensorException,
    UnsupportedOperatorException,
)
from torch.export import ExportedProgram
from torch.fx import Node
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode, statically_known_true
from torch.utils._pytree import tree_map

from exir import memory
from exir.delegate import is_delegate_call, lowered_module_of
from exir.dialects.edge import to_torch_overload
from exir.dialects.out_variant import (
    bind_arguments,
    functional_of,
    is_in_place,
    out_variant_of,
    written_arguments,
)
from exir.error import EdgeDialectError
from exir.graph.control_flow import graphs, regions
from exir.graph.fake_mode import fake_mode_of
from exir.graph.graph_builder import values
from exir.graph.layouts import dim_order
from exir.graph.variants import functional_form, run_copying, view_form
from exir.verification.structure import SYMBOLIC

_UNKNOWN = object()
"""Represents a value that depends on the real data."""

_NEED_DATA = (
    DataDependentOutputException,
    DynamicOutputShapeException,
    GuardOnDataDependentSymNode,
    NotImplementedError,
    UnsupportedFakeTensorException,
    UnsupportedOperatorException,
)
_ONLY_AT_RUN_TIME = frozenset({torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape})
_SYMBOLS = (SymBool, SymFloat, SymInt)


class ValueChecker:
    """Checks the value metadata of a program's nodes after each pass.

    The metadata of `program` at construction is trusted: it comes from tracing or has been checked.
    Later, a changed node is executed on fake tensors. Each combination of operator and operand
    layouts is executed once.
    """

    def __init__(self, program: ExportedProgram | None = None) -> None:
        self._seen: dict[Node, tuple[Any, ...]] = {}
        self._known: set[Any] = set()
        self._layouts: dict[int, tuple[Any, Any]] = {}
        for node in _call_nodes(program) if program is not None else ():
            self._seen[node] = _value_identity(node)
            self._known.update(self._node_keys(node))

    def __call__(self, program: ExportedProgram) -> None:
        """Raise an `EdgeDialectError` that names a node whose metadata is wrong."""
        with _fake_execution(fake_mode_of(program.graph)):
            for node in _call_nodes(program):
                state = _value_identity(node)
                if not _same_objects(state, self._seen.get(node, ())):
                    self._check_node(node)
                    self._seen[node] = state

    def _check_node(self, node: Node) -> None:
        keys = self._node_keys(node)
        if keys[0] not in self._known:
            _check_value(node)
            self._known.update(keys)

    def _node_keys(self, node: Node) -> list[Any]:
        """Return keys of a node's operator, operand layouts and result layout.

        An out variant has the key of its functional form, so that converting a checked node does
        not execute it again.
        """
        val = self._layout_key(node.meta.get("val"))
        op = to_torch_overload(node.target)
        if op is None:
            return [(node.target, self._layout_key([node.args, _region_results(node)]), val)]
        functional = functional_of(op)
        variant = out_variant_of(functional)
        arguments = bind_arguments(op, node.args, node.kwargs)
        layouts = {name: self._layout_key(value) for name, value in arguments.items()}
        beside = (*variant.outputs, *variant.dropped) if variant else ()
        operand_layouts = tuple(item for item in layouts.items() if item[0] not in beside)
        as_called = (op, tuple(layouts.items()), val)
        return (
            [as_called, (functional, operand_layouts, val)]
            if functional is op
            else [(functional, operand_layouts, val)]
        )

    def _layout_key(self, value: Any) -> Any:
        """Return a hashable that is equal for equal dtypes, sizes and strides."""
        if isinstance(value, Node):
            return (
                self._layout_key(value.meta["val"])
                if "val" in value.meta
                else _attribute_identity(value)
            )
        if isinstance(value, (list, tuple)):
            return tuple(map(self._layout_key, value))
        if not isinstance(value, (Tensor, *_SYMBOLS)):
            return (type(value), value)
        if id(value) not in self._layouts:
            self._layouts[id(value)] = (value, _layout_of(value))
        return self._layouts[id(value)][1]


def _call_nodes(program: ExportedProgram) -> Iterator[Node]:
    for graph_module in graphs(program.graph_module):
        for node in graph_module.graph.nodes:
            if node.op == "call_function" and node.target is not memory.alloc:
                yield node


def _value_identity(node: Node) -> tuple[Any, ...]:
    """Return all objects that determine a node's value, for comparison by identity."""
    sources = [*node.all_input_nodes, *_region_results(node)]
    vals = [source.meta.get("val") for source in sources]
    return (node.target, node.args, node.kwargs, node.meta.get("val"), *vals)


def _same_objects(some: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    return len(some) == len(others) and all(map(operator.is_, some, others))


def _region_results(node: Node) -> list[Node]:
    """Return the results of the graphs that a control-flow node runs."""
    results = (result for region in regions(node) for result in region.results)
    return [result for result in results if isinstance(result, Node)]


def _attribute_identity(node: Node) -> int:
    """Return the identity of the graph or delegate that a `get_attr` node refers to."""
    return id(getattr(node.graph.owning_module, str(node.target), None))


def _layout_of(value: Any) -> Any:
    if isinstance(value, Tensor):
        return (value.dtype, *map(_size_key, value.shape), *map(_size_key, value.stride()))
    return (type(value), value.node.expr)


def _size_key(size: int | SymInt) -> Any:
    return size.node.expr if isinstance(size, SymInt) else size


def _check_value(node: Node) -> None:
    stated = node.meta.get("val")
    for computed in _compute_value(node):
        if computed is not _UNKNOWN and not _values_agree(stated, computed):
            raise EdgeDialectError(
                f"{node.target}: meta['val'] is {describe(stated)}, but the operator computes "
                f"{describe(computed)}; correct 'val', or write the pass as an ExportPass",
                node,
            )


def _compute_value(node: Node) -> list[Any]:
    """Return the value of `node`. Control flow has one for each possible graph."""
    if is_delegate_call(node):
        lowered = lowered_module_of(node)
        results = lowered.original_module.graph.output_node().args[0]
        vals = [value.meta["val"] for value in results]
        return [vals[0] if lowered.returns_one else vals]
    if regions(node):
        giving = [region for region in regions(node) if region.values]
        return [[values(region.results[i]) for i in region.values] for region in giving]
    try:
        return [_run_node(node)]
    except _NEED_DATA:
        return [_UNKNOWN]
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise EdgeDialectError(f"{node.target}: invalid operands: {reason}", node) from error


@contextmanager
def _fake_execution(fake_mode: FakeTensorMode) -> Iterator[None]:
    with torch.no_grad(), enable_python_dispatcher(), fake_mode, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if fake_mode.shape_env is None:
            yield
        else:
            with fake_mode.shape_env.ignore_fresh_unbacked_symbols():
                yield


def _run_node(node: Node) -> Any:
    args, kwargs = values((node.args, node.kwargs))
    op = to_torch_overload(node.target)
    if op is not None:
        return _UNKNOWN if _ONLY_AT_RUN_TIME & set(op.tags) else _run_operator(op, args, kwargs)
    if node.target is memory.view:
        return run_copying(torch.ops.aten.view.default, args, kwargs)
    if node.target is operator.getitem or node.target in SYMBOLIC:
        return node.target(*args)
    return _UNKNOWN


def _run_operator(op: OpOverload, args: Any, kwargs: Any) -> Any:
    """Run `op` without writing to existing tensors."""
    if not is_in_place(op):
        return run_copying(view_form(op), args, kwargs)
    functional = functional_form(op)
    if functional is not None:
        return functional(*args, **kwargs)
    arguments = bind_arguments(op, args, kwargs)
    for name in written_arguments(op):
        arguments[name] = tree_map(torch.empty_like, arguments[name])
    return op(**arguments)


def _values_agree(stated: Any, computed: Any) -> bool:
    if isinstance(computed, (list, tuple)):
        is_list = isinstance(stated, (list, tuple)) and len(stated) == len(computed)
        return is_list and all(map(_values_agree, stated, computed))
    if isinstance(computed, Tensor):
        return isinstance(stated, Tensor) and _same_tensor(stated, computed)
    if isinstance(computed, (int, SymInt)) and isinstance(stated, (int, SymInt)):
        return statically_known_true(stated == computed)
    return True


def _same_tensor(stated: Tensor, computed: Tensor) -> bool:
    if stated.dtype != computed.dtype or stated.dim() != computed.dim():
        return False
    if dim_order(stated) != dim_order(computed):
        return False
    return all(map(_same_size, stated.shape, computed.shape))


def _same_size(stated: int | SymInt, computed: int | SymInt) -> bool:
    """Return whether two sizes are equal.

    Fake operators replace a size by 1 if it is 1 in the example, so `stated` may be more general.
    """
    # Comparing a SymInt would add a guard.
    is_one = type(computed) is int and computed == 1
    is_one_in_example = isinstance(stated, SymInt) and stated.node.has_hint() and stated.node.hint == 1
    return (is_one and is_one_in_example) or statically_known_true(stated == computed)


def describe(value: Any) -> str:
    """Return dtype, sizes and non-contiguous dim order of `value`, for messages."""
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join(map(describe, value)) + ")"
    if not isinstance(value, Tensor):
        return str(value)
    sizes = f"{str(value.dtype).removeprefix('torch.')}[{', '.join(map(str, value.shape))}]"
    order = dim_order(value)
    if order is None or order == tuple(range(value.dim())):
        return sizes
    return f"{sizes} in dim order {list(order)}"

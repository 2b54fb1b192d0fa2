"""Decomposes and functionalizes a graph, and turns views into copies, in one walk."""

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import torch
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorMode,
    UnsupportedOperatorException,
)
from torch.fx import Graph, GraphModule, Node
from torch.fx.experimental.symbolic_shapes import rebind_unbacked

from exir.decomposition.counting import bincount_for_users
from exir.decomposition.decompositions import Decompositions
from exir.decomposition.functionalize import WriteTracker
from exir.decomposition.record import OperatorRecorder
from exir.decomposition.region_layouts import fit_results, placeholder_values, returned_values
from exir.decomposition.resizing import UINT8_RESIZING
from exir.decomposition.result_bounds import Ranges, ranges_of_result
from exir.dialects.edge import to_torch_overload
from exir.error import NotLocal, UnsupportedOperatorError
from exir.graph.control_flow import Region, regions, results_of
from exir.graph.graph_builder import GraphBuilder, values
from exir.graph.layouts import same_layout
from exir.graph.value_map import ValueMap
from exir.graph.variants import IDENTITIES, functional_form, is_view, run_copying

_ATEN = torch.ops.aten
# Assertions that hold after the export; no node depends on them.
_ASSERTIONS = frozenset(
    {
        _ATEN._assert_async.default,
        _ATEN._assert_async.msg,
        _ATEN._assert_scalar.default,
        _ATEN._assert_tensor_metadata.default,
        _ATEN.sym_constrain_range.default,
        _ATEN.sym_constrain_range_for_size.default,
    }
)
# The results have symbols already: a decomposition would create new ones.
_OTHER_NAMES = {
    _ATEN.argwhere.default: _ATEN.nonzero.default,
    _ATEN.item.default: _ATEN._local_scalar_dense.default,
}
_WITHOUT_SIZES = (
    DataDependentOutputException,
    DynamicOutputShapeException,
    UnsupportedOperatorException,
)
_ONLY_AT_RUN_TIME = frozenset({torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape})


@dataclass(frozen=True)
class Rewritten:
    """A graph of edge operators.

    submodules: the modules that its `get_attr` nodes read.
    mutations: the last value written to each mutated placeholder, by name.
    ranges: the ranges of data-dependent sizes that were not known before.
    """

    graph: Graph
    submodules: dict[str, Any]
    mutations: dict[str, Node]
    ranges: Ranges


def _decomposition_of(op: OpOverload, node: Node) -> Callable[..., Any] | None:
    """Return a decomposition that depends on the call's dtype or users, or None."""
    if op is not node.target:
        return None
    if op is _ATEN.bincount.default:
        return bincount_for_users(node)
    if op in UINT8_RESIZING and node.args[0].meta["val"].dtype is torch.uint8:
        return UINT8_RESIZING[op]
    return None


class GraphRewriter:
    """Rewrites a graph module into an equivalent graph of edge operators.

    vals: values of placeholders that differ from `source`, by node of `source`.

    Nodes that are created from one node share its source line and debug handle. Raises `NotLocal` if an
    operator cannot be rewritten separately.
    """

    def __init__(
        self,
        source: GraphModule,
        fake_mode: FakeTensorMode,
        decompositions: Decompositions,
        debug_handles: Iterator[int] | None = None,
        vals: Mapping[Node, Any] | None = None,
    ) -> None:
        self._debug_handles = debug_handles or count(1)
        self._given = vals or {}
        self._source = source
        self._fake_mode = fake_mode
        self._decompositions = decompositions
        self._builder = GraphBuilder(fake_mode)
        self._values = ValueMap()
        self._writes = WriteTracker(source.graph, self._values, self._builder)
        self._ranges: Ranges = {}
        self._recorder = OperatorRecorder(self._builder, fake_mode, decompositions, self._ranges)
        self._submodules: dict[str, Any] = {}
        self._handlers: Mapping[str, Callable[[Node], None]] = {
            "placeholder": self._copy_placeholder,
            "get_attr": self._get_attr,
            "call_function": self._call_function,
            "output": self._copy_output,
        }

    def run(self) -> Rewritten:
        """Return the new graph."""
        for node in self._source.graph.nodes:
            self._builder.begin(node, next(self._debug_handles))
            self._rewrite_node(node)
        written = set(self._writes.mutations.values())
        self._builder.graph.eliminate_dead_code(lambda n: n in written or n.is_impure())
        mutations = {placeholder.name: node for placeholder, node in self._writes.mutations.items()}
        return Rewritten(self._builder.graph, self._submodules, mutations, self._ranges)

    def _rewrite_node(self, node: Node) -> None:
        try:
            self._handlers[node.op](node)
        except NotLocal as reason:
            raise reason if reason.node_name else NotLocal(reason.message, node) from reason
        except _WITHOUT_SIZES as reason:
            raise UnsupportedOperatorError(
                f"{node.target}: torch cannot compute the sizes of {reason}; make the sizes of its "
                "operands static, or use other operators",
                node,
            ) from reason

    def _copy_placeholder(self, node: Node) -> None:
        new = self._builder.graph.node_copy(node)
        if node in self._given:
            new.meta["val"] = self._given[node]
        self._builder.sizes.learn(new)
        self._writes.add_input(new)
        self._values.bind(node, new)

    def _get_attr(self, node: Node) -> None:
        self._submodules[node.target] = getattr(self._source, node.target)
        self._values.bind(node, self._builder.graph.node_copy(node))

    def _copy_output(self, node: Node) -> None:
        new = self._builder.graph.output(self._values.translated(node.args[0]))
        new.meta = dict(node.meta)

    def _call_function(self, node: Node) -> None:
        if node.target in _ASSERTIONS:
            return
        self._values.bind(node, self._output_value(node))

    def _output_value(self, node: Node) -> Any:
        args, kwargs = self._values.translated((node.args, node.kwargs))
        if node.target is operator.getitem:
            return self._get_item(*args)
        op = to_torch_overload(node.target)
        if op is None:
            return self._builder.append(node.target, args, kwargs, self._control_flow(node))
        if op._schema.is_mutable:
            return self._functionalize_write(op, node, args, kwargs)
        return self._apply_op(op, args, kwargs, node)

    def _control_flow(self, node: Node) -> Any:
        """Rewrite the graphs of `node` for the rewritten operands; return the results."""
        returned: Any = node.meta.get("val")
        for position, region in enumerate(regions(node)):
            operands = values(self._values.translated(region.operands))
            branch = self._rewritten_branch(region, operands, node)
            if position == 0:
                results = values(results_of(branch.graph))
                returned = returned_values(region, returned, operands, results)
            fit_results(region, branch.graph, returned)
            self._submodules[region.holder.target] = GraphModule(branch.submodules, branch.graph)
        return returned

    def _rewritten_branch(self, region: Region, operands: Any, node: Node) -> Rewritten:
        vals = placeholder_values(region, operands)
        rewritten = GraphRewriter(
            region.graph_module,
            self._fake_mode,
            self._decompositions,
            self._debug_handles,
            vals,
        ).run()
        if rewritten.mutations:
            raise NotLocal("a branch writes to its inputs", node)
        self._ranges.update(rewritten.ranges)
        return rewritten

    def _get_item(self, source: Any, index: int) -> Any:
        is_node = isinstance(source, Node)
        return self._builder.append_item(source, index) if is_node else source[index]

    def _apply_op(self, op: OpOverload, args: Any, kwargs: dict[str, Any], node: Node) -> Any:
        if op in IDENTITIES:
            return args[0]
        if op in _OTHER_NAMES:
            self._ranges.update(ranges_of_result(_OTHER_NAMES[op], args, node.meta["val"]))
            return self._builder.append(_OTHER_NAMES[op], args, kwargs, node.meta["val"])
        form = _decomposition_of(op, node)
        if form is not None:
            return self._recorder.expand(op, args, kwargs, form)
        if self._decompositions.apply_to(op, node):
            return self._expand(op, args, kwargs, node)
        return self._builder.append(op, args, kwargs, self._exported_value(op, args, kwargs, node))

    def _expand(self, op: OpOverload, args: Any, kwargs: dict[str, Any], node: Node) -> Any:
        """Append the decomposition of `op`.

        Data-dependent sizes keep the symbols of `node`, and therefore their bounds.
        """
        result = self._recorder.expand(op, args, kwargs)
        if op is node.target:
            self._ranges.update(ranges_of_result(op, args, node.meta.get("val")))
            rebind_unbacked(self._fake_mode.shape_env, node, values(result))
        return result

    def _exported_value(self, op: OpOverload, args: Any, kwargs: dict[str, Any], node: Node) -> Any:
        """Return the exported value of `node` if it is still valid.

        Computing values is slow.
        """
        known = node.meta.get("val")
        is_exported = op is node.target and not is_view(op) and self._inputs_unchanged(node)
        self._ranges.update(ranges_of_result(op, args, known))
        if is_exported or _ONLY_AT_RUN_TIME & set(op.tags):
            return known
        arguments = values((args, kwargs))
        with torch.no_grad(), self._fake_mode:
            val = run_copying(op, *arguments)
        return known if same_layout(val, known) else val

    def _inputs_unchanged(self, node: Node) -> bool:
        now = (self._values[source] for source in node.all_input_nodes)
        return all(
            isinstance(new, Node) and new.meta.get("val") is old.meta.get("val")
            for old, new in zip(node.all_input_nodes, now)
        )

    def _functionalize_write(
        self, op: OpOverload, node: Node, args: Any, kwargs: dict[str, Any]
    ) -> Node:
        form, target = functional_form(op), args[0]
        if form is None or not isinstance(target, Node):
            raise NotLocal(f"{op} has no functional variant", node)
        affected = self._writes.affected(node, target)
        result = self._keep_dtype(self._apply_op(form, args, kwargs, node), target)
        self._writes.commit(affected, result)
        return result

    def _keep_dtype(self, result: Node, target: Node) -> Node:
        dtype = target.meta["val"].dtype
        if result.meta["val"].dtype == dtype:
            return result
        with self._fake_mode:
            val = result.meta["val"].to(dtype)
        return self._builder.append(_ATEN._to_copy.default, (result,), {"dtype": dtype}, val)

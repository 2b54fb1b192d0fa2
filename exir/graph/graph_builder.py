"""Builds a graph of edge operators."""

import operator
from typing import Any

import torch
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Graph, Node
from torch.fx.node import map_arg
from torch.fx.traceback import NodeSource, NodeSourceAction

from exir.dialects.edge import edge_op
from exir.graph.alias import AliasSets, View
from exir.graph.symbols import SymbolicSizes
from exir.graph.variants import copy_form, is_view, run_copying

# Metadata that describes the value of a node, not its origin.
_OF_THE_VALUE = ("val", "tensor_meta", "unbacked_bindings", "mem_id")


def inherited_meta(source: Node) -> dict[str, Any]:
    """Return the metadata of `source` that derived nodes share: its origin."""
    return {key: value for key, value in source.meta.items() if key not in _OF_THE_VALUE}


def _source_of(node: Node) -> NodeSource:
    """Return `node` as the origin of another node; its own origins are shared."""
    source = NodeSource(None, "to_edge", NodeSourceAction.CREATE)
    source.node_info = NodeSource.NodeInfo(node.name, str(node.target), id(node.graph))
    source.from_node = node.meta.get("from_node", [])
    return source


class GraphBuilder:
    """Appends operators in order to a new graph.

    Views are appended as copies. `aliases` records which values shared memory.
    """

    def __init__(self, fake_mode: FakeTensorMode) -> None:
        self._fake_mode = fake_mode
        self.graph = Graph()
        self.aliases = AliasSets()
        self.sizes = SymbolicSizes(self.graph)
        self.source: Node | None = None
        self._origin: dict[str, Any] = {}

    def begin(self, source: Node, debug_handle: int) -> None:
        """Set the origin of subsequent nodes to `source`, a node of the original graph."""
        self.source = source
        origin = {"debug_handle": debug_handle, "from_node": [_source_of(source)]}
        self._origin = {**inherited_meta(source), **origin}

    def append(self, target: Any, args: Any, kwargs: dict[str, Any], val: Any) -> Node:
        """Append a call of `target`, an ATen operator or a callable, with the value `val`."""
        called = edge_op(copy_form(target)) if isinstance(target, OpOverload) else target
        node = self.graph.call_function(called, args, kwargs)
        self._set_metadata(node, val)
        if isinstance(target, OpOverload) and is_view(target):
            op = None if kwargs else target
            self.aliases.join(node, View(node.all_input_nodes[0], op, tuple(args[1:])))
        return node

    def call(self, op: OpOverload, args: tuple[Any, ...]) -> Node:
        """Append a call of `op`, and compute its value."""
        with torch.no_grad(), self._fake_mode:
            val = run_copying(op, values(args), {})
        return self.append(op, args, {}, val)

    def append_item(self, node: Node, index: int) -> Node:
        """Append item `index` of `node`, which has several values."""
        item = self.append(operator.getitem, (node, index), {}, node.meta["val"][index])
        if self.aliases.view(node) is not None:
            self.aliases.join(item, View(node))
        return item

    def _set_metadata(self, node: Node, val: Any) -> None:
        node.meta = {**self._origin, "val": val}
        self.sizes.learn(node)


def values(arguments: Any) -> Any:
    """Replace each node in `arguments` with its value."""
    return map_arg(arguments, lambda node: node.meta["val"])

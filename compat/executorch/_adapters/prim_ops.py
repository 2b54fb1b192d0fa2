"""Arithmetic on sizes as backend operators: `ops.backend.executorch_prim`."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassBase, PassResult
from torch.library import Library

from executorch._adapters.dialects import ops
from exir.graph.control_flow import graphs

_BINARY: Mapping[Callable[..., Any], str] = {
    operator.add: "add",
    operator.sub: "sub",
    operator.mul: "mul",
    operator.floordiv: "floordiv",
    operator.truediv: "truediv",
    operator.mod: "mod",
    operator.gt: "gt",
    operator.lt: "lt",
    operator.ge: "ge",
    operator.le: "le",
    operator.eq: "eq",
}
_BOOLEANS = ("gt", "lt", "ge", "le", "eq")


def _register_prim_ops() -> Library:
    library = Library("executorch_prim", "FRAGMENT")
    for function, name in _BINARY.items():
        library.define(f"{name}.Scalar(Scalar a, Scalar b) -> {'bool' if name in _BOOLEANS else 'Scalar'}")
        library.impl(f"{name}.Scalar", function, "CompositeExplicitAutograd")
    return library


_LIBRARY = _register_prim_ops()


class EdgeToBackendOpsPass(PassBase):
    """Replace Python's arithmetic on sizes with operators."""

    def call(self, graph_module: GraphModule) -> PassResult:
        """Replace in all graphs."""
        changed = False
        for subgraph in graphs(graph_module):
            for node in subgraph.graph.nodes:
                if node.op == "call_function" and node.target in _BINARY:
                    node.target = getattr(ops.backend.executorch_prim, _BINARY[node.target]).Scalar
                    changed = True
            subgraph.recompile()
        return PassResult(graph_module, changed)

"""The verifier of the edge dialect."""

from typing import TYPE_CHECKING, Any

import torch
from torch._export.verifier import Verifier
from torch._ops import HigherOrderOperator, OpOverload
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from exir.decomposition import compile_time
from exir.dialects.edge import EdgeOpOverload, to_torch_overload
from exir.error import EdgeDialectError, UnsupportedOperatorError
from exir.graph.control_flow import graphs
from exir.operators.properties_of import is_in_edge_dialect
from exir.verification.advice import called_on, replacement_for
from exir.verification.dtypes import check_dtypes
from exir.verification.structure import check_node, check_tensor_operands

if TYPE_CHECKING:
    from exir.capture.edge_config import EdgeCompileConfig


# Operators that `torch.export` emits for modules in training mode.
_OF_TRAINING = frozenset({torch.ops.aten._native_batch_norm_legit_functional.default})


class EXIREdgeDialectVerifier(Verifier):
    """Checks that a program or graph module is in the edge dialect.

    A call raises an `EdgeDialectError` or `UnsupportedOperatorError` that names the node and its
    source line. It checks that

    - operators are in the edge dialect, functional and, if ATen, core;
    - arguments match the schema;
    - nodes have value metadata;
    - the operator allows the dtypes.

    edge_compile_config: its exceptions and preserved operators need not be core ATen.
    """

    dialect = "EDGE"

    def __init__(self, edge_compile_config: "EdgeCompileConfig | None" = None) -> None:
        config = edge_compile_config
        also = [*config._core_aten_ops_exception_list, *config.preserve_ops] if config else []
        self._exceptions = frozenset(also)

    def __call__(self, program: ExportedProgram | GraphModule) -> None:
        """Raise an error unless `program` is in the edge dialect."""
        top = program.graph_module if isinstance(program, ExportedProgram) else program
        for graph_module in graphs(top):
            for node in graph_module.graph.nodes:
                self._check_node(node)

    def is_valid(self, graph_module: GraphModule) -> bool:
        """Return whether `graph_module` is in the edge dialect."""
        try:
            self(graph_module)
        except (EdgeDialectError, UnsupportedOperatorError):
            return False
        return True

    def _check_node(self, node: Node) -> None:
        operands = check_node(node)
        if isinstance(node.target, EdgeOpOverload):
            self.check_is_core(node)
            check_tensor_operands(node, operands)
            check_dtypes(node, operands)

    def check_is_core(self, node: Node) -> None:
        """Raise `UnsupportedOperatorError` if `node` calls a non-core ATen operator."""
        op = to_torch_overload(node.target)
        if op is not None and op not in self._exceptions and not is_in_edge_dialect(op):
            raise UnsupportedOperatorError(
                f"{op}{called_on(node)} has no kernel and no decomposition; {_advice_for(op, node)}",
                node,
            )

    def allowed_op_types(self) -> tuple[type[Any], ...]:
        """The target types that `torch.export.ExportedProgram` accepts in its constructor."""
        return (EdgeOpOverload, OpOverload, HigherOrderOperator)


def _advice_for(op: OpOverload, node: Node) -> str:
    if op in _OF_TRAINING:
        return (
            "it is batch norm in training mode: call eval() on the model before torch.export; pass "
            "training=False to F.batch_norm, and use_input_stats=False to F.instance_norm, or no "
            "running statistics"
        )
    value = node.meta["val"]
    if not node.all_input_nodes and isinstance(value, torch.Tensor) and value.layout is torch.strided:
        return (
            f"its value has {value.nbytes} bytes, but only values of at most "
            f"{compile_time.MAX_VALUE_BYTES} bytes are evaluated at compile time; pass the tensor as "
            "an input"
        )
    return replacement_for(op.name())


def verify_structure(program: ExportedProgram) -> None:
    """Check the rules of the edge dialect that also hold during lowering to it."""
    for graph_module in graphs(program.graph_module):
        for node in graph_module.graph.nodes:
            check_node(node)

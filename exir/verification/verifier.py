"""The verifier of the edge dialect."""

from typing import Any

from torch._export.verifier import Verifier
from torch._ops import HigherOrderOperator, OpOverload
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from exir.dialects.edge import EdgeOpOverload, to_torch_overload
from exir.error import EdgeDialectError
from exir.verification.dtypes import check_dtypes
from exir.verification.structure import check_node, check_tensor_operands, graphs


class EXIREdgeDialectVerifier(Verifier):
    """Checks that a program or graph module is of the edge dialect.

    Call it: it raises `EdgeDialectError` that names the node and its source line.
    Checked are: operators are of the edge dialect and functional, arguments follow the
    schema, values are described, dtypes are those that the operator allows.

    except_dtypes_of: operators whose operands' dtypes are not checked.
    """

    dialect = "EDGE"

    def __init__(self, except_dtypes_of: frozenset[OpOverload] = frozenset()) -> None:
        self._except_dtypes_of = except_dtypes_of

    def __call__(self, given: ExportedProgram | GraphModule) -> None:
        """Raise `EdgeDialectError` unless `given` is of the edge dialect."""
        top = given.graph_module if isinstance(given, ExportedProgram) else given
        for graph_module in graphs(top):
            for node in graph_module.graph.nodes:
                self._check(node)

    def is_valid(self, graph_module: GraphModule) -> bool:
        """Whether `graph_module` is of the edge dialect."""
        try:
            self(graph_module)
        except EdgeDialectError:
            return False
        return True

    def _check(self, node: Node) -> None:
        operands = check_node(node)
        check_tensor_operands(node, operands)
        if node.op == "call_function" and isinstance(node.target, EdgeOpOverload):
            if to_torch_overload(node.target) not in self._except_dtypes_of:
                check_dtypes(node, operands)

    def allowed_op_types(self) -> tuple[type[Any], ...]:
        """Types of targets that `torch.export.ExportedProgram` accepts when it is made."""
        return (EdgeOpOverload, OpOverload, HigherOrderOperator)


def verify_structure(program: ExportedProgram) -> None:
    """The part of the edge dialect's checks that also holds while a program is being lowered to it."""
    for graph_module in graphs(program.graph_module):
        for node in graph_module.graph.nodes:
            check_node(node)

"""Check dtypes while a graph runs, and read the values of an emitted program."""

from typing import Any

import numpy as np
import torch
from torch._ops import OpOverload
from torch.fx import GraphModule, Interpreter, Node

from executorch._adapters.operators import get_op_overload
from exir import schema
from exir.capture import EdgeCompileConfig
from exir.dialects.edge import EdgeOpOverload, to_torch_overload
from exir.error import EdgeDialectError
from exir.tensor import dtype_of
from exir.verification import verifier
from exir.verification.dtypes import check_dtypes


class EXIREdgeDialectVerifier(verifier.EXIREdgeDialectVerifier):
    """`verifier.EXIREdgeDialectVerifier` that also checks memory formats.

    If `edge_compile_config` has `_skip_dim_order`, operators must use memory formats, otherwise dim orders.
    """

    dialect = "EDGE_WITH_MEMORY_FORMATS"

    def __init__(self, edge_compile_config: EdgeCompileConfig | None = None) -> None:
        super().__init__(edge_compile_config)
        self._names_formats = edge_compile_config is not None and edge_compile_config._skip_dim_order

    def _check_node(self, node: Node) -> None:
        super()._check_node(node)
        op = to_torch_overload(node.target)
        wrong = op in _NAMING_FORMATS if not self._names_formats else op is not None and op.namespace == "dim_order_ops"
        if wrong:
            raise EdgeDialectError(f"{op} is not valid with _skip_dim_order={self._names_formats}", node)

    def check_valid_edge_op(self, op: Any) -> None:
        """Raise an error unless `op` is an edge operator."""
        if not isinstance(op, EdgeOpOverload):
            raise EdgeDialectError(f"{op} is not an edge operator")

    def check_valid_op(self, op: Any) -> None:
        """Raise an error unless `op` is allowed in an edge program."""
        if not isinstance(op, self.allowed_op_types()):
            raise EdgeDialectError(f"{op} is not allowed in an edge program")


_NAMING_FORMATS = (torch.ops.aten._to_copy.default, torch.ops.aten.clone.default, torch.ops.aten.empty.memory_format)


class EdgeOpArgValidator(Interpreter):
    """Run a graph and collect calls of edge operators with invalid dtypes.

    `violating_ops` maps an operator to the dtypes of each such call, by argument name; results are `__ret_0`,
    ….
    """

    def __init__(self, graph_module: GraphModule) -> None:
        super().__init__(graph_module)
        self.violating_ops: dict[EdgeOpOverload, list[dict[str, torch.dtype]]] = {}

    def run_node(self, n: Node) -> Any:
        """Run one node and check its dtypes."""
        if isinstance(n.target, EdgeOpOverload) and not _has_allowed_dtypes(n):
            self.violating_ops.setdefault(n.target, []).append(_dtypes_of(n))
        return super().run_node(n)


def _has_allowed_dtypes(node: Node) -> bool:
    try:
        check_dtypes(node, _operand_values(node))
    except EdgeDialectError:
        return False
    return True


def _operand_values(node: Node) -> dict[str, Any]:
    names = [argument.name for argument in node.target._schema.arguments]
    return {**dict(zip(names, node.args)), **node.kwargs}


def _dtypes_of(node: Node) -> dict[str, torch.dtype]:
    results = node.meta["val"] if isinstance(node.meta["val"], (list, tuple)) else [node.meta["val"]]
    values = {name: operand.meta["val"] for name, operand in _operand_values(node).items() if isinstance(operand, Node)}
    values |= {f"__ret_{index}": result for index, result in enumerate(results)}
    return {name: value.dtype for name, value in values.items() if isinstance(value, torch.Tensor)}


class ProgramValues:
    """The values of a program's first method."""

    def __init__(self, program: schema.Program) -> None:
        self.program = program
        self.execution_plan = program.execution_plan[0]
        self._values: list[Any] = [None] * len(self.execution_plan.values)

    def get_value_list(self) -> list[Any]:
        """Return the loaded values; None for others."""
        return self._values

    def get_operators_list(self) -> list[OpOverload]:
        """Return the operators that the method calls."""
        return [
            get_op_overload(str(operator_.name), operator_.overload or "")
            for operator_ in self.execution_plan.operators
        ]

    def get_constant_tensors(self) -> list[schema.Tensor]:
        """Return the tensors whose data is in the program."""
        tensors = (value.val for value in self.execution_plan.values)
        return [tensor for tensor in tensors if isinstance(tensor, schema.Tensor) and tensor.data_buffer_idx > 0]

    def load_value(self, idx: int) -> None:
        """Load one value."""
        self._values[idx] = self._read_value(self.execution_plan.values[idx].val)

    def _read_value(self, value: Any) -> Any:
        if isinstance(value, schema.Tensor):
            return self._read_tensor(value)
        if isinstance(value, schema.IntList):
            return [self._read_value(self.execution_plan.values[index].val) for index in value.items]
        content = list(vars(value).values())
        return content[0] if content else None

    def _read_tensor(self, tensor: schema.Tensor) -> torch.Tensor:
        data = bytes(self.program.constant_buffer[tensor.data_buffer_idx].storage)
        flat = torch.from_numpy(np.frombuffer(data, np.uint8).copy()).view(dtype_of(tensor.scalar_type))
        in_order = flat.reshape([tensor.sizes[dim] for dim in tensor.dim_order])
        return in_order.permute([tensor.dim_order.index(dim) for dim in range(len(tensor.sizes))])

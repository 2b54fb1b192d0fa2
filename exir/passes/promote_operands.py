"""Makes implicit conversions of operands explicit."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch
from torch import SymBool, SymFloat, SymInt, Tensor
from torch._ops import OpOverload
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND as Kind
from torch._prims_common import elementwise_dtypes
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import ExportedProgram
from torch.fx import Node

from exir.dialects.edge import EdgeOpOverload
from exir.graph.constants import ConstantTable
from exir.graph.control_flow import graphs
from exir.graph.edit import insert_before
from exir.graph.fake_mode import fake_mode_of
from exir.operators.properties_of import is_factor, properties_of
from exir.pass_manager import ProgramPass

_ATEN = torch.ops.aten
_Number = (bool, int, float, complex)
_Symbolic = (SymBool, SymInt, SymFloat)
_LIFTED = "_lifted_tensor_constant"
_KINDS = {"default": Kind.DEFAULT, "int_to_float": Kind.INT_TO_FLOAT}


@dataclass(frozen=True)
class PromoteOperands(ProgramPass):
    """Makes PyTorch's implicit conversions explicit.

    Before: the edge dialect, which allows scalars in place of tensors. After: every operand
    that the schema declares as a tensor is a tensor, and the operands of an elementwise operator have
    one dtype. Exception: a zero-dimensional factor or divisor of a float16 or bfloat16 tensor with
    dimensions has dtype float32, because PyTorch does not round it. Scalars become zero-dimensional
    lifted constants, one for each value and dtype. In the branches of control flow, where constants
    cannot be lifted, they become `full` operators.
    """

    name: ClassVar[str] = "promote_operands"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        fake_mode = fake_mode_of(program.graph)
        constants = ConstantTable(program, fake_mode)
        for graph_module in graphs(program.graph_module):
            lifting = constants if graph_module is program.graph_module else None
            promoter = _OperandPromoter(fake_mode, lifting)
            for node in list(graph_module.graph.nodes):
                promoter.visit(node)
        return program


@dataclass
class _OperandPromoter:
    """Converts the operands of one graph's nodes.

    constants: the table that scalars are lifted to; None inside a branch.
    """

    fake_mode: FakeTensorMode
    constants: ConstantTable | None
    lifted: dict[tuple[str, torch.dtype], Node] = field(default_factory=dict)

    def visit(self, node: Node) -> None:
        if not isinstance(node.target, EdgeOpOverload):
            return
        op = node.target._op
        arguments = op._schema.arguments[: len(node.args)]
        slots = [i for i, argument in enumerate(arguments) if argument.type.kind() == "TensorType"]
        operands = [i for i in slots if arguments[i].name in properties_of(op).promoted]
        dtype = self._common_dtype(op, [node.args[i] for i in operands])
        are_single = not any(_operand_rank(node.args[i]) for i in operands)
        for index in slots:
            target_dtype = (
                self._operand_dtype(node, index, dtype, are_single) if index in operands else None
            )
            self._convert_operand(node, index, target_dtype)

    def _operand_dtype(
        self, node: Node, index: int, common: torch.dtype | None, are_single: bool
    ) -> torch.dtype | None:
        """Return the dtype of an operand of an operator that computes in `common`.

        If all operands are zero-dimensional, the dtype is `common`.
        """
        val = _value_of(node.args[index])
        if are_single or (isinstance(val, Tensor) and val.dtype == common):
            return common
        op = node.target._op
        name = op._schema.arguments[index].name
        return torch.float32 if is_factor(op, name, _operand_rank(node.args[index]), common) else common

    def _common_dtype(self, op: OpOverload, operands: list[Any]) -> torch.dtype | None:
        if not operands:
            return None
        vals = [_value_of(operand) for operand in operands]
        promotion = properties_of(op).promotion
        if promotion == "first":
            first: torch.dtype = vals[0].dtype
            return first
        with self.fake_mode:
            return elementwise_dtypes(*vals, type_promotion_kind=_KINDS[promotion])[1]

    def _convert_operand(self, node: Node, index: int, dtype: torch.dtype | None) -> None:
        operand = node.args[index]
        val = _value_of(operand)
        if isinstance(val, Tensor):
            if dtype is not None and val.dtype != dtype:
                node.update_arg(index, self._insert_call(node, _ATEN._to_copy.default, operand, dtype))
        elif isinstance(val, _Symbolic):
            dtype = dtype or _default_dtype(val)
            node.update_arg(index, self._insert_call(node, _ATEN.scalar_tensor.default, operand, dtype))
        elif isinstance(val, _Number):
            node.update_arg(index, self._lift_scalar(node, val, dtype or _default_dtype(val)))

    def _insert_call(self, node: Node, op: OpOverload, operand: Node, dtype: torch.dtype) -> Node:
        return insert_before(node, op, (operand,), {"dtype": dtype}, self.fake_mode)

    def _lift_scalar(self, node: Node, number: complex, dtype: torch.dtype) -> Node:
        if self.constants is None:
            return self._full_tensor(node, number, dtype)
        tensor = torch.tensor(number, dtype=dtype)
        key = (repr(tensor.item()), dtype)
        if key not in self.lifted:
            name = f"{_LIFTED}{len(self.lifted)}"
            self.lifted[key] = self.constants.add(name, tensor)
        return self.lifted[key]

    def _full_tensor(self, node: Node, number: complex, dtype: torch.dtype) -> Node:
        """Return a node that creates a tensor of `number`.

        A complex scalar is built from its parts, because programs store complex values only in tensors.
        """
        if not isinstance(number, complex):
            return insert_before(
                node, _ATEN.full.default, ([], number), {"dtype": dtype}, self.fake_mode
            )
        real = dtype.to_real()
        parts = [self._filled_row(node, value, real) for value in (number.real, number.imag)]
        both = insert_before(node, _ATEN.cat.default, (parts,), {}, self.fake_mode)
        return insert_before(node, _ATEN.view_as_complex_copy.default, (both,), {}, self.fake_mode)

    def _filled_row(self, node: Node, number: float, dtype: torch.dtype) -> Node:
        return insert_before(node, _ATEN.full.default, ([1], number), {"dtype": dtype}, self.fake_mode)


def _value_of(operand: Any) -> Any:
    return operand.meta["val"] if isinstance(operand, Node) else operand


def _operand_rank(operand: Any) -> int:
    val = _value_of(operand)
    return val.dim() if isinstance(val, Tensor) else 0


def _default_dtype(number: Any) -> torch.dtype:
    if isinstance(number, (bool, SymBool)):
        return torch.bool
    if isinstance(number, complex):
        return torch.complex64
    return torch.float32 if isinstance(number, (float, SymFloat)) else torch.int64

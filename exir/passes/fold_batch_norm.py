"""Folds batch norms into the preceding convolution or matrix multiplication."""

import operator
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from exir.dialects.edge import edge_op
from exir.graph.bodies import run_in_bodies
from exir.graph.constants import ConstantTable
from exir.graph.edit import replace_and_erase
from exir.graph.fake_mode import fake_mode_of
from exir.graph.norm_folding import Affine, affine_of, fold_constants, scale_kernel
from exir.pass_manager import ProgramPass

_ATEN = torch.ops.aten
_BATCH_NORM = edge_op(_ATEN._native_batch_norm_legit_no_training.default)
_CONVOLUTION = edge_op(_ATEN.convolution.default)
_ADDMM = edge_op(_ATEN.addmm.default)
_MM = edge_op(_ATEN.mm.default)


@dataclass(frozen=True)
class FoldBatchNorm(ProgramPass):
    """Folds an inference batch norm into the constant weight of its producer.

    Before: the edge dialect. After: no batch norm with constant statistics follows a convolution
    (transposed or not) or a matrix multiplication that has constant weights and no other user. This
    includes graphs of control flow. A weight or bias with another use keeps its value.
    `exir/graph/norm_folding.py` contains the formulas.
    """

    name: ClassVar[str] = "fold_batch_norm"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        _fold_in_graph(program)
        run_in_bodies(program, _fold_in_graph)
        return program


def _fold_in_graph(program: ExportedProgram) -> None:
    constants = ConstantTable(program, fake_mode_of(program.graph))
    for node in list(program.graph.nodes):
        if node.target is _BATCH_NORM:
            _fold_norm(node, constants)


def _fold_norm(norm: Node, constants: ConstantTable) -> None:
    producer, result = norm.args[0], _only_first_result(norm)
    affine = affine_of(norm.args[1:5], norm.args[6], constants)
    if affine is None or result is None or len(producer.users) != 1:
        return
    if producer.target is _CONVOLUTION:
        folded = _fold_into_convolution(producer, affine, constants)
    elif producer.target in (_ADDMM, _MM):
        folded = _fold_into_product(producer, affine, constants)
    else:
        return
    if folded:
        replace_and_erase(result, producer)
        norm.graph.erase_node(norm)


def _only_first_result(norm: Node) -> Node | None:
    users = list(norm.users)
    single = len(users) == 1 and users[0].target is operator.getitem and users[0].args[1] == 0
    return users[0] if single else None


def _fold_into_convolution(conv: Node, affine: Affine, constants: ConstantTable) -> bool:
    _, weight, bias, *_, transposed, _, groups = conv.args
    folded = fold_constants(
        weight, bias, affine, lambda w: scale_kernel(w, affine.scale, groups, transposed), constants
    )
    if folded is None:
        return False
    conv.update_arg(1, folded[0])
    conv.update_arg(2, folded[1])
    return True


def _fold_into_product(product: Node, affine: Affine, constants: ConstantTable) -> bool:
    *biases, rows, columns = product.args
    bias = biases[0] if biases else None
    if product.kwargs:
        return False
    folded = fold_constants(columns, bias, affine, lambda w: w * affine.scale, constants)
    if folded is None:
        return False
    product.target = _ADDMM
    product.args = (folded[1], rows, folded[0])
    return True

"""Batch norm is folded into the convolution or matrix product before it."""

import operator
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor
from torch.export import ExportedProgram
from torch.fx import Node

from exir.dialects.edge import edge_op
from exir.graph.bodies import run_in_bodies
from exir.graph.constants import ConstantTable
from exir.graph.edit import replace_and_erase
from exir.graph.fake_mode import fake_mode_of
from exir.graph.square_root import square_root
from exir.pass_manager import ProgramPass

_ATEN = torch.ops.aten
_BATCH_NORM = edge_op(_ATEN._native_batch_norm_legit_no_training.default)
_CONVOLUTION = edge_op(_ATEN.convolution.default)
_ADDMM = edge_op(_ATEN.addmm.default)
_MM = edge_op(_ATEN.mm.default)


@dataclass(frozen=True)
class FoldBatchNorm(ProgramPass):
    """Folds a batch norm of inference into the constant weight of the one operator that feeds it.

    Before: the edge dialect. After: no batch norm with constant statistics follows a convolution
    (transposed or not) or a matrix product that has constant weights and no other user, in graphs of control flow as well.

    With s = γ / √(σ² + ε), computed in float64 by correctly rounded operations so that every
    machine gets the same bits: W' = W · s over the output channels, b' = (b − μ) · s + β.
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
            _fold(node, constants)


@dataclass(frozen=True)
class _Affine:
    """A batch norm as y = scale · x + shift per channel, less the producer's bias."""

    mean: Tensor
    scale: Tensor
    beta: Tensor

    def bias(self, bias: Tensor | None) -> Tensor:
        """The bias that the producer has after folding, float64."""
        centred = -self.mean if bias is None else bias.double() - self.mean
        return centred * self.scale + self.beta


def _fold(norm: Node, constants: ConstantTable) -> None:
    producer, result = norm.args[0], _only_first_result(norm)
    affine = _affine(norm, constants)
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


def _affine(norm: Node, constants: ConstantTable) -> _Affine | None:
    gamma, beta, mean, variance = (constants.tensor(arg) for arg in norm.args[1:5])
    if mean is None or variance is None:
        return None
    if (gamma is None) != (norm.args[1] is None) or (beta is None) != (norm.args[2] is None):
        return None
    deviation = square_root(variance.double() + norm.args[6])
    scale = torch.ones_like(deviation) / deviation if gamma is None else gamma.double() / deviation
    return _Affine(mean.double(), scale, torch.zeros_like(scale) if beta is None else beta.double())


def _fold_into_convolution(conv: Node, affine: _Affine, constants: ConstantTable) -> bool:
    _, weight, bias, *_, transposed, _, groups = conv.args
    kernel, old_bias = constants.tensor(weight), constants.tensor(bias)
    if kernel is None or (bias is not None and old_bias is None):
        return False
    name = _bias_name(constants.name(weight))
    new_bias = affine.bias(old_bias).to(kernel.dtype)
    scaled = _scaled_kernel(kernel, affine.scale, groups, transposed)
    conv.update_arg(1, constants.with_value(weight, scaled))
    conv.update_arg(2, _bias_node(bias, name, new_bias, constants))
    return True


def _scaled_kernel(weight: Tensor, scale: Tensor, groups: int, transposed: bool) -> Tensor:
    """The kernel times the scale of its output channel.

    weight: [out, in/groups, ...], or transposed [in, out/groups, ...].
    """
    spatial = [1] * (weight.dim() - 2)
    if not transposed:
        return (weight.double() * scale.view(-1, 1, *spatial)).to(weight.dtype)
    grouped = weight.double().unflatten(0, (groups, -1))
    scaled = grouped * scale.view(groups, 1, -1, *spatial)
    return scaled.flatten(0, 1).to(weight.dtype)


def _fold_into_product(product: Node, affine: _Affine, constants: ConstantTable) -> bool:
    *biases, rows, columns = product.args
    bias = biases[0] if biases else None
    weight, old_bias = constants.tensor(columns), constants.tensor(bias)
    if product.kwargs or weight is None or (bias is not None and old_bias is None):
        return False
    name = _bias_name(constants.name(columns))
    new_bias = affine.bias(old_bias).to(weight.dtype)
    new_weight = constants.with_value(columns, (weight.double() * affine.scale).to(weight.dtype))
    product.target = _ADDMM
    product.args = (_bias_node(bias, name, new_bias, constants), rows, new_weight)
    return True


def _bias_node(old: Node | None, name: str, tensor: Tensor, constants: ConstantTable) -> Node:
    return constants.add(name, tensor) if old is None else constants.with_value(old, tensor)


def _bias_name(weight_name: str) -> str:
    return f"{weight_name.removesuffix('weight')}bias"

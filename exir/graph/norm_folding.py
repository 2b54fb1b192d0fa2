"""Folds an inference batch norm into its producer's constant weight and bias.

With s = γ / √(σ² + ε): W' = W · s over the output channels, b' = (b − μ) · s + β. All operations are in
float64 and correctly rounded, so every machine computes the same bits.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from exir.graph.constants import ConstantTable
from exir.graph.exact import square_root


@dataclass(frozen=True)
class Affine:
    """A batch norm with constant statistics: y = (x − mean) · scale + beta."""

    mean: Tensor
    scale: Tensor
    beta: Tensor

    def folded_bias(self, bias: Tensor | None) -> Tensor:
        """Return the producer's bias after folding, in float64."""
        centered = -self.mean if bias is None else bias.double() - self.mean
        return centered * self.scale + self.beta


def affine_of(operands: tuple[Any, ...], eps: float, constants: ConstantTable) -> Affine | None:
    """Return the batch norm of (gamma, beta, mean, variance); None if not constant."""
    gamma, beta, mean, variance = (constants.tensor(operand) for operand in operands)
    if mean is None or variance is None:
        return None
    if (gamma is None) != (operands[0] is None) or (beta is None) != (operands[1] is None):
        return None
    deviation = square_root(variance.double() + eps)
    scale = torch.ones_like(deviation) / deviation if gamma is None else gamma.double() / deviation
    return Affine(mean.double(), scale, torch.zeros_like(scale) if beta is None else beta.double())


def fold_constants(
    weight: Any, bias: Any, affine: Affine, scaled: Callable[[Tensor], Tensor], constants: ConstantTable
) -> tuple[Node, Node] | None:
    """Return new weight and bias nodes for the producer; None if one is not constant.

    scaled: multiplies a float64 weight by `affine.scale`, over its output channels.

    A constant with another use keeps its value, and the producer gets a new constant.
    """
    old_weight, old_bias = constants.tensor(weight), constants.tensor(bias)
    if old_weight is None or (bias is not None and old_bias is None):
        return None
    dtype, name = old_weight.dtype, constants.name(weight)
    new_bias = affine.folded_bias(old_bias).to(dtype)
    new_weight = constants.with_value(weight, scaled(old_weight.double()).to(dtype))
    if bias is None:
        return new_weight, constants.add(f"{name.removesuffix('weight')}bias", new_bias)
    return new_weight, constants.with_value(bias, new_bias)


def scale_kernel(kernel: Tensor, scale: Tensor, groups: int, transposed: bool) -> Tensor:
    """Multiply a convolution kernel by the scale of its output channels.

    kernel: [out, in/groups, ...], or transposed [in, out/groups, ...].
    """
    spatial = [1] * (kernel.dim() - 2)
    if not transposed:
        return kernel * scale.view(-1, 1, *spatial)
    grouped = kernel.unflatten(0, (groups, -1))
    return (grouped * scale.view(groups, 1, -1, *spatial)).flatten(0, 1)

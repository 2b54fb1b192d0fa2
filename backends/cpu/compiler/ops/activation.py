"""PyTorch implementations of the activation functions."""

import torch
import torch.nn.functional as F
from torch import Tensor

from backends.cpu.schema.records import Activation, ActivationFunction

_WITHOUT_PARAMETERS = {
    ActivationFunction.NONE: lambda x: x,
    ActivationFunction.GELU: F.gelu,
    ActivationFunction.GELU_TANH: lambda x: F.gelu(x, approximate="tanh"),
    ActivationFunction.SILU: F.silu,
    ActivationFunction.HARDSWISH: F.hardswish,
    ActivationFunction.SIGMOID: torch.sigmoid,
    ActivationFunction.TANH: torch.tanh,
    ActivationFunction.HARDSIGMOID: F.hardsigmoid,
}


def activate(activation: Activation, x: Tensor) -> Tensor:
    """Apply `activation` to each element of `x`."""
    match activation.function:
        case ActivationFunction.CLAMP:
            return x.clamp(activation.low, activation.high)
        case ActivationFunction.LEAKY_RELU:
            return F.leaky_relu(x, activation.low)
        case ActivationFunction.ELU:
            return F.elu(x, activation.low)
    return _WITHOUT_PARAMETERS[activation.function](x)

"""Quantized weights that every operator can read."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree
from torchao.quantization import IntxUnpackedToInt8Tensor


class ReadableWeight(IntxUnpackedToInt8Tensor):
    """A quantized weight that operators without a quantized form can read as float.

    torchao's tensor supports linear layers and embeddings. Models also read a weight in other ways, such
    as `x @ embedding.weight.T`. Such an operator computes with the dequantized weight.
    """

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        try:
            return super().__torch_function__(func, types, args, kwargs or {})
        except NotImplementedError:
            # torch.export has recorded the failed call, which is dead code.
            args, kwargs = pytree.tree_map_only(cls, cls.dequantize, (args, kwargs or {}))
            return func(*args, **kwargs)


# torchao slices the quantized values, and asserts that groups are whole.
del ReadableWeight._ATEN_OP_TABLE[ReadableWeight][torch.ops.aten.slice.Tensor]


def make_readable(module: nn.Module) -> None:
    """Replace the weight of `module`, which torchao has quantized."""
    weight: Tensor = module.weight
    assert isinstance(weight, IntxUnpackedToInt8Tensor)
    names = (*weight.tensor_data_names, *weight.tensor_attribute_names)
    readable = ReadableWeight(*(getattr(weight, name) for name in names))
    module.weight = nn.Parameter(readable, requires_grad=weight.requires_grad)

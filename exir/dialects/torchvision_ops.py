"""Out overloads of torchvision's operators that have kernels.

The kernels are in `//kernels/torchvision`. Torchvision itself registers the functional operators.
"""

import torch
from torch import Tensor
from torch.library import Library

from exir.operators.operators import builtin_operators

_NAMESPACE = "torchvision"
_LIBRARY = Library(_NAMESPACE, "FRAGMENT")


def _define_out_overload(name: str) -> None:
    """Define the operator's out overload, which copies the functional result."""
    schema = builtin_operators()[f"{_NAMESPACE}::{name}.out"].schema

    def run(*arguments: object, out: Tensor) -> Tensor:
        result = getattr(torch.ops.torchvision, name).default(*arguments)
        return out.resize_(result.shape).copy_(result)

    _LIBRARY.define(f"{name}.out{schema}")
    _LIBRARY.impl(f"{name}.out", run, "CompositeExplicitAutograd")


for _name in ("nms", "roi_align"):
    _define_out_overload(_name)

"""Square roots of constants that every machine computes alike.

`torch.sqrt` runs MKL's vector loops: they refine the processor's estimate, which differs between makers, and are off by a
last bit for one value in seven. numpy's are the processor's own square roots, which the standard defines to the bit.
"""

import numpy
import torch
from torch import Tensor


def square_root(values: Tensor) -> Tensor:
    """`torch.sqrt(values)`, correctly rounded; of integers in float32."""
    wide = values.detach() if values.dtype == torch.float64 else values.detach().float()
    roots = torch.empty_like(wide)
    with numpy.errstate(invalid="ignore"):
        numpy.sqrt(wide.numpy(), out=roots.numpy())
    return roots.to(values.dtype) if values.is_floating_point() else roots

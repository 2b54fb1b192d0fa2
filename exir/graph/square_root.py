"""Square roots of constants with the same bits on every machine.

`torch.sqrt` runs MKL's vector loops, which refine a hardware estimate. The estimate differs between
vendors, and one result in seven has a wrong last bit. numpy uses the processor's square root
instruction, which IEEE 754 defines exactly.
"""

import numpy
import torch
from torch import Tensor


def square_root(values: Tensor) -> Tensor:
    """Compute `torch.sqrt(values)`, correctly rounded; in float32 for integers."""
    wide = values.detach() if values.dtype == torch.float64 else values.detach().float()
    roots = torch.empty_like(wide)
    with numpy.errstate(invalid="ignore"):
        numpy.sqrt(wide.numpy(), out=roots.numpy())
    return roots.to(values.dtype) if values.is_floating_point() else roots

"""The operators `et_copy::_h2d_copy` and `_d2h_copy`, which mark device copies.

Importing the official module registers them. Here, all memory is the CPU's, so both are plain copies.
"""

import torch
from torch.library import Library

NAMES = ("_h2d_copy", "_d2h_copy")


def _copy_tensor(self: torch.Tensor) -> torch.Tensor:
    return self.clone()


def _copy_out(self: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
    return out.copy_(self)


def _define_library() -> Library:
    library = Library("et_copy", "DEF")
    for name in NAMES:
        library.define(f"{name}(Tensor self) -> Tensor")
        library.define(f"{name}.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)")
        library.impl(name, _copy_tensor, "CompositeExplicitAutograd")
        library.impl(f"{name}.out", _copy_out, "CompositeExplicitAutograd")
    return library


lib = _define_library()

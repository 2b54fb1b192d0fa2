"""The operators `et_copy::_h2d_copy` and `_d2h_copy`, which mark device copies.

Importing the official module registers them. Here, all memory is the CPU's, so both are plain copies.
"""

import torch
from torch.library import Library

NAMES = ("_h2d_copy", "_d2h_copy")


def _copy(self: torch.Tensor) -> torch.Tensor:
    return self.clone()


def _copy_out(self: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
    return out.copy_(self)


def _library() -> Library:
    made = Library("et_copy", "DEF")
    for name in NAMES:
        made.define(f"{name}(Tensor self) -> Tensor")
        made.define(f"{name}.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)")
        made.impl(name, _copy, "CompositeExplicitAutograd")
        made.impl(f"{name}.out", _copy_out, "CompositeExplicitAutograd")
    return made


lib = _library()

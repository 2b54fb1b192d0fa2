"""`demo::soft_step` for PyTorch: x / (slope + |x|)."""

import torch

_LIBRARY = torch.library.Library("demo", "DEF")
_LIBRARY.define("soft_step(Tensor self, float slope=1.0) -> Tensor")
_LIBRARY.define("soft_step.out(Tensor self, float slope=1.0, *, Tensor(a!) out) -> Tensor(a!)")


@torch.library.impl(_LIBRARY, "soft_step", "CompositeExplicitAutograd")
def _soft_step(self: torch.Tensor, slope: float = 1.0) -> torch.Tensor:
    return self / (slope + self.abs())


@torch.library.impl(_LIBRARY, "soft_step.out", "CompositeExplicitAutograd")
def _soft_step_out(self: torch.Tensor, slope: float = 1.0, *, out: torch.Tensor) -> torch.Tensor:
    return out.copy_(_soft_step(self, slope))


@torch.library.register_fake("demo::soft_step", lib=_LIBRARY)
def _soft_step_fake(self: torch.Tensor, slope: float = 1.0) -> torch.Tensor:
    return torch.empty_like(self)


def soft_step(x: torch.Tensor, slope: float = 1.0) -> torch.Tensor:
    """A smooth step from -1 to 1."""
    return torch.ops.demo.soft_step.default(x, slope)

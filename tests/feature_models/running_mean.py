"""A running mean with two methods, which docs/how_to/use_from_c.md shows."""

import torch
from torch import Tensor, nn
from torch.export import Dim

from exir import MethodSpec, ModelSpec


class RunningMean(nn.Module):
    """Keeps an exponential moving average of rows with four columns."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("average", torch.zeros(4))

    def update(self, rows: Tensor) -> dict[str, Tensor]:
        """Add the mean of the rows; return the rows relative to the average."""
        self.average.copy_(0.5 * self.average + 0.5 * rows.mean(0))
        return {"centered": rows - self.average}

    def step(self, row: Tensor) -> dict[str, Tensor]:
        """Add a row; return it relative to the average."""
        self.average.copy_(0.5 * self.average + 0.5 * row)
        return {"centered": row - self.average}


def model() -> ModelSpec:
    """Entry point: two methods that share the average."""
    rows = MethodSpec((torch.randn(3, 4),), dynamic_shapes={"rows": {0: Dim("n", min=1, max=8)}})
    return ModelSpec(RunningMean(), methods={"update": rows, "step": MethodSpec((torch.randn(4),))})

"""The model of docs/how_to/control_flow.md: smooth a signal, then halve it."""

import torch
from torch import nn
from torch._higher_order_ops import map as map_rows
from torch._higher_order_ops import scan, while_loop


class Smoother(nn.Module):
    """Maps [5, 3] to a smoothed [5, 3], the number of halvings, and row norms [5]."""

    def __init__(self) -> None:
        super().__init__()
        self.decay = nn.Parameter(torch.tensor([0.5, 0.75, 1.0]))

    def forward(self, rows: torch.Tensor) -> tuple[torch.Tensor, int, torch.Tensor]:
        def step(total: torch.Tensor, row: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            total = total * self.decay + row
            return total, total / 2

        _, smooth = scan(step, torch.zeros(3), rows)
        count, small = while_loop(
            lambda count, x: x.abs().max() > 0.1,
            lambda count, x: (count + 1, x / 2),
            (0, smooth),
        )
        return small, count, map_rows(lambda row: row.norm(), small)


def model() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Entry point."""
    return Smoother(), (torch.randn(5, 3),)

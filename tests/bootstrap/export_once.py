"""Trace a model with one operator, and write its graph to the file argv[1]."""

import sys
from pathlib import Path

import torch


class Double(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


program = torch.export.export(Double(), (torch.ones(2),))
Path(sys.argv[1]).write_text(f"{program}\n")

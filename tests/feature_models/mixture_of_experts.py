"""A mixture of experts as transformers exports it: sorted rows and grouped GEMMs."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

import exir.dialects.grouped_ops  # noqa: F401  (registers `grouped::mm`)
from exir.model.spec import ModelSpec

_WIDTH, _HIDDEN, _EXPERTS, _CHOSEN = 24, 40, 4, 2


class MixtureOfExperts(nn.Module):
    """Maps float32 [n, 24] to [n, 24]: two experts per row, weighted by the router."""

    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(_WIDTH, _EXPERTS)
        self.up = nn.Parameter(torch.randn(_EXPERTS, 2 * _HIDDEN, _WIDTH) / 5)
        self.down = nn.Parameter(torch.randn(_EXPERTS, _WIDTH, _HIDDEN) / 6)
        for parameter in self.parameters():  # exact in bfloat16
            parameter.data = parameter.data.bfloat16().float()

    def forward(self, x: Tensor) -> Tensor:
        scores, chosen = torch.topk(self.router(x).softmax(-1), _CHOSEN)
        experts, order = torch.sort(chosen.reshape(-1), stable=True)
        ends = (experts.unsqueeze(0) <= torch.arange(_EXPERTS).unsqueeze(1)).sum(1)
        rows = x[order // _CHOSEN]
        gate, up = torch.ops.grouped.mm(rows, self.up.transpose(1, 2), ends).chunk(2, -1)
        rows = torch.ops.grouped.mm(F.silu(gate) * up, self.down.transpose(1, 2), ends)
        weighted = rows * scores.reshape(-1)[order].unsqueeze(1)
        return torch.zeros_like(x).index_add(0, order // _CHOSEN, weighted)


def model() -> ModelSpec:
    """Entry point."""
    rows = torch.export.Dim("rows", min=2, max=30)
    return ModelSpec(MixtureOfExperts(), (torch.randn(9, _WIDTH),), dynamic_shapes=({0: rows},))

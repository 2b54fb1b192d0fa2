"""Tests that random programs of views and writes match PyTorch."""

import copy
import random

import pytest
import torch
from torch import Tensor, nn

from exir.decomposition.decompose import decompose_locally
from exir.decomposition.decompositions import core_aten
from exir.error import NotLocal
from exir.testing.graphs import assert_same

_VIEWS = (
    lambda v: v[0],
    lambda v: v[::2],
    lambda v: v[-1:],
    lambda v: v[None],
    lambda v: v.unsqueeze(-1),
    lambda v: v.squeeze(),
    lambda v: v.reshape(-1),
    lambda v: v.transpose(0, -1),
    lambda v: v.split(1, 0)[0],
    lambda v: v.detach(),
    lambda v: v.expand_as(v),
)
_WRITES = (
    lambda v: v.add_(1),
    lambda v: v.relu_(),
    lambda v: v.zero_(),
    lambda v: v.copy_(v * 3),
    lambda v: v.clamp_(0, 1),
    lambda v: v.sub_(v.sum()),
)
_FUNCTIONS = (lambda v: v * 2, lambda v: v.sum(0), lambda v: v.clone())


class _RandomProgram(nn.Module):
    """Up to nine random operations on values, inputs and a buffer of shape [3, 4]."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.seed = seed
        self.register_buffer("state", torch.arange(12.0).reshape(3, 4))

    def forward(self, x: Tensor) -> list[Tensor]:
        draw = random.Random(self.seed)
        values = [x * 1.0, x, self.state] if self.seed % 3 == 0 else [x * 1.0]
        for _ in range(draw.randrange(3, 10)):
            chosen = draw.choice(values)
            if chosen.dim() and chosen.numel():
                _random_step(draw, chosen, values)
        return [value * 1 for value in draw.sample(values, min(len(values), 3))]


def _random_step(draw: random.Random, chosen: Tensor, values: list[Tensor]) -> None:
    kind = draw.random()
    if kind < 0.45:
        values.append(draw.choice(_VIEWS)(chosen))
    elif kind < 0.8:
        draw.choice(_WRITES)(chosen)
    else:
        values.append(draw.choice(_FUNCTIONS)(chosen))


def _result_and_input(module: nn.Module, x: Tensor) -> list[Tensor]:
    """Return the result of a call, and its input after the call."""
    x = x.clone()
    return [*module(x), x]


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_random_views_and_mutations_match_pytorch_or_are_refused(start: int) -> None:
    local = 0
    for seed in range(start, start + 20):
        module, x = _RandomProgram(seed).eval(), torch.randn(3, 4)
        exported = torch.export.export(module, (x,))
        try:
            program = decompose_locally(exported, core_aten())
        except NotLocal:
            continue
        local += 1
        lowered = copy.deepcopy(program).module()
        assert_same(_result_and_input(lowered, x), _result_and_input(module, x))
        for name, state in lowered.named_buffers():
            assert_same([state], [module.get_buffer(name)])
    assert local >= 8

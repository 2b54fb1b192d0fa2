"""Functions that mutate memory: new tensors, aliases, views and inputs."""

import torch
from torch import Tensor

from exir.testing.case import Cases, case

CASES: Cases = {}


@case(CASES, (4, 6))
def writes_to_fresh_values(x: Tensor) -> Tensor:
    y = x * 2
    y.add_(1).mul_(x)
    y.clamp_(0, 2)
    return y + y.relu_()


@case(CASES, (4, 6))
def write_through_a_view(x: Tensor) -> Tensor:
    y = x * 2
    y[0].add_(1)
    return y


@case(CASES, (4, 6))
def write_seen_through_a_view(x: Tensor) -> Tensor:
    y = x * 2
    v = y.view(6, 4)
    y.add_(1)
    return v


@case(CASES, (4, 6))
def write_to_a_view_whose_base_is_dead(x: Tensor) -> Tensor:
    return (x * 2).view(6, 4).relu_()


@case(CASES, (4, 6))
def assignment_to_slices(x: Tensor) -> Tensor:
    y = x.clone()
    y[:, 1:3] = 0
    y[0] = 1.0
    return y


@case(CASES, (4, 6))
def writes_through_chains_of_views(x: Tensor) -> list[Tensor]:
    y = x * 2
    row = y.view(2, 2, 6)[1].t()
    row[2:4].mul_(3)
    row.add_(1)
    y[:, None, 0].zero_()
    return [y, y.view(24)[3:]]


@case(CASES, (4, 6))
def write_through_overlapping_views(x: Tensor) -> list[Tensor]:
    y = x * 2
    left, right = y.split(3, 1)
    left.add_(1)
    return [y, right]


@case(CASES, (4, 6), batch=True)
def dynamic_write_through_a_view(x: Tensor) -> Tensor:
    y = x * 2
    y.view(x.shape[0], 2, 3)[:, 0].add_(1)
    y[:, 4:] = 0
    return y


@case(CASES, (4, 6))
def write_to_an_input(x: Tensor) -> Tensor:
    x.add_(1)
    return x * 2


@case(CASES, (4, 6), torch.ones(4, 6, dtype=torch.int64))
def writes_that_keep_their_dtype(x: Tensor, i: Tensor) -> list[Tensor]:
    y = x.half()
    y.add_(x)
    return [y, (i * 1).mul_(3)]


@case(CASES, torch.tensor([2, 0, 3, 1]))
def permutation_inverted_in_fresh_memory(order: Tensor) -> Tensor:
    inverse = torch.empty_like(order)
    inverse[order] = torch.arange(4)
    return inverse


@case(CASES, (2, 3, 4, 5))
def fresh_memory_like_a_transposed_tensor(x: Tensor) -> Tensor:
    return torch.empty_like(x.permute(0, 2, 3, 1)).copy_(x.permute(0, 2, 3, 1))

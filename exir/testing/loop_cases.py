"""Programs with loops that carry, map, scan and capture values."""

from typing import Any

import torch
from torch import Tensor, nn
from torch._higher_order_ops import map as map_rows
from torch._higher_order_ops import scan, while_loop

from exir.testing.case import Cases, case

CASES: Cases = {}


@case(CASES, (3,))
def _while_counts_an_integer(x: Tensor) -> Any:
    return while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a + i), (0, x))


@case(CASES, (3,), (3,))
def _while_exchanges_tensors(a: Tensor, b: Tensor) -> Any:
    return while_loop(
        lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b.clone(), a.clone()), (torch.tensor(0), a, b)
    )


@case(CASES, (3,))
def _while_exchanges_integers(x: Tensor) -> Any:
    def body(a: int, b: int, x: Tensor) -> tuple[int, int, Tensor]:
        return b, a + b, x + a

    return while_loop(lambda a, b, x: b < 30, body, (0, 1, x))


@case(CASES, (3,))
def _while_reads_what_it_starts_from(x: Tensor) -> Any:
    return while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), (0, x))


@case(CASES, (2, 3))
def _while_carries_views_of_one_tensor(x: Tensor) -> Any:
    low, high = (x * 2).unbind(0)
    return while_loop(lambda a, b: a.sum() < 9, lambda a, b: (a * a + 1, b + low), (low, high))


@case(CASES, (3,))
def _while_never_runs(x: Tensor) -> Any:
    return while_loop(lambda a: a.sum() > 1e9, lambda a: (a * 2,), (x,))


@case(CASES, (2, 3))
class _WhileWithWeights(nn.Module):
    """Captures weights, a tensor that the body creates, and an outer value."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Any:
        bias = x.mean(0)

        def body(i: Tensor, a: Tensor) -> tuple[Tensor, Tensor]:
            return i + 1, torch.tanh(self.linear(a)) + bias * torch.tensor([1.0, 2.0, 3.0])

        return while_loop(lambda i, a: i < 4, body, (torch.tensor(0), x)), bias


@case(CASES, (4, 3), (3,))
def _map_of_rows(rows: Tensor, other: Tensor) -> Tensor:
    return map_rows(lambda row, other: row * other + 1, rows, other)


@case(CASES, (4, 3))
def _map_of_several(rows: Tensor) -> Any:
    return map_rows(lambda pair: (pair[0].sum(), pair[0] > pair[1]), (rows, rows * rows))


@case(CASES, (4, 3), batch=True)
class _MapOfBatches(nn.Module):
    """Maps over the batch, whose size is known at run time."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 5)

    def forward(self, rows: Tensor) -> Tensor:
        return map_rows(lambda row: torch.relu(self.linear(row)), rows) * 2


@case(CASES, (3,), (5, 3))
def _scan_of_sums(start: Tensor, rows: Tensor) -> Any:
    return scan(lambda total, row: (total + row, total * row), start, rows)


@case(CASES, (3,), (3, 5))
def _scan_from_behind(start: Tensor, rows: Tensor) -> Any:
    return scan(lambda total, row: (total + row, total.clone()), start, rows, dim=1, reverse=True)


@case(CASES, (4, 3), batch=True)
class _ScanOfBatches(nn.Module):
    """A recurrent cell over rows, whose number is known at run time."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.outer = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, rows: Tensor) -> Any:
        def step(hidden: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
            hidden = torch.tanh(self.inner(row) + self.outer(hidden))
            return hidden, hidden * 2

        return scan(step, torch.zeros(3), rows)


@case(CASES, (4, 3))
def _nested_loops(x: Tensor) -> Any:
    def choose(row: Tensor, other: Tensor) -> Tensor:
        return torch.cond(row.sum() > 0, lambda a, b: a * b, lambda a, b: a - b, (row, other))

    def body(i: Tensor, a: Tensor) -> tuple[Tensor, Tensor]:
        rows = map_rows(
            lambda row, other: choose(row, other) + torch.tensor([0.5, 0, 1]), a, a[0].clone()
        )
        total, sums = scan(lambda total, row: (total + row, total * 2), rows[0] * 0, rows)
        return i + 1, sums + total

    return while_loop(lambda i, a: i < 3, body, (torch.tensor(0), x))


@case(CASES, (2, 3))
def _choice_that_nobody_uses(rows: Tensor) -> Tensor:
    def body(row: Tensor) -> Tensor:
        torch.cond(row.sum() > 1, lambda a: a + torch.tensor([1.0, 2.0, 3.0]), lambda a: a * 2, (row,))
        return row * 2

    return map_rows(body, rows)


@case(CASES, (3,))
def _loop_in_a_branch(x: Tensor) -> Tensor:
    def doubled(a: Tensor) -> Tensor:
        return while_loop(lambda a: a.abs().sum() < 100, lambda a: (a * 2,), (a,))[0]

    return torch.cond(x.sum() > 0, doubled, lambda a: a - torch.tensor([1.0, 2.0, 3.0]), (x,))


@case(CASES, (3,))
class _LoopBesideState(nn.Module):
    """A loop that reads a state, and whose result updates it."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("kept", torch.ones(3))

    def forward(self, x: Tensor) -> Tensor:
        kept = self.kept
        (grown,) = while_loop(lambda a: a.sum() < 20, lambda a: (a + kept + 1,), (x * 0,))
        self.kept.copy_(grown / 10)
        return grown - x

"""Tests that copied values get the buffer's dtype and shape after a retrace."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from exir import to_edge
from exir.decomposition.decompose import decompose_by_retracing, decompose_locally
from exir.decomposition.decompositions import core_aten
from exir.testing.graphs import assert_same, run
from exir.testing.models import Example


class Kept(nn.Module):
    """A buffer that is written and then read; `choose` adds control flow."""

    def __init__(self, buffer: Tensor, source: Callable[[Tensor], Tensor], choose: bool) -> None:
        super().__init__()
        self.register_buffer("kept", buffer)
        self.source, self.choose = source, choose

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        self.kept.copy_(self.source(x))
        if self.choose:
            x = torch.cond(x.sum() > 0, lambda a: a * 2, lambda a: a + 1, (x,))
        return x, self.kept / 3, self.kept.sum()


@pytest.mark.parametrize("choose", [True, False])
@pytest.mark.parametrize(
    "dtype, source",
    [
        (torch.float32, lambda x: x[:1]),
        (torch.float32, lambda x: x.sum(1)),
        (torch.float32, lambda x: x.double()),
        (torch.float32, lambda x: x > 0),
        (torch.int32, lambda x: x[:, :1] * 3),
    ],
)
def test_full_copies_are_cast_and_expanded(
    dtype: torch.dtype, source: Callable[[Tensor], Tensor], choose: bool
) -> None:
    inputs = (torch.randn(3, 3),)
    exported = Example(Kept(torch.zeros(3, 3, dtype=dtype), source, choose), inputs).export()
    expected = list(Kept(torch.zeros(3, 3, dtype=dtype), source, choose)(*inputs))
    decompose = decompose_by_retracing if choose else decompose_locally
    for program in (decompose(exported, core_aten()), to_edge(exported).exported_program()):
        results = run(program, inputs)
        assert_same(results[-3:], expected)


def test_copy_takes_dynamic_sizes() -> None:
    """The call determines the number of columns of each row."""

    class Filled(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            rows = x * 0
            rows.copy_(x[:1].double())
            return torch.cond(x.sum() > 0, lambda a: a * 2, lambda a: a + 1, (rows,))

    shapes = ({0: torch.export.Dim("rows", min=2, max=8)},)
    exported = Example(Filled(), (torch.randn(3, 4),), shapes).export()
    program = to_edge(exported).exported_program()
    for count in (2, 8):
        x = torch.randn(count, 4)
        assert_same(run(program, (x,)), [Filled()(x)])


@pytest.mark.parametrize(
    "write",
    [
        lambda view, x: view.masked_fill_(x > 0, 1.5),
        lambda view, x: view.index_add_(0, torch.tensor([0]), x[:1]),
        lambda view, x: view.scatter_(0, torch.zeros(1, 2, dtype=torch.int64), x[:1]),
        lambda view, x: view.cumsum_(0),
        lambda view, x: view.mul_(x.double()),
    ],
)
def test_buffer_keeps_its_layout_after_a_write_to_a_permuted_view(
    write: Callable[[Tensor, Tensor], Tensor],
) -> None:
    class Permuted(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("kept", torch.arange(4.0).reshape(2, 2))

        def forward(self, x: Tensor) -> Tensor:
            write(self.kept.t(), x)
            return self.kept.view(-1) * 2

    inputs = (torch.randn(2, 2),)
    program = decompose_by_retracing(Example(Permuted(), inputs).export(), core_aten())
    assert_same(run(program, inputs)[-1:], [Permuted()(*inputs)])

"""Tests checks of dynamic sizes, and the search for sizes that torch.export fixes."""

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, export

from exir.error import PassError
from exir.program import to_edge
from exir.verification.sizes import check_sizes_unchanged


class _Widened(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        widened = nn.functional.pad(x.repeat_interleave(n, -1) * 2, (0, n % 4))
        return widened.view(-1, 24).softmax(-1)


class _Rows(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        return x[:n].view(-1, 2).softmax(-1)


def test_an_assumed_size_of_the_example_is_reported() -> None:
    shapes = (None, Dim.DYNAMIC(min=0, max=10))
    program = export(_Widened(), (torch.zeros(5, 7), 3), dynamic_shapes=shapes)
    with pytest.warns(
        UserWarning, match=r"method 'forward': torch.export assumes 7\*n \+ \(Mod\(n, 4\)\) == 24, "
    ):
        to_edge(program)


def test_sizes_that_are_valid_in_the_whole_range_are_not_reported(
    recwarn: pytest.WarningsRecorder,
) -> None:
    shapes = ({0: Dim("rows", min=4, max=8)}, Dim.DYNAMIC(min=0, max=4))
    to_edge(export(_Rows(), (torch.zeros(6, 4), 3), dynamic_shapes=shapes))
    assert not [warning for warning in recwarn if "assumes" in str(warning.message)]


def test_a_size_is_reported_by_the_first_step_that_specializes_it() -> None:
    program = export(_Rows(), (torch.zeros(6, 4), 3), dynamic_shapes=({0: Dim("rows", min=4)}, None))
    (x, *_) = (node for node in program.graph.nodes if node.name == "x")
    with (
        pytest.raises(PassError, match="'first': specializes the dynamic size s"),
        check_sizes_unchanged([program], "'first'", ""),
    ):
        int(x.meta["val"].shape[0])
    with check_sizes_unchanged([program], "'second'", ""):
        int(x.meta["val"].shape[0])

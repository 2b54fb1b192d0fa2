"""Tests that loops that memory planning cannot support are rejected."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._higher_order_ops import map as map_rows
from torch._higher_order_ops import while_loop

from exir.error import ExportError
from exir.graph.control_flow import regions
from exir.pass_manager import run_passes
from exir.passes import SpecPropPass
from exir.program import to_edge
from exir.tensor import TensorSpec
from exir.testing.models import Example
from exir.verification.loops import check_loop


class Call(torch.nn.Module):
    """Wraps a function of a tensor as a module."""

    def __init__(self, function: Callable[[Tensor], Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Any:
        return self.function(x)


def rows_of_channels_last(x: Tensor) -> Tensor:
    return map_rows(lambda row: row.contiguous(memory_format=torch.channels_last), x)


def doubled(x: Tensor) -> Any:
    return while_loop(lambda a: a.sum() < 9, lambda a: (a * 2,), (x,))


def test_loop_row_in_another_layout_is_refused() -> None:
    example = Example(Call(rows_of_channels_last), (torch.ones(2, 1, 3, 4, 4),))
    with pytest.raises(ExportError, match="result 0 of the body of map_impl is float32") as error:
        to_edge(example.export()).to_executorch()
    assert "return a contiguous tensor (.contiguous())" in error.value.message
    assert error.value.source is not None and error.value.source.file.endswith("loops_test.py")


@pytest.mark.parametrize(
    "spec, text",
    [
        (TensorSpec(torch.float32, (4,), (0,)), r"float32\[4\], but is stored as float32\[3\]"),
        (TensorSpec(torch.int64, (3,), (0,)), r"int64\[3\], but is stored as float32\[3\]"),
        (None, r"a number, but is stored as float32\[3\]"),
    ],
)
def test_carry_with_another_spec_is_refused(spec: TensorSpec | None, text: str) -> None:
    """PyTorch rejects such loops, but a pass could create one."""
    program = to_edge(Example(Call(doubled), (torch.ones(3),)).export()).exported_program()
    graph_module = run_passes(program, [SpecPropPass()]).graph_module
    loop = next(node for node in graph_module.graph.nodes if regions(node))
    body = regions(loop)[1]
    body.results[0].meta["spec"] = spec
    with pytest.raises(
        ExportError, match="carried value 0 of while_loop is returned as " + text
    ) as error:
        check_loop(loop, body)
    assert error.value.source is not None and error.value.source.file.endswith("loops_test.py")

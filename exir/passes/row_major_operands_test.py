"""Reductions take row-major operands; what uses their results finds them where they were."""

import torch
from torch import Tensor, nn

from exir import to_edge
from exir.passes.row_major_operands import RowMajorOperands
from exir.testing.graphs import assert_same, operator_names, run, run_module
from exir.testing.models import Example

_COPY = "dim_order_ops::_to_dim_order_copy"


class Pooled(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.avg_pool2d(x, 2).relu()


def turned(order: torch.memory_format) -> tuple[list[str], tuple[int, ...]]:
    example = Example(Pooled().eval(), (torch.randn(2, 3, 8, 8).to(memory_format=order),))
    program = RowMajorOperands().run(to_edge(example.export()).exported_program())
    result = run(program, example.inputs)
    assert_same(result, run_module(example.module, example.inputs))
    return operator_names(program), result[0].dim_order()


def test_what_lies_otherwise_is_copied_there_and_back() -> None:
    names, order = turned(torch.channels_last)
    assert names == [_COPY, "aten::avg_pool2d", _COPY, "aten::relu"]
    assert order == (0, 2, 3, 1)


def test_row_major_operands_stay() -> None:
    assert turned(torch.contiguous_format) == (["aten::avg_pool2d", "aten::relu"], (0, 1, 2, 3))

"""Tests of control flow whose operands change their layout in the rewrite."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch._higher_order_ops import map as map_rows
from torch._higher_order_ops import scan, while_loop
from torch.export import ExportedProgram
from torch.fx import Node

from exir import to_edge
from exir.dialects.edge import edge_op
from exir.graph.control_flow import graphs, regions
from exir.graph.layouts import same_layout, same_sizes
from exir.testing.case import Cases, case
from exir.testing.graphs import assert_same, run, run_module

CASES: Cases = {}
SHAPE = (2, 3, 3)
CHANNELS_LAST = torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last)
CHANNELS_LAST_3D = torch.randn(2, 3, 2, 4, 4).to(memory_format=torch.channels_last_3d)
COPY = edge_op(torch.ops.dim_order_ops._clone_dim_order.default)


def turned(x: Tensor) -> Tensor:
    """Return a transposed value: a view in PyTorch, a dense copy in the compiler."""
    return (x * 2).transpose(1, 2)


@case(CASES, SHAPE)
def _cond_branches(x: Tensor) -> Tensor:
    return torch.cond(x.sum() > 0, lambda a: a.sin() + 1, lambda a: a * 0.5, (turned(x),))


@case(CASES, SHAPE, batch=True)
def _branches_of_a_batch(x: Tensor) -> Tensor:
    return torch.cond(x.sum() > 0, lambda a: a.sin() + 1, lambda a: a * 0.5, (turned(x),))


@case(CASES, SHAPE)
def _branches_that_transpose(x: Tensor) -> Tensor:
    return torch.cond(
        x.sum() > 0, lambda a: a.transpose(1, 2) * 1, lambda a: a.transpose(1, 2).sin(), (x * 2,)
    )


@case(CASES, SHAPE)
def _nested_branches(x: Tensor) -> Tensor:
    def inner(a: Tensor) -> Tensor:
        return torch.cond(a.max() > 1, lambda a: turned(turned(a)) + a, lambda a: a - 1, (a,))

    return torch.cond(x.sum() > 0, inner, lambda a: a * 0.5, (turned(x),))


@case(CASES, CHANNELS_LAST)
def _one_branch_that_permutes(x: Tensor) -> Tensor:
    def there_and_back(a: Tensor) -> Tensor:
        return (a.permute(0, 2, 3, 1) * 2).permute(0, 3, 1, 2)

    return torch.cond(x.sum() > 0, there_and_back, lambda a: a.sin(), (x,))


@case(CASES, CHANNELS_LAST)
def _another_branch_that_permutes(x: Tensor) -> Tensor:
    def there_and_back(a: Tensor) -> Tensor:
        return (a.permute(0, 2, 3, 1) * 2).permute(0, 3, 1, 2)

    return torch.cond(x.sum() > 0, lambda a: a.sin(), there_and_back, (x,))


@case(CASES, CHANNELS_LAST)
def _loop_that_permutes(x: Tensor) -> Any:
    def body(i: int, a: Tensor) -> tuple[int, Tensor]:
        return i + 1, (a.permute(0, 2, 3, 1) * 2).permute(0, 3, 1, 2)

    return while_loop(lambda i, a: i < 3, body, (0, x))


@case(CASES, CHANNELS_LAST_3D)
def _loop_that_permutes_volumes(x: Tensor) -> Any:
    def body(i: int, a: Tensor) -> tuple[int, Tensor]:
        return i + 1, (a.permute(0, 2, 3, 4, 1) * 2).permute(0, 4, 1, 2, 3)

    return while_loop(lambda i, a: i < 3, body, (0, x))


@case(CASES, SHAPE)
def _loop_that_starts_transposed(x: Tensor) -> Any:
    return while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2), (0, turned(x)))


@case(CASES, SHAPE)
def _loop_beside_a_transposed_value(x: Tensor) -> Any:
    other = turned(x)
    return while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2 + other), (0, x * 1))


@case(CASES, SHAPE)
def _rows_of_a_transposed_value(x: Tensor) -> Tensor:
    return map_rows(lambda row: row.sin() + 1, (x * 2).transpose(0, 2))


@case(CASES, CHANNELS_LAST)
def _branches_of_a_part_of_an_image(x: Tensor) -> Tensor:
    return torch.cond(x.sum() > 0, lambda a: a.sin() + 1, lambda a: a * 0.5, (x[:, :, 1:3],))


@case(CASES, CHANNELS_LAST)
def _rows_of_an_image(x: Tensor) -> Tensor:
    return map_rows(lambda row: row.sin() + 1, x)


@case(CASES, CHANNELS_LAST)
def _rows_of_a_part_of_an_image(x: Tensor) -> Tensor:
    return map_rows(lambda row: row.sin() + 1, x[:, :, 1:3])


@case(CASES, SHAPE)
def _branches_of_different_sizes(x: Tensor) -> Tensor:
    return torch.cond(x.sum() > 0, lambda a: a[:1] * 2, lambda a: a.sin(), (x,))


@case(CASES, CHANNELS_LAST)
def _branches_of_different_heights(x: Tensor) -> Tensor:
    return torch.cond(x.sum() > 0, lambda a: a[:, :, :1] * 2, lambda a: a.sin(), (x,))


@case(CASES, SHAPE)
def _scan_that_starts_transposed(x: Tensor) -> Any:
    rows = turned(x)
    return scan(lambda total, row: (total + row, total * row), rows[0], rows)


def assert_placeholders_describe_operands(program: ExportedProgram) -> None:
    """Assert that placeholders have the sizes and layouts of their operands."""
    for node in (node for body in graphs(program.graph_module) for node in body.graph.nodes):
        for region in regions(node):
            for position, (placeholder, operand) in enumerate(region.bindings):
                val = operand.meta["val"] if isinstance(operand, Node) else None
                if isinstance(val, Tensor):
                    found = placeholder.meta["val"]
                    if position in region.sliced:
                        assert same_sizes(found.shape, val.shape[1:])
                    else:
                        assert same_layout(found, val)


@pytest.mark.parametrize("name", sorted(CASES))
def test_operand_layouts_propagate_into_control_flow_graphs(name: str) -> None:
    example = CASES[name]()
    edge = to_edge(example.export())
    assert_placeholders_describe_operands(edge.exported_program())
    expected = run_module(example.module, example.inputs)
    assert_same(run(edge.exported_program(), example.inputs), expected)
    edge.to_executorch()


@pytest.mark.parametrize(
    "name, copies",
    [
        ("cond_branches", 0),
        ("one_branch_that_permutes", 1),
        ("loop_that_permutes", 1),
        ("loop_that_permutes_volumes", 1),
        ("loop_that_starts_transposed", 0),
    ],
)
def test_region_results_are_copied_only_where_layouts_differ(name: str, copies: int) -> None:
    program = to_edge(CASES[name]().export()).exported_program()
    inner = list(graphs(program.graph_module))[1:]
    assert (
        sum(node.target == COPY for graph_module in inner for node in graph_module.graph.nodes) == copies
    )

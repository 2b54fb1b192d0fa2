"""Tests that chains of elementwise operators become one op.

The op overwrites an operand that no later op reads.
"""

import torch
from torch import Tensor

from backends.cpu.compiler.compile import compile_partition
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.read_payload import read
from backends.cpu.compiler.testing.compare import assert_computes, delegated, specs
from backends.cpu.schema.elementwise import ElementwiseF32


def _chain(x: Tensor, y: Tensor) -> Tensor:
    return (torch.exp(x * 2) + y * torch.sigmoid(y)) / (x + 5)


def test_tree_of_elementwise_operators_is_one_op() -> None:
    x, y = torch.rand(3, 4), torch.rand(4)
    assert [type(each) for each in specs(_chain, x, torch.rand(3, 4))] == [ElementwiseF32]
    assert_computes(_chain, x, torch.rand(3, 4))
    assert_computes(_chain, x, y)


def test_op_on_a_broadcast_operand_is_not_fused() -> None:
    made = specs(lambda x, y: x + torch.exp(y), torch.rand(3, 4), torch.rand(4))
    assert [type(each) for each in made] == [ElementwiseF32, ElementwiseF32]


def test_long_chain_is_split_at_the_register_limit() -> None:
    def long(x: Tensor) -> Tensor:
        for _ in range(40):
            x = torch.sin(x)
        return x

    x = torch.rand(5)
    assert len(specs(long, x)) == 2
    assert_computes(long, x)


def test_elementwise_op_overwrites_an_operand_without_later_readers() -> None:
    def function(x: Tensor, y: Tensor) -> Tensor:
        columns = torch.nn.functional.avg_pool2d(x, 1)
        return torch.nn.functional.max_pool2d(y - columns, 1)

    inputs = [torch.rand(1, 16, 4, 4).to(memory_format=torch.channels_last) for _ in range(2)]
    rows = read(compile_partition(delegated(function, inputs), Options()).data)
    assert rows.scratch_bytes == 16 * 4 * 4 * 4
    assert_computes(function, *inputs)


def test_elementwise_op_does_not_overwrite_an_operand_with_a_view() -> None:
    def function(x: Tensor) -> Tensor:
        columns = torch.nn.functional.avg_pool2d(x, 1)
        viewed = torch.nn.functional.pixel_unshuffle(columns, 1)
        return torch.nn.functional.max_pool2d(viewed - columns * 3, 1)

    inputs = [torch.rand(1, 16, 4, 4).to(memory_format=torch.channels_last)]
    rows = read(compile_partition(delegated(function, inputs), Options()).data)
    assert rows.scratch_bytes == 2 * 16 * 4 * 4 * 4
    assert_computes(function, *inputs)

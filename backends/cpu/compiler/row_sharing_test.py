"""Tests that low-bit GEMMs of the same row are joined into one op."""

import torch
from torch import Tensor, nn

from backends.cpu.compiler.graph import Op
from backends.cpu.compiler.testing.compare import assert_computes, assert_keeps, ops
from backends.cpu.compiler.testing.low_bit import Layer
from backends.cpu.schema.gemm import GemmF32Qbw
from backends.cpu.schema.kernel_sizes import QBW_MAX_OUTPUTS


class Side(nn.Module):
    """Layers with K = 64 that read one tensor, each with its own number of groups.

    Their outputs are concatenated.
    """

    def __init__(self, *columns: int, bits: int = 4, shifted: bool = False, groups: tuple[int, ...] = ()) -> None:
        super().__init__()
        of = groups or (2,) * len(columns)
        self.layers = nn.ModuleList(
            Layer(bits, each, 64, count, shifted, bias=True) for each, count in zip(columns, of, strict=True)
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([layer(x) for layer in self.layers], -1)


def _products(module: nn.Module, *inputs: Tensor) -> list[Op]:
    return [op for op in ops(module, *inputs).ops if isinstance(op.spec, GemmF32Qbw)]


def _outputs(module: nn.Module, *inputs: Tensor) -> list[int]:
    """Return the number of outputs of each low-bit GEMM."""
    return [len(op.outputs) for op in _products(module, *inputs)]


def test_query_key_and_value_gemms_are_one_op():
    for bits in (4, 8):
        for shifted in (False, True):
            module = Side(64, 24, 16, bits=bits, shifted=shifted)
            for sizes in ((64,), (1, 64), (1, 1, 64)):
                assert _outputs(module, torch.randn(sizes)) == [3]
                assert_computes(module, torch.randn(sizes))


def test_joined_op_runs_at_the_position_of_the_first_gemm():
    class Gated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gate, self.rise = (Layer(4, 48, 64, 2, False, bias=False) for _ in range(2))

        def forward(self, x: Tensor) -> Tensor:
            return torch.softmax(self.gate(x), -1) * self.rise(x)

    (joined,) = _products(Gated(), torch.randn(1, 64))
    assert [value.dims for value in joined.outputs] == [(1, 48), (1, 48)]
    assert_computes(Gated(), torch.randn(1, 64))


def test_gemms_of_several_rows_are_not_joined():
    module = Side(64, 24)
    assert _outputs(module, torch.randn(2, 64)) == [1, 1]
    assert_computes(module, torch.randn(2, 64))


def test_gemms_with_different_group_sizes_are_not_joined():
    module = Side(64, 24, 40, groups=(2, 4, 2))
    assert _outputs(module, torch.randn(1, 64)) == [2, 1]
    assert_computes(module, torch.randn(1, 64))


def test_outputs_above_the_limit_need_several_ops():
    module = Side(*[16] * (QBW_MAX_OUTPUTS + 3))
    assert _outputs(module, torch.randn(1, 64)) == [QBW_MAX_OUTPUTS, 3]
    assert_computes(module, torch.randn(1, 64))
    assert _outputs(Side(*[16] * (QBW_MAX_OUTPUTS + 1)), torch.randn(1, 64)) == [QBW_MAX_OUTPUTS, 1]


def test_gemm_with_a_residual_is_not_joined():
    class Residual(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = (Layer(4, 64, 64, 2, False, bias=False) for _ in range(2))

        def forward(self, x: Tensor) -> Tensor:
            return torch.cat([self.first(x) + x, self.second(x)], -1)

    assert _outputs(Residual(), torch.randn(1, 64)) == [1, 1]
    assert_computes(Residual(), torch.randn(1, 64))


def test_gemms_before_and_after_a_buffer_update_are_not_joined():
    class Kept(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.before, self.after = (Layer(4, 48, 64, 2, False, bias=False) for _ in range(2))
            self.register_buffer("rows", torch.randn(1, 1, 64))

        def forward(self, x: Tensor, place: Tensor) -> Tensor:
            before = self.before(self.rows)
            self.rows[:, place] = x
            return torch.softmax(before, -1) * self.after(self.rows)

    x, place = torch.randn(1, 1, 64), torch.tensor([0])
    assert _outputs(Kept(), x, place) == [1, 1]
    assert_keeps(Kept(), (x, place), (2 * x, place))


def test_joined_op_has_the_nodes_of_all_gemms():
    (joined,) = _products(Side(16, 16), torch.randn(1, 64))
    assert len({node.name for node in joined.nodes}) == 2

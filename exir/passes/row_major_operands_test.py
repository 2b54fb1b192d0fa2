"""Tests that reductions get row-major operands, and results keep their order."""

from pathlib import Path

import sympy
import torch
from torch import Tensor, nn

from exir import to_edge
from exir.operators.kernels import KernelTable, load_kernels
from exir.operators.operators import builtin_operators
from exir.passes.row_major_operands import RowMajorOperands
from exir.testing.graphs import assert_same, operator_names, run, run_module
from exir.testing.models import Example

_COPY = "dim_order_ops::_to_dim_order_copy"


class Pooled(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.avg_pool2d(x, 2).relu()


class Summed(nn.Module):
    """Adds a per-channel sum to the tensor itself."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("shift", torch.arange(3.0).reshape(3, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        return (x + self.shift) + x


class Largest(nn.Module):
    """An operator with two results that reads another operator's result."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        values, places = x.flip(2).max(1, keepdim=True)
        return values, places


def converted(module: nn.Module, order: torch.memory_format) -> tuple[list[str], list[tuple[int, ...]]]:
    """Return the operators of a program, and its output orders.

    The input is in `order`.
    """
    example = Example(module.eval(), (torch.randn(2, 3, 8, 8).to(memory_format=order),))
    before = to_edge(example.export()).exported_program()
    expected = [result.dim_order() for result in run(before, example.inputs)]
    program = RowMajorOperands().run(before)
    results = run(program, example.inputs)
    assert_same(results, run_module(example.module, example.inputs))
    assert [result.dim_order() for result in results] == expected
    return operator_names(program), [tuple(result.dim_order()) for result in results]


def test_channels_last_operands_are_copied_to_and_from_row_major() -> None:
    names, orders = converted(Pooled(), torch.channels_last)
    assert names == [_COPY, "aten::avg_pool2d", _COPY, "aten::relu"]
    assert orders == [(0, 2, 3, 1)]


def test_sizes_are_read_from_any_layout() -> None:
    class Doubled(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            y = x.relu()
            return y.reshape(y.shape[0] * 2, -1)

    x = torch.randn(2, 4, 8, 8).to(memory_format=torch.channels_last)
    example = Example(Doubled().eval(), (x,), ({0: torch.export.Dim("n", min=2, max=8)},))
    program = RowMajorOperands().run(to_edge(example.export()).exported_program())
    assert "aten::sym_size.int" in operator_names(program)
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs))


def test_row_major_copies_keep_dynamic_sizes() -> None:
    class Padded(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return nn.functional.pad(x, (1, 0, 0, 0), value=0.5) + 1

    x = torch.randn(3, 3, 6, 13).to(memory_format=torch.channels_last)
    exported = torch.export.export(
        Padded(), (x,), dynamic_shapes=({0: torch.export.Dim("n", min=2, max=8)},)
    )
    program = RowMajorOperands().run(to_edge(exported).exported_program())
    (placeholder,) = (node for node in program.graph.nodes if node.name == "x")
    assert not isinstance(placeholder.meta["val"].shape[0].node.expr, sympy.Integer)


def test_row_major_operands_are_not_copied() -> None:
    assert converted(Pooled(), torch.contiguous_format) == (
        ["aten::avg_pool2d", "aten::relu"],
        [(0, 1, 2, 3)],
    )


def test_additions_of_mixed_layouts_are_permuted() -> None:
    names, _ = converted(Summed(), torch.channels_last)
    assert names == [_COPY, "aten::add.Tensor", _COPY, "aten::add.Tensor"]


def test_permuted_operand_is_not_permuted_again() -> None:
    names, _ = converted(Largest(), torch.channels_last)
    assert [name for name in names if name != _COPY] == ["aten::flip", "aten::max.dim"]
    assert names.index("aten::max.dim") == names.index("aten::flip") + 1


class Found(nn.Module):
    """The positions of nonzero elements.

    The meta kernel of `nonzero` in torch returns a column-major tensor.
    """

    def forward(self, x: Tensor) -> Tensor:
        places = torch.nonzero(x)
        torch._check(places.shape[0] >= 1)
        return torch.ops.aten.index.Tensor(x, [places])


def test_operand_that_is_neither_contiguous_nor_channels_last_is_unchanged() -> None:
    example = Example(Found().eval(), (torch.triu(torch.ones(2, 2)),))
    program = RowMajorOperands().run(to_edge(example.export()).exported_program())
    assert _COPY not in operator_names(program)


class Normalized(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(8)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x) + 1


def test_row_major_operators_get_contiguous_operands() -> None:
    x = torch.randn(2, 3, 8, 8)
    for operand in (x.to(memory_format=torch.channels_last), x.transpose(2, 3), x.transpose(0, 1)):
        program = to_edge(Example(Normalized().eval(), (operand,)).export()).exported_program()
        names = operator_names(RowMajorOperands().run(program))
        assert names == [_COPY, "aten::native_layer_norm", "aten::add.Tensor"]


_KERNELS = """
[dtypes]
float = ["float32"]

[[kernel]]
operator = "aten::avg_pool2d.out"
symbol = "acme_pool"
file = "pool.c"
dtypes = "float"
layout = "contiguous"

[[kernel]]
operator = "aten::avg_pool2d.out"
symbol = "acme_pool_of_whole_windows"
file = "pool.c"
dtypes = "float"
attributes = { ceil_mode = [true] }

[[kernel]]
operator = "aten::relu.out"
symbol = "acme_relu"
file = "relu.c"
dtypes = "float"
"""


def _converted_for(kernels: KernelTable, module: nn.Module) -> list[str]:
    """Return the operators of a program with a channels-last input, for `kernels`."""
    x = torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last)
    program = RowMajorOperands(kernels).run(to_edge(Example(module, (x,)).export()).exported_program())
    assert_same(run(program, (x,)), run_module(module, (x,)))
    return operator_names(program)


def test_kernel_table_decides_which_operands_are_copied(tmp_path: Path) -> None:
    path = tmp_path / "kernels.toml"
    path.write_text(_KERNELS, encoding="utf-8")
    kernels = load_kernels([path], builtin_operators())
    assert _converted_for(kernels, Pooled()) == [_COPY, "aten::avg_pool2d", _COPY, "aten::relu"]
    # An omitted argument has its default: a kernel for ceil_mode=True does not accept the call above.
    of_whole_windows = nn.AvgPool2d(2, ceil_mode=True)
    assert _converted_for(kernels, of_whole_windows) == ["aten::avg_pool2d"]
    without_kernels = nn.UpsamplingNearest2d(scale_factor=2)
    assert _COPY not in _converted_for(kernels, without_kernels)

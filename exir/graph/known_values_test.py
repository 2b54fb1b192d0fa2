"""Tests that known values equal the values that the operators compute."""

import itertools
from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import Dim, export

from exir.graph.known_values import known_value
from exir.graph.layouts import same_layout
from exir.graph.variants import run_copying

NORM = torch.ops.aten._native_batch_norm_legit_no_training.default
DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
SHAPES = [(2, 3), (1, 3), (2, 3, 4), (2, 3, 4, 5), (2, 3, 1, 1), (0, 3, 4), (2, 3, 4, 5, 6)]


def _in_order(shape: tuple[int, ...], dtype: torch.dtype, order: list[int]) -> Tensor:
    """Return a tensor of `shape` with the dim order `order`."""
    tensor = torch.empty([shape[dim] for dim in order], dtype=dtype)
    return tensor.permute([order.index(dim) for dim in range(len(shape))])


LAYOUTS: dict[str, Callable[[tuple[int, ...], torch.dtype], Tensor]] = {
    "contiguous": lambda shape, dtype: _in_order(shape, dtype, [*range(len(shape))]),
    "transposed": lambda shape, dtype: _in_order(shape, dtype, [*range(len(shape))][::-1]),
    "batch last": lambda shape, dtype: _in_order(shape, dtype, [*range(1, len(shape)), 0]),
    "channels last": lambda shape, dtype: _in_order(shape, dtype, [0, *range(2, len(shape)), 1]),
    "every second": lambda shape, dtype: torch.empty((*shape, 2), dtype=dtype)[..., 0],
    "expanded": lambda shape, dtype: torch.empty((1, *shape[1:]), dtype=dtype).expand(shape),
}


def _assert_known(x: Tensor, weight: Tensor | None, statistics: Tensor) -> None:
    args = (x, weight, weight, statistics, statistics, 0.1, 1e-5)
    known, computed = known_value(NORM, args, {}), run_copying(NORM, args, {})
    assert len(known) == len(computed) and all(map(same_layout, known, computed)), (known, computed)


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("shape", SHAPES)
def test_batch_norm_fake_result_has_its_inputs_layout(layout: str, shape: tuple[int, ...]) -> None:
    for dtype, statistics_dtype in itertools.product(DTYPES, DTYPES):
        with FakeTensorMode():
            statistics = torch.empty(3, dtype=statistics_dtype)
            for weight in (statistics, None):
                _assert_known(LAYOUTS[layout](shape, dtype), weight, statistics)


def test_batch_norm_fake_result_keeps_dynamic_sizes() -> None:
    dynamic = {"input": {0: Dim("n", max=8), 2: Dim("m", max=9)}}
    program = export(torch.nn.Identity(), (torch.ones(3, 3, 4),), dynamic_shapes=dynamic)
    x = next(iter(program.graph.nodes)).meta["val"]
    with x.fake_mode:
        _assert_known(x, None, torch.empty(3))


GROUPED = [((1, 4), "contiguous"), ((2, 4, 5), "contiguous"), ((1, 4, 5, 6), "contiguous")] + [
    (shape, "channels last") for shape in [(1, 4, 5, 6), (2, 4, 5, 6), (1, 4, 1, 1), (1, 4, 3, 5, 6)]
]


@pytest.mark.parametrize(("shape", "layout"), GROUPED)
def test_group_norm_fake_result_matches_eager(shape: tuple[int, ...], layout: str) -> None:
    x = LAYOUTS[layout](shape, torch.float32).zero_()
    args = (x, None, None, shape[0], 4, x[0, 0].numel(), 2, 1e-5)
    computed = torch.ops.aten.native_group_norm.default(*args)
    mode = FakeTensorMode()
    with mode:
        known = known_value(
            torch.ops.aten.native_group_norm.default, (mode.from_tensor(x), *args[1:]), {}
        )
    layouts = [
        [(result.dtype, result.shape, result.stride()) for result in results]
        for results in (known, computed)
    ]
    assert layouts[0] == layouts[1]

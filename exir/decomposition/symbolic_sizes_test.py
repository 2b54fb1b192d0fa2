"""Tests of operators on sizes of inputs, derived sizes, and data-dependent sizes."""

from collections.abc import Callable
from typing import Any, cast

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, export

from exir import to_edge
from exir.error import UnsupportedOperatorError
from exir.torch_versions import can_export

HEIGHT, WIDTH = Dim("h", min=8, max=64), Dim("w", min=8, max=64)
A, B = Dim("a", min=2, max=16), Dim("b", min=2, max=16)
# torch.export limits sizes to those for which its norm formula holds: even orders.
EXPORTED = Dim.AUTO(max=16)


class Call(nn.Module):
    """Wraps a function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Any:
        return self.function(*inputs)


def resized(mode: str) -> Callable[[Tensor], Tensor]:
    def resize(x: Tensor) -> Tensor:
        return nn.functional.interpolate(x[..., ::2, ::2], size=x.shape[-2:], mode=mode)

    return resize


def first(x: Tensor, count: Tensor) -> Tensor:
    n = cast(int, count.item())
    torch._check(n >= 1)
    torch._check(n <= 8)
    return x[:n] * 2


def extended(x: Tensor, count: Tensor) -> Tensor:
    n = cast(int, count.item())
    torch._check(n >= 1)
    torch._check(n <= 8)
    return torch.cat([x, torch.ones(n, 3) * n])


def pooled(mode: str) -> Callable[[Tensor], Tensor]:
    """Return a function that pools to a static size; the batch stays symbolic."""

    def pool(x: Tensor) -> Tensor:
        small = nn.functional.adaptive_avg_pool2d(x, (2, 3))
        return nn.functional.interpolate(small, size=(9, 8), mode=mode)

    return pool


BATCHES: list[tuple[Tensor, ...]] = [(torch.randn(2, 3, 9, 8),), (torch.randn(5, 3, 9, 8),)]
IMAGES = (torch.randn(1, 3, 32, 32), torch.randn(1, 3, 9, 64))
ROWS = torch.randn(8, 3)
MASKS: list[tuple[Tensor, ...]] = [
    (torch.tensor([1.0, -1.0, 2.0]),),
    (-torch.ones(3),),
    (torch.eye(3, 4),),
]
CASES: dict[str, tuple[Any, Any, list[tuple[Tensor, ...]]]] = {
    "bilinear": (resized("bilinear"), ({2: HEIGHT, 3: WIDTH},), [(image,) for image in IMAGES]),
    "nearest": (resized("nearest"), ({2: HEIGHT, 3: WIDTH},), [(image,) for image in IMAGES]),
    "bicubic to numbers": (
        lambda x: nn.functional.interpolate(x, size=(6, 11), mode="bicubic"),
        ({2: HEIGHT, 3: WIDTH},),
        [(image,) for image in IMAGES],
    ),
    "a batch, bilinear": (pooled("bilinear"), ({0: A},), BATCHES),
    "a batch, nearest": (pooled("nearest"), ({0: A},), BATCHES),
    "two symbols": (
        lambda x, y: torch.cat([x, y]) * 2,
        ({0: A}, {0: B}),
        [(torch.randn(4, 3), torch.randn(5, 3)), (torch.randn(16, 3), torch.randn(2, 3))],
    ),
    "a relation": (
        lambda x, y: x[1:] + y,
        ({0: A}, {0: A - 1}),
        [(torch.randn(5, 3), torch.randn(4, 3)), (torch.randn(9, 3), torch.randn(8, 3))],
    ),
    "item slices": (first, (None, None), [(ROWS, torch.tensor(3)), (ROWS, torch.tensor(8))]),
    "places of one dimension": (lambda x: torch.where(x > 0)[0] * 2, (None,), MASKS[:2]),
    "places of two": (lambda x: torch.stack(torch.where(x > 0)), (None,), MASKS[2:]),
    "places, twice": (
        lambda x: (torch.where(x > 0)[0] + 1, torch.nonzero(x > 0, as_tuple=True)[0]),
        (None,),
        MASKS[:2],
    ),
    "places beside the rows that a mask chooses": (
        lambda x: (x[x > 0], torch.where(x > 0)[0], torch.argwhere(x > 0)),
        (None,),
        MASKS[:2],
    ),
    "places in a tensor of a dynamic size": (
        lambda x: torch.argwhere(x > 0),
        ({0: A},),
        [(ROWS,), (ROWS[:3],)],
    ),
    "filled with a size": (
        lambda x: x.masked_fill(x > 0, x.shape[0]),
        ({0: A},),
        [(ROWS,), (ROWS[:3],)],
    ),
    "filled with a part of a size": (
        lambda x: x + torch.full((1,), x.shape[0] * 0.25 - 1),
        ({0: A},),
        [(ROWS,), (ROWS[:3],)],
    ),
    "scaled by a size": (
        lambda x: torch.addmv(x[:, 0], x, x[0], beta=x.shape[0], alpha=x.shape[0]),
        ({0: A},),
        [(ROWS,), (ROWS[:3],)],
    ),
    "a distance whose order is a size": (
        lambda x: torch.dist(x, x * x, x.shape[0]),
        ({0: EXPORTED},),
        [(ROWS,), (ROWS[:4],)],
    ),
    "item makes": (extended, (None, None), [(ROWS, torch.tensor(3)), (ROWS, torch.tensor(1))]),
}
if can_export("a quantile along a dynamic size"):
    CASES["a quantile along a dynamic size"] = (
        lambda x: x.quantile(0.3, 0),
        ({0: A},),
        [(ROWS,), (ROWS[:3],)],
    )
if can_export("a norm whose order is a part of a size"):
    CASES["a norm whose order is a part of a size"] = (
        lambda x: torch.ops.aten.norm.Scalar(x, x.shape[0] * 0.25),
        ({0: EXPORTED},),
        [(ROWS,), (torch.randn(16, 3),)],
    )


@pytest.mark.parametrize("case", CASES)
def test_symbolic_sizes_match_eager_for_all_sizes(case: str) -> None:
    function, shapes, calls = CASES[case]
    module = Call(function)
    exported = export(module, calls[0], dynamic_shapes=(shapes,), strict=False)
    edge = to_edge(exported)
    for inputs in calls:
        torch.testing.assert_close(edge.exported_program().module()(*inputs), function(*inputs))
    edge.to_executorch()


@pytest.mark.parametrize("median", [torch.median, torch.nanmedian])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32", "int16", "int8", "uint8"])
def test_median_over_a_size_that_can_be_zero(median: Callable[..., Tensor], dtype: str) -> None:
    rows = torch.arange(15).reshape(5, 3).flip(0).to(getattr(torch, dtype))
    calls = [rows, rows[:0], rows[:1], rows[:2]]
    if rows.is_floating_point():
        calls += [torch.where(rows > 9, torch.nan, rows), torch.full_like(rows, torch.nan)]
    exported = export(Call(median), (rows,), dynamic_shapes=(({0: Dim("rows", min=0, max=16)},),))
    run = to_edge(exported).exported_program().module()
    for x in calls:
        torch.testing.assert_close(run(x), median(x), equal_nan=True)


@pytest.mark.parametrize("dims", [0, (0, 1), ()])
def test_roll_of_a_size_that_can_be_zero(dims: Any) -> None:
    shifts = (1, 2) if dims == (0, 1) else -2

    def roll(x: Tensor) -> Tensor:
        return x.roll(shifts, dims)

    exported = export(
        Call(roll), (torch.randn(5, 3),), dynamic_shapes=(({0: Dim("rows", min=0, max=16)},),)
    )
    run = to_edge(exported).exported_program().module()
    for rows in (5, 2, 0, 16):
        x = torch.randn(rows, 3)
        torch.testing.assert_close(run(x), roll(x))


def test_norm_of_possibly_zero_order_is_refused() -> None:
    exported = export(
        Call(lambda x: torch.dist(x, x * x, x.shape[0] - 2)), (ROWS,), dynamic_shapes=(({0: EXPORTED},),)
    )
    with pytest.raises(
        UnsupportedOperatorError, match="the order of a norm is the size .*, which can be 0"
    ):
        to_edge(exported)


@pytest.mark.parametrize("dim", [0, 2])
def test_sizes_of_empty_tensors_stay_symbolic(dim: int) -> None:
    around = Call(lambda x: nn.functional.pad(x, (1, 1, 1, 0), mode="circular"))
    exported = export(around, (torch.randn(3, 4, 6, 7),), dynamic_shapes=(({dim: A},),))
    manager = to_edge(exported).to_executorch()
    (x,) = manager.exported_program().graph.find_nodes(op="placeholder")
    assert not x.meta["val"].shape[dim].node.expr.is_number
    assert not x.meta["spec"].is_static


class Padded(nn.Module):
    """Pads a decomposed layer's result, which has no value in the exported program."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Conv2d(4, 4, 1)

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.pad(self.layer(x), (1, 2, 0, 1))


def test_padded_size_stays_symbolic() -> None:
    exported = export(Padded(), (torch.randn(3, 4, 6, 7),), dynamic_shapes=({0: A},))
    (result,) = to_edge(exported).exported_program().graph.output_node().all_input_nodes
    assert isinstance(result.meta["val"].shape[0], torch.SymInt)
    assert not result.meta["val"].shape[0].node.expr.is_number


def test_write_through_a_view_keeps_a_size_of_zero_dynamic() -> None:
    """The rest of the state is empty for the example, but not for other calls."""

    class Rest(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("state", torch.arange(3.0))

        def forward(self, x: Tensor, n: int) -> tuple[Tensor, Tensor]:
            self.state.split([2, 1])[0].copy_(x)  # a view without an inverse: the program is retraced
            return self.state[n:], x * n

    exported = export(Rest(), (torch.ones(2), 3), dynamic_shapes=(None, Dim.DYNAMIC(min=2, max=3)))
    run = to_edge(exported).exported_program().module()
    for n in (2, 3):
        rest, _ = run(torch.ones(2), n)
        torch.testing.assert_close(rest, torch.tensor([1.0, 1.0, 2.0])[n:])


def test_retracing_broadcasts_a_size_that_is_1_for_the_example() -> None:
    """torch.export assumes `n % 2 % 5 == 1`, and the write makes exir retrace."""

    class Broadcast(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("state", torch.arange(3.0))

        def forward(self, x: Tensor, n: int) -> Tensor:
            self.state.split([2, 1])[0].copy_(x[0, :2])
            return torch.where(x > torch.zeros(n % 2 % 5) + 0 * x.sum(), x, x * n) + self.state[0]

    exported = export(
        Broadcast(), (torch.ones(2, 4), 5), dynamic_shapes=(None, Dim.DYNAMIC(min=0, max=5))
    )
    run = to_edge(exported).exported_program().module()
    for n in (3, 5):
        torch.testing.assert_close(run(-torch.ones(2, 4), n), torch.full((2, 4), -n - 1.0))

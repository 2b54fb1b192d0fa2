"""Test that kernels that move elements match PyTorch."""

from __future__ import annotations

import pytest
import torch

from kernels.testing.native import KernelError
from kernels.testing.parity import NUMBERS, blank, channels_last, check, load_kernels, random_tensor

KERNELS = load_kernels()
TO = "dim_order_ops::_to_dim_order_copy.out"
EMBEDDING = "aten::embedding.out"
X = random_tensor((2, 3, 4))
IMAGE = random_tensor((2, 3, 4, 5))


def fails(message: str, name: str, *arguments: object) -> None:
    with pytest.raises(KernelError, match=message):
        KERNELS.call(name, *arguments)


@pytest.mark.parametrize("size", [[24], [4, -1], [2, 1, 12], [6, 4]], ids=str)
def test_view_copy_keeps_row_major_order(size: list[int]) -> None:
    check(KERNELS, "aten::view_copy.out", X, size)
    check(KERNELS, "aten::view_copy.out", torch.empty(2, 0, 3), [0, 4])
    rows = channels_last(IMAGE)
    order = range(2)
    check(KERNELS, "aten::view_copy.out", rows, [6, -1], order=order, reference=lambda x, s: x.reshape(s).contiguous())


def test_view_copy_with_another_element_count_is_an_error() -> None:
    fails("24 elements are not divisible by 5", "aten::view_copy.out", X, [5, -1], X.clone(), X.clone())
    nothing = torch.empty(2, 0, 3)
    fails(
        "0 elements are not divisible by 0", "aten::view_copy.out", nothing, [0, -1], nothing.clone(), nothing.clone()
    )
    fails("only one size may be inferred", "aten::view_copy.out", X, [-1, -1], X.clone(), X.clone())
    fails("-2 is not in", "aten::view_copy.out", X, [-2], X.clone(), X.clone())


@pytest.mark.parametrize("dims", [[0, 1, 2], [2, 0, 1], [-1, 0, -2]], ids=str)
@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_permute_copy_follows_pytorch(dims: list[int], dtype: torch.dtype) -> None:
    x = random_tensor((2, 3, 4), dtype)
    check(KERNELS, "aten::permute_copy.out", x, dims, order=range(3))


def test_invalid_permutation_is_an_error() -> None:
    for dims, message in [([0, 0, 1], "is repeated"), ([0, 1], "2 dims"), ([0, 1, 3], "axis 3 is not in")]:
        fails(message, "aten::permute_copy.out", X, dims, X.clone(), X.clone())


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize("target", NUMBERS, ids=str)
def test_dtype_conversion_follows_pytorch(dtype: torch.dtype, target: torch.dtype) -> None:
    x = random_tensor((100,), dtype) * (1 if dtype == torch.bool else 2)
    if dtype.is_floating_point:
        x = torch.cat([x, torch.tensor([0.0, -0.0, 6e-8, 65519.0, 65520.0, 3e-5]).to(dtype)])
    if target in (torch.uint8, torch.int8, torch.int16):
        x = x.clamp(0, 100)
    x = x if target.is_floating_point else x[x.isfinite()]
    check(KERNELS, TO, x, False, [0], reference=lambda x, *_, to=target: x.to(to), out=target)


def test_special_values_survive_conversion() -> None:
    x = torch.tensor([float("inf"), float("-inf"), float("nan"), 1e-45, 3.4e38, 1.5])
    for target in (torch.float16, torch.bfloat16, torch.float64, torch.bool):
        check(KERNELS, TO, x, False, None, reference=lambda x, *_, to=target: x.to(to), out=target)


def test_dim_order_copy_changes_the_layout() -> None:
    reference = lambda x, *_: x.contiguous()
    clone = "dim_order_ops::_clone_dim_order.out"
    check(KERNELS, clone, IMAGE, False, [0, 2, 3, 1], order=(0, 2, 3, 1), reference=reference)
    check(KERNELS, clone, channels_last(IMAGE), False, [0, 1, 2, 3], order=(0, 1, 2, 3), reference=reference)
    check(KERNELS, "aten::clone.out", channels_last(IMAGE), None, order=(0, 1, 2, 3))
    for order in ([0, 2, 3, 1], [1, 1, 2, 3], [0, 1, 2]):
        fails("dim_order", clone, IMAGE, False, order, IMAGE.clone(), IMAGE.clone())


def test_copy_in_place_broadcasts_and_converts() -> None:
    target = torch.zeros(2, 3)
    KERNELS.call("aten::copy_", target, torch.tensor([1, 2, 3]), False, target)
    assert target.tolist() == [[1, 2, 3], [1, 2, 3]]
    fails("does not broadcast", "aten::copy_", target, torch.ones(4), False, target)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize("value", [3, 2.5, True], ids=repr)
def test_full_fills_follow_pytorch(dtype: torch.dtype, value: float) -> None:
    check(KERNELS, "aten::full.out", [2, 3], value, out=dtype)
    check(KERNELS, "aten::full_like.out", random_tensor((2, 3), dtype), value, None)
    check(KERNELS, "aten::scalar_tensor.out", value, out=dtype)


def test_fill_accepts_special_values_and_zero_dimensional_tensors() -> None:
    check(KERNELS, "aten::full.out", [], float("-inf"), out=torch.float32)
    check(KERNELS, "aten::full.out", [0, 2], 1, out=torch.float32)
    check(KERNELS, "aten::scalar_tensor.out", float("nan"), out=torch.float16)


@pytest.mark.parametrize("size", [[2, 3, 4], [5, 2, 3, 4], [-1, 3, -1]], ids=str)
def test_expand_copy_follows_pytorch(size: list[int]) -> None:
    check(KERNELS, "aten::expand_copy.out", X, size, False)
    check(KERNELS, "aten::expand_copy.out", X[:, :1].contiguous(), [2, 7, 4], False)
    fails("does not broadcast", "aten::expand_copy.out", X, [2, 3, 5], False, X.clone(), X.clone())
    fails("new dimension", "aten::expand_copy.out", X, [-1, 2, 3, 4], False, X.clone(), X.clone())
    fails("1 sizes for 3", "aten::expand_copy.out", X, [24], False, X.clone(), X.clone())


@pytest.mark.parametrize(
    "bounds", [(0, 2, 1), (1, 2**63 - 1, 1), (-2, None, 1), (None, -1, 2), (3, 1, 1), (0, 99, 3)], ids=str
)
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_slice_copy_follows_pytorch(dim: int, bounds: tuple[int | None, int | None, int]) -> None:
    check(KERNELS, "aten::slice_copy.Tensor_out", X, dim, *bounds)
    check(KERNELS, "aten::slice_copy.Tensor_out", channels_last(IMAGE), dim, *bounds, order=(0, 1, 2, 3))


def test_invalid_slice_is_an_error() -> None:
    fails("step 0 is not positive", "aten::slice_copy.Tensor_out", X, 0, 0, 1, 0, X.clone(), X.clone())
    fails("axis 3 is not in", "aten::slice_copy.Tensor_out", X, 3, 0, 1, 1, X.clone(), X.clone())


@pytest.mark.parametrize(("dim", "index"), [(0, 0), (1, 2), (-1, -1), (2, -4)])
def test_select_copy_follows_pytorch(dim: int, index: int) -> None:
    check(KERNELS, "aten::select_copy.int_out", X, dim, index)
    check(KERNELS, "aten::select_copy.int_out", channels_last(IMAGE), dim, index if dim != 2 else 0, order=(0, 1, 2))


def test_selected_index_out_of_range_is_an_error() -> None:
    for index in (2, -3, 2**62):
        fails("is out of range for size 2", "aten::select_copy.int_out", X, 0, index, X.clone(), X.clone())


def test_squeeze_and_unsqueeze_follow_pytorch() -> None:
    x = random_tensor((1, 3, 1, 4))
    for dims in ([0], [0, 2], [1], [-2], []):
        check(KERNELS, "aten::squeeze_copy.dims_out", x, dims)
    for dim in (0, 2, -1, 4):
        check(KERNELS, "aten::unsqueeze_copy.out", x, dim)
    check(KERNELS, "aten::unsqueeze_copy.out", torch.tensor(1.0), 0)


def test_split_follows_pytorch() -> None:
    expected = X.split([1, 3, 0], 2)
    outs = [blank(part.contiguous()) for part in expected]
    KERNELS.call("aten::split_with_sizes_copy.out", X, [1, 3, 0], -1, outs, outs)
    for out, part in zip(outs, expected, strict=True):
        assert torch.equal(out, part)


def test_invalid_split_is_an_error() -> None:
    outs = [X.clone(), X.clone()]
    for sizes, message in [([1, 1], "omit 2 of 4"), ([5, -1], "is out of range"), ([4], "1 sizes, but 2 outs")]:
        fails(message, "aten::split_with_sizes_copy.out", X, sizes, 2, outs, outs)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_cat_follows_pytorch(dim: int) -> None:
    empty = torch.empty(0)
    check(KERNELS, "aten::cat.out", [X], dim, out=torch.float32)
    check(KERNELS, "aten::cat.out", [X, X * 2, X], dim, out=torch.float32)
    check(KERNELS, "aten::cat.out", [empty, X, empty, X], dim, out=torch.float32)
    check(KERNELS, "aten::cat.out", [channels_last(IMAGE), IMAGE], dim, out=torch.float32, order=(0, 1, 2, 3))
    check(KERNELS, "aten::cat.out", [X.to(torch.int32), X.to(torch.int32)], dim, out=torch.int32)


def test_invalid_cat_is_an_error() -> None:
    out = torch.empty(99)
    fails("sizes 3 and 2 differ", "aten::cat.out", [X, X[:, :2].contiguous()], 0, out, out)
    fails("3 and 2 dimensions", "aten::cat.out", [X, X[0]], 0, out, out)
    fails("no tensors", "aten::cat.out", [], 0, out, out)


def test_embedding_follows_pytorch() -> None:
    weight = random_tensor((10, 4))
    narrow, empty = torch.tensor([2, 2], dtype=torch.int32), torch.empty(0, dtype=torch.int64)
    for indices in (torch.tensor([[1, 9], [0, 1]]), torch.tensor(3), narrow, empty):
        check(KERNELS, EMBEDDING, weight, indices, -1, False, False)


def test_embedded_index_out_of_range_is_an_error() -> None:
    weight, out = random_tensor((10, 4)), torch.ones(1, 4)
    for index in (-1, 10, 2**62):
        arguments = (weight, torch.tensor([index]), -1, False, False, out, out)
        fails("is not in \\[0, 10\\)", EMBEDDING, *arguments)


I = torch.tensor([0, -1, 1])
J = torch.tensor([[1], [0]])
MASK = torch.tensor([True, False, True])
INDEX_CASES = [
    [I],
    [None, I],
    [None, None, I],
    [I, J],
    [I, None, J],
    [None, I, J],
    [I.to(torch.int32)],
    [torch.tensor([], dtype=torch.int64)],
    [None, MASK],
    [random_tensor((2, 3), torch.bool)],
    [torch.zeros(2, 3, 4, dtype=torch.bool)],
]


@pytest.mark.parametrize("indices", INDEX_CASES, ids=range(len(INDEX_CASES)))
def test_index_follows_pytorch(indices: list[torch.Tensor | None]) -> None:
    check(KERNELS, "aten::index.Tensor_out", X, indices, reference=lambda x, i: torch.ops.aten.index(x, i))
    check(KERNELS, "aten::index.Tensor_out", X > 0, indices, reference=lambda x, i: torch.ops.aten.index(x, i))


@pytest.mark.parametrize("indices", INDEX_CASES, ids=range(len(INDEX_CASES)))
@pytest.mark.parametrize("accumulate", [False, True])
def test_index_put_follows_pytorch(indices: list[torch.Tensor | None], accumulate: bool) -> None:
    shape = torch.ops.aten.index(X, indices).shape
    values = random_tensor(shape, seed=3) if accumulate else torch.tensor(7.0)
    check(KERNELS, "aten::index_put.out", X, indices, values, accumulate)
    target = X.clone()
    KERNELS.call("aten::index_put_", target, indices, values, accumulate, target)
    torch.testing.assert_close(target, torch.ops.aten.index_put(X, indices, values, accumulate))


def test_indices_of_empty_dimensions_are_unrestricted() -> None:
    nothing = torch.empty(3, 0)
    for index in ([9], [[9, 1]], [-7]):
        indices = [torch.tensor(index)]
        check(KERNELS, "aten::index.Tensor_out", nothing, indices, reference=lambda x, i: torch.ops.aten.index(x, i))
        for accumulate in (False, True):
            check(KERNELS, "aten::index_put.out", nothing, indices, torch.tensor(1.0), accumulate)
    column = torch.empty(0, 3)
    fails(
        "is not in \\[0, 0\\)",
        "aten::index_put.out",
        column,
        [torch.tensor([0])],
        torch.tensor(1.0),
        False,
        *[column] * 2,
    )


def test_index_out_of_range_is_an_error() -> None:
    for index in (2, -3, 2**62):
        wrong = [torch.tensor([index])]
        fails("is not in \\[-2, 2\\)", "aten::index.Tensor_out", X, wrong, X.clone(), X.clone())
        fails("is not in \\[-2, 2\\)", "aten::index_put.out", X, wrong, torch.tensor(1.0), False, X.clone(), X.clone())


def test_invalid_indices_are_an_error() -> None:
    one = torch.tensor([0])
    for indices, message in [
        ([one] * 4, "more indices than"),
        ([None], "no dimension is indexed"),
        ([MASK, one], "size 3 of the mask does not match 2"),
        ([torch.ones(2, dtype=torch.bool), one], "a mask must be the only index"),
        ([one.float()], "indices are float32"),
    ]:
        fails(message, "aten::index.Tensor_out", X, indices, X.clone(), X.clone())
    fails("values do not broadcast", "aten::index_put.out", X, [one], torch.ones(5), False, X.clone(), X.clone())


def test_nonzero_lists_coordinates_in_any_layout() -> None:
    for x in (X > 0, X.round(), torch.zeros(3), torch.tensor(1.0), channels_last(IMAGE) > 0):
        expected = torch.nonzero(x)
        for order in ((0, 1), (1, 0)):
            check(
                KERNELS,
                "aten::nonzero.out",
                x,
                out=torch.int64,
                order=order,
                reference=lambda _, nonzero=expected: nonzero,
            )


@pytest.mark.parametrize("pad", [[1, 2], [0, 1, 2, 0], [1, 1, 1, 1, 1, 1], [-1, 2], [-4, 0], []], ids=str)
def test_constant_pad_follows_pytorch(pad: list[int]) -> None:
    check(KERNELS, "aten::constant_pad_nd.out", X, pad, 3.5)
    check(KERNELS, "aten::constant_pad_nd.out", X.to(torch.int64), pad, 3)


def test_invalid_constant_padding_is_an_error() -> None:
    for pad, message in [
        ([1], "1 paddings"),
        ([1] * 8, "8 paddings"),
        ([-3, -3], "size -2"),
        ([2**40, 0], "too large"),
    ]:
        fails(message, "aten::constant_pad_nd.out", X, pad, 0, X.clone(), X.clone())


def test_copy_broadcasts_the_source() -> None:
    for dtype in (torch.float32, torch.int64, torch.bool, torch.float16):
        source = random_tensor((4,)).to(dtype)
        check(KERNELS, "aten::copy.out", torch.zeros(3, 4, dtype=dtype), source, False)
    out = torch.zeros(3)
    fails("does not broadcast", "aten::copy.out", torch.zeros(3), torch.ones(4), False, out, out)

"""Test that the attention kernel matches PyTorch."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from kernels.testing.native import KernelError
from kernels.testing.parity import load_kernels, random_tensor

KERNELS = load_kernels()
NAME = "attention::scaled_dot_product.out"
_TOLERANCES = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}

# Query heads, key heads, queries, keys, elements of queries and keys, elements of values. Includes partial blocks and
# panels.
SHAPES = [
    (2, 2, 5, 7, 8, 8),
    (4, 2, 70, 130, 16, 24),
    (4, 1, 1, 200, 64, 64),
    (3, 3, 33, 64, 1, 3),
    (6, 3, 32, 65, 5, 7),
]


def operands(shape: tuple[int, ...], dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    heads, shared, queries, keys, depth, width = shape
    sizes = ((2, heads, queries, depth), (2, shared, keys, depth), (2, shared, keys, width))
    return [random_tensor(size, dtype, seed=seed) for seed, size in enumerate(sizes)]


def check_attention(
    tensors: list[torch.Tensor], mask: torch.Tensor | None = None, causal: bool = False, scale: float = 0.3
) -> None:
    query, key, value = tensors
    expected = F.scaled_dot_product_attention(query, key, value, mask, is_causal=causal, scale=scale, enable_gqa=True)
    out = torch.full([*query.shape[:3], value.shape[3]], 7.0, dtype=query.dtype)
    KERNELS.call(NAME, *tensors, mask, causal, scale, out, out)
    tolerance = _TOLERANCES[query.dtype]
    torch.testing.assert_close(out, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", _TOLERANCES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_non_causal_queries_attend_to_every_key(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    check_attention(operands(shape, dtype))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_causal_queries_attend_up_to_their_position(shape: tuple[int, ...]) -> None:
    check_attention(operands(shape), causal=True)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_boolean_mask_selects_attended_keys(shape: tuple[int, ...]) -> None:
    mask = random_tensor((shape[2], shape[3]), torch.float32, seed=5) > 0
    mask[:, 0] = True
    check_attention(operands(shape), mask)


@pytest.mark.parametrize("dtype", _TOLERANCES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_float_mask_is_added_to_the_scores(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    for sizes in ((2, 1, 1, shape[3]), (shape[0], shape[2], 1), (1, shape[3]), (1, 1)):
        check_attention(operands(shape, dtype), random_tensor(sizes, dtype, seed=6))


def test_fully_masked_query_is_zero() -> None:
    mask = torch.ones(5, 7, dtype=torch.bool)
    mask[2] = False
    tensors = operands(SHAPES[0])
    check_attention(tensors, mask)
    out = torch.empty(2, 2, 5, 8)
    KERNELS.call(NAME, *tensors, mask, False, 0.3, out, out)
    assert not out[:, :, 2].any()


def test_heads_may_be_interleaved() -> None:
    """Test heads that are interleaved, as in the output of one GEMM for all heads."""
    tensors = [operand.transpose(1, 2).contiguous().transpose(1, 2) for operand in operands(SHAPES[1])]
    check_attention(tensors)


def test_softmax_of_large_score_ranges_does_not_overflow() -> None:
    query, key, value = operands(SHAPES[0])
    check_attention([query * 1e3, key * 1e3, value])


def test_attention_without_keys_is_zero() -> None:
    query, key, value = operands(SHAPES[0])
    out = torch.full([2, 2, 5, 8], 7.0)
    KERNELS.call(NAME, query, key[:, :, :0].contiguous(), value[:, :, :0].contiguous(), None, False, 1.0, out, out)
    assert not out.any()


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        (
            ((2, 3, 5, 8), (2, 2, 7, 8), (2, 2, 7, 8)),
            "3 query heads are not a multiple of 2 key heads and 2 value heads",
        ),
        (
            ((2, 2, 5, 8), (2, 2, 7, 8), (2, 1, 7, 8)),
            "2 query heads are not a multiple of 2 key heads and 1 value heads",
        ),
        (((2, 2, 5, 8), (1, 2, 7, 8), (1, 2, 7, 8)), "batches of 2 queries, 1 keys and 1 values"),
        (((2, 2, 5, 8), (2, 2, 7, 8), (2, 2, 6, 8)), "7 keys, but 6 values"),
        (((2, 2, 5, 8), (2, 2, 7, 9), (2, 2, 7, 8)), "queries have 8 elements, keys 9"),
    ],
)
def test_sdpa_rejects_mismatched_shapes(sizes: tuple[tuple[int, ...], ...], said: str) -> None:
    out = torch.empty(2, 2, 5, 8)
    with pytest.raises(KernelError, match=f"scaled_dot_product: {said}"):
        KERNELS.call(NAME, *map(torch.ones, sizes), None, False, 1.0, out, out)


def test_sdpa_mask_that_does_not_broadcast_is_an_error() -> None:
    out = torch.empty(2, 2, 5, 8)
    with pytest.raises(KernelError, match=r"the mask does not broadcast to \[2, 2, 5, 7\]"):
        KERNELS.call(NAME, *operands(SHAPES[0]), torch.ones(5, 6), False, 1.0, out, out)

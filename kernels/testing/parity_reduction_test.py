"""Reductions give what PyTorch gives."""

from __future__ import annotations

import pytest
import torch

from kernels.testing.native import DTYPE_CODES, KernelError
from kernels.testing.parity import NUMBERS, channels_last, check, load_kernels, random_tensor

KERNELS = load_kernels()
FLOAT32 = DTYPE_CODES[torch.float32]
X = random_tensor((2, 3, 4))
IMAGE = channels_last(random_tensor((2, 3, 4, 5)))
SPECIAL = torch.tensor([[1.0, float("nan"), 3.0], [float("inf"), float("-inf"), 0.0], [2.0, float("inf"), 2.0]])
DIMS = [None, [], [0], [-1], [0, 2]]


def fails(message: str, name: str, *arguments: object) -> None:
    with pytest.raises(KernelError, match=message):
        KERNELS.call(name, *arguments)


@pytest.mark.parametrize("dims", DIMS, ids=str)
@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_sum_follows_pytorch(dtype: torch.dtype, dims: list[int] | None) -> None:
    out = dtype if dtype.is_floating_point else torch.int64
    check(KERNELS, "aten::sum.IntList_out", random_tensor((2, 3, 4), dtype), dims, False, None, out=out)
    check(KERNELS, "aten::sum.IntList_out", random_tensor((2, 3, 4), dtype), dims, True, FLOAT32, out=torch.float32)


def test_sum_of_any_layout_nothing_and_special_values() -> None:
    check(KERNELS, "aten::sum.IntList_out", IMAGE, [1, 3], False, None, order=range(2))
    check(KERNELS, "aten::sum.IntList_out", SPECIAL, [1], False, None)
    check(KERNELS, "aten::sum.IntList_out", torch.empty(2, 0), [1], False, None)
    check(KERNELS, "aten::sum.IntList_out", torch.tensor(3.0), [-1], True, None)
    check(KERNELS, "aten::sum.IntList_out", torch.tensor([2**62, 2**62, 5]), None, False, None)

"""Test that normalization and gating kernels match PyTorch."""

from __future__ import annotations

import pytest
import torch

from kernels.testing.native import KernelError
from kernels.testing.parity import FLOATING, channels_last, check, load_kernels, random_tensor

KERNELS = load_kernels()
GROUP = "aten::native_group_norm.out"
BATCH = "aten::_native_batch_norm_legit"
IMAGE = random_tensor((2, 6, 3, 4))
WEIGHT, BIAS = random_tensor((6,), seed=1), random_tensor((6,), seed=2)


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
@pytest.mark.parametrize("groups", [1, 2, 6])
def test_group_norm_follows_pytorch(groups: int, dtype: torch.dtype) -> None:
    for parameters in ((None, None), (WEIGHT.to(dtype), None), (WEIGHT.to(dtype), BIAS.to(dtype))):
        for x in (IMAGE.to(dtype), IMAGE[..., 0].contiguous().to(dtype)):
            inner = x[0, 0].numel()
            check(KERNELS, GROUP, x, *parameters, 2, 6, inner, groups, 1e-5, out=(dtype,) * 3)


def test_group_norm_accepts_any_layout() -> None:
    arguments = (WEIGHT, BIAS, 2, 6, 12, 3, 1e-5)
    rows, out = channels_last(IMAGE), channels_last(torch.empty(2, 6, 3, 4))
    statistics = [torch.empty(2, 3), torch.empty(2, 3)]
    KERNELS.call(GROUP, rows, *arguments, out, *statistics, [out, *statistics])
    expected = torch.ops.aten.native_group_norm(IMAGE, *arguments)
    for result, tensor in zip((out, *statistics), expected, strict=True):
        torch.testing.assert_close(result, tensor, rtol=1e-5, atol=1e-5, check_stride=False)


def test_invalid_group_norm_is_an_error() -> None:
    outs = [torch.empty(2, 6, 3, 4), torch.empty(2, 6), torch.empty(2, 6)]
    for arguments, message in [
        ((None, None, 2, 6, 12, 4), "6 channels are not divisible by 4 groups"),
        ((None, None, 2, 6, 12, 0), "are not divisible by 0 groups"),
        ((None, None, 2, 6, 11, 2), "N, C and HxW do not match the input"),
        ((WEIGHT[:5], None, 2, 6, 12, 2), "weight must be floating with 6 elements"),
    ]:
        with pytest.raises(KernelError, match=message):
            KERNELS.call(GROUP, IMAGE, *arguments, 1e-5, *outs, outs)


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
def test_batch_norm_kernel_follows_pytorch(dtype: torch.dtype) -> None:
    x, weight, bias = IMAGE.to(dtype), WEIGHT.to(dtype), BIAS.to(dtype)
    check(KERNELS, f"{BATCH}.no_stats_out", x, weight, bias, True, 0.1, 1e-5, out=(dtype,) * 3)
    given = (random_tensor((6,), dtype, seed=3), random_tensor((6,), dtype, seed=4).abs())
    check(KERNELS, f"{BATCH}.out", x, weight, bias, *given, False, 0.1, 1e-5, out=(dtype,) * 3)


@pytest.mark.parametrize("place, name", list(enumerate(["weight", "bias", "running_mean", "running_var"])))
def test_batch_norm_checks_every_vector(place: int, name: str) -> None:
    vectors = [WEIGHT, BIAS, WEIGHT, BIAS]
    vectors[place] = vectors[place][:5]
    outs = [torch.empty(2, 6, 3, 4), torch.empty(6), torch.empty(6)]
    with pytest.raises(KernelError, match=f"{name} must be floating with 6 elements"):
        KERNELS.call(f"{BATCH}.out", IMAGE, *vectors, False, 0.1, 1e-5, *outs, outs)


def test_batch_norm_in_training_mode_is_an_error() -> None:
    outs = [torch.empty(2, 6, 3, 4), torch.empty(6), torch.empty(6)]
    with pytest.raises(KernelError, match="training is not supported"):
        KERNELS.call(f"{BATCH}.out", IMAGE, None, None, WEIGHT.clone(), BIAS.clone(), True, 0.1, 1e-5, *outs, outs)


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_glu_follows_pytorch(dim: int, dtype: torch.dtype) -> None:
    check(KERNELS, "aten::glu.out", random_tensor((4, 6, 8), dtype), dim)
    check(KERNELS, "aten::glu.out", torch.tensor([[float("nan"), 1.0], [1e4, -1e4]]), 1)
    with pytest.raises(KernelError, match="size 3 of dimension 0 is odd"):
        KERNELS.call("aten::glu.out", torch.ones(3), 0, torch.ones(3), torch.ones(3))

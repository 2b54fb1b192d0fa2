"""Test that grid sampling, antialiased upsampling and distances match PyTorch."""

from __future__ import annotations

import itertools

import pytest
import torch

from kernels.testing.native import KernelError
from kernels.testing.parity import FLOATING, channels_last, check, load_kernels, random_tensor

KERNELS = load_kernels()


def grid_of(n: int, *sizes: int) -> torch.Tensor:
    """Return grid points inside and outside the input, including corners and edges."""
    grid = random_tensor((n, *sizes, len(sizes)), seed=3)
    grid[:, 0] = torch.tensor([-1.0, 1.0, 0.0, -0.99])[: len(sizes)]
    grid[:, 1] *= 5
    return grid


MODES = list(itertools.product([0, 1, 2], [False, True]))


@pytest.mark.parametrize(("padding", "align"), MODES, ids=str)
@pytest.mark.parametrize("mode", [0, 1, 2])
def test_grid_sample_of_images_follows_pytorch(mode: int, padding: int, align: bool) -> None:
    grid = grid_of(2, 5, 4)
    for x in (random_tensor((2, 3, 6, 7)), random_tensor((2, 3, 1, 2))):
        rest = (grid, mode, padding, align)
        check(KERNELS, "aten::grid_sampler_2d.out", x, *rest, tolerance=(1e-4, 1e-4))
        check(KERNELS, "aten::grid_sampler_2d.out", channels_last(x), *rest, order=range(4), tolerance=(1e-4, 1e-4))


@pytest.mark.parametrize(("padding", "align"), MODES, ids=str)
@pytest.mark.parametrize("mode", [0, 1])
def test_grid_sample_of_volumes_follows_pytorch(mode: int, padding: int, align: bool) -> None:
    x, grid = random_tensor((2, 3, 4, 6, 7)), grid_of(2, 3, 5, 4)
    check(KERNELS, "aten::grid_sampler_3d.out", x, grid, mode, padding, align, tolerance=(1e-4, 1e-4))


def test_grid_sample_of_nan_coordinates_stays_in_bounds() -> None:
    """Test that NaN, infinite and huge coordinates do not read outside the input."""
    coordinates = torch.tensor([float("inf"), float("-inf"), float("nan"), 1e38, -1e38, 0.0])
    grid = torch.stack(torch.meshgrid(coordinates, coordinates, indexing="ij"), -1).unsqueeze(0)
    x = torch.ones(1, 1, 3, 3)
    for mode, padding, align in itertools.product([0, 1, 2], [0, 1, 2], [False, True]):
        out = torch.empty(1, 1, 6, 6)
        KERNELS.call("aten::grid_sampler_2d.out", x, grid, mode, padding, align, out, out)


def test_invalid_grid_sample_is_an_error() -> None:
    x, out = torch.ones(1, 1, 2, 2), torch.empty(1, 1, 2, 2)
    for image, grid, mode, padding, message in (
        (x, torch.zeros(2, 2, 2, 2), 0, 0, "grid has 2 images"),
        (x, torch.zeros(1, 2, 2, 3), 0, 0, "3 coordinates per point"),
        (x, torch.zeros(1, 2, 2, 2), 3, 0, "interpolation mode 3"),
        (x, torch.zeros(1, 2, 2, 2), 0, -1, "padding mode -1"),
        (torch.ones(1, 1, 0, 2), torch.zeros(1, 2, 2, 2), 0, 0, "dimension 2 of the input is empty"),
    ):
        with pytest.raises(KernelError, match=message):
            KERNELS.call("aten::grid_sampler_2d.out", image, grid, mode, padding, False, out, out)


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("name", ["bilinear", "bicubic"])
def test_antialiased_upsampling_follows_pytorch(name: str, align: bool) -> None:
    operator = f"aten::_upsample_{name}2d_aa.out"
    for x in (random_tensor((2, 3, 9, 11)), channels_last(random_tensor((2, 3, 9, 11)))):
        for size in ([4, 5], [1, 1], [20, 13], [3, 30]):
            check(KERNELS, operator, x, size, align, None, None, order=range(4), tolerance=(1e-4, 1e-4))
    check(KERNELS, operator, random_tensor((1, 1, 9, 11)), [4, 5], align, 0.5, 0.5, tolerance=(1e-4, 1e-4))


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("name", ["bilinear", "bicubic"])
def test_antialiased_upsampling_of_uint8_is_exact(name: str, align: bool) -> None:
    operator = f"aten::_upsample_{name}2d_aa.out"
    image = torch.randint(0, 256, (2, 3, 19, 31), generator=torch.Generator().manual_seed(0)).to(torch.uint8)
    for x in (image, channels_last(image), image[:, :1, :, :5].contiguous(), torch.full_like(image, 255)):
        for size in ([4, 5], [2, 2], [20, 13], [3, 30], [19, 8], [40, 31]):
            check(KERNELS, operator, x, size, align, None, None, order=range(4))
    check(KERNELS, operator, image, [9, 15], align, 0.5, 0.5)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 2.0, 3.0, float("inf")])
def test_cdist_follows_pytorch(p: float) -> None:
    for a, b in (
        ((4, 5), (3, 5)),
        ((2, 4, 70), (2, 3, 70)),
        ((2, 1, 4, 5), (3, 6, 5)),
        ((4, 0), (3, 0)),
        ((0, 5), (3, 5)),
    ):
        x, y = random_tensor(a), random_tensor(b, seed=1)
        check(KERNELS, "aten::_cdist_forward.out", x, y, p, None, reference=lambda x, y, p, _: torch.cdist(x, y, p))
    for shape in ((5, 70), (1, 3), (0, 3), (3, 0)):
        check(KERNELS, "aten::_pdist_forward.out", random_tensor(shape), p)


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
def test_cdist_accepts_every_floating_dtype(dtype: torch.dtype) -> None:
    x, y = random_tensor((4, 5), dtype), random_tensor((3, 5), dtype, seed=1)
    wide = lambda x, y, p, _: torch.cdist(x.double(), y.double(), p).to(dtype)
    check(KERNELS, "aten::_cdist_forward.out", x, y, 2.0, None, reference=wide)


def test_invalid_cdist_is_an_error() -> None:
    x, out = torch.ones(2, 3), torch.empty(2, 2)
    for y, p, message in (
        (torch.ones(2, 4), 2.0, "vectors have 3 and 4 elements"),
        (torch.ones(2, 3), -1.0, "p = -1 is negative"),
        (torch.ones(2, 3), float("nan"), "p = nan is negative or NaN"),
    ):
        with pytest.raises(KernelError, match=message):
            KERNELS.call("aten::_cdist_forward.out", x, y, p, None, out, out)

"""Compares compiled complex arithmetic and Fourier transforms with eager PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.operators.compiled import assert_follows_pytorch

_GENERATOR = torch.Generator().manual_seed(0)
LENGTHS = (1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 30, 49, 97, 128, 400)


def _real(*shape: int) -> Tensor:
    return torch.randn(shape, generator=_GENERATOR)


def _complex(*shape: int) -> Tensor:
    return torch.randn(shape, generator=_GENERATOR, dtype=torch.complex64)


@pytest.mark.parametrize("length", LENGTHS)
def test_fft_accepts_any_length(length: int) -> None:
    def all_of_them(real: Tensor, pairs: Tensor) -> tuple[Tensor, ...]:
        half = torch.fft.rfft(real)
        return (
            half,
            torch.fft.irfft(half, length),
            torch.fft.fft(pairs),
            torch.fft.ifft(pairs),
            torch.fft.hfft(pairs, length),
        )

    assert_follows_pytorch(all_of_them, _real(2, length), _complex(2, length), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_real_and_imaginary_parts_of_an_fft_along_any_dim_are_read(dim: int) -> None:
    def parts(real: Tensor, pairs: Tensor) -> tuple[Tensor, ...]:
        half, whole = torch.fft.rfft(real, dim=dim), torch.fft.fft(pairs, dim=dim)
        return torch.view_as_real(half), torch.view_as_real(whole), torch.fft.fft(real, dim=dim).abs()

    assert_follows_pytorch(parts, _real(3, 4, 5), _complex(3, 4, 5))


def test_parts_of_transposed_complex_tensors_are_read() -> None:
    assert_follows_pytorch(lambda z: torch.view_as_real((z * 2).transpose(0, 2)), _complex(2, 3, 4))


IMAGE, PAIRS, ROTATION = _real(2, 5, 6), _complex(2, 5, 6), torch.polar(torch.ones(5, 6), _real(5, 6))
MODES = _complex(2, 3, 5, 4)
NORMS = ("backward", "ortho", "forward")

CASES: dict[str, tuple[Callable[..., Any], Tensor]] = {
    **{f"fft2, {norm}": (lambda z, norm=norm: torch.fft.fft2(z, norm=norm), PAIRS) for norm in NORMS},
    **{f"rfft, {norm}": (lambda x, norm=norm: torch.fft.rfft(x, dim=1, norm=norm), IMAGE) for norm in NORMS},
    **{f"irfft, {norm}": (lambda z, norm=norm: torch.fft.irfft(z, dim=0, norm=norm), PAIRS) for norm in NORMS},
    "rfftn": (torch.fft.rfftn, IMAGE),
    "irfftn": (torch.fft.irfftn, PAIRS),
    "fft of real numbers": (torch.fft.fft, IMAGE),
    "fft of float64": (lambda x: torch.fft.fft(x.double()), IMAGE),
    "cut and filled up": (lambda x: (torch.fft.rfft(x, 4), torch.fft.rfft(x, 9)), IMAGE),
    "spectrogram": (
        lambda x: torch.stft(x, 16, 4, window=torch.hann_window(16), return_complex=True).abs() ** 2,
        _real(1, 80),
    ),
    "rotary embedding": (
        lambda x: torch.view_as_real(torch.view_as_complex(x.reshape(5, 6, 2)) * ROTATION).flatten(),
        _real(5, 12),
    ),
    "arithmetic": (lambda z: (z + z[0], z - 2 * z, z * z.conj(), z / (z[:1] + 3)), PAIRS),
    "with real numbers": (lambda z: z * z.real + z.imag, PAIRS),
    "parts": (lambda z: (z.real, z.imag, z.abs(), z.angle(), -z, z.conj()), PAIRS),
    "made of parts": (lambda x: (torch.complex(x, x + 1), torch.polar(x.abs(), x)), IMAGE),
    "moved": (lambda z: (z.permute(2, 0, 1), z[:, 1:3], torch.cat([z, z], 1), z.reshape(-1), z.flip(0)), PAIRS),
    "filled up": (lambda z: (torch.fft.fft(z, 9), torch.nn.functional.pad(z, (1, 2), value=3.0)), PAIRS),
    "numbers of Python": (
        lambda x: (1j * x, torch.exp(1j * x), torch.complex(x, x) / 2j, 2j - x, x.sum() * 1j),
        IMAGE,
    ),
    "filled": (lambda z: (torch.full((2, 3), 1 - 2j), torch.zeros_like(z), torch.ones(4, dtype=z.dtype)), PAIRS),
    "products": (
        lambda z: (z @ z.transpose(1, 2), z[0] @ z[1].T, torch.nn.functional.linear(z, z[0], z[0, :, 0])),
        PAIRS,
    ),
    "Fourier neural operator": (
        lambda x: torch.fft.irfft2(torch.einsum("iyx,ioyx->oyx", torch.fft.rfft2(x), MODES)),
        IMAGE,
    ),
    "wide": (lambda z: (z.to(torch.complex128) * 2, z.to(torch.complex128).permute(2, 0, 1)), PAIRS),
}


@pytest.mark.parametrize("name", CASES)
def test_compiled_complex_function_follows_pytorch(name: str) -> None:
    function, x = CASES[name]
    assert_follows_pytorch(function, x, atol=1e-4, rtol=1e-4)

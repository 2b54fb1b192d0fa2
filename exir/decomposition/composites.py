"""Decompositions of composite operators for dynamic sizes.

Their C++ kernels require sizes as integers, and write in place.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch._refs
from torch import Tensor
from torch._ops import OpOverload

from exir.decomposition.recurrence import Step, gru_step, lstm_step, rnn_step

_ATEN = torch.ops.aten


def _recurrent_cell(step: Step, has_list: bool = False) -> Callable[..., Any]:
    """Return the decomposition of a recurrent cell for one time step.

    has_list: the state is a list of tensors and the result is a tuple, as for LSTM; otherwise, both are
        one tensor.
    """

    def cell(
        x: Tensor,
        state: Any,
        w_ih: Tensor,
        w_hh: Tensor,
        b_ih: Tensor | None = None,
        b_hh: Tensor | None = None,
    ) -> Any:
        states = tuple(state) if has_list else (state,)
        result = step(_ATEN.linear(x, w_ih, b_ih), _ATEN.linear(states[0], w_hh, b_hh), states)
        return result if has_list else result[0]

    return cell


def _stft(
    x: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Any:
    """Short-time Fourier transform: [batch?, length] to [batch?, bins, frames].

    The caller pads `x` if frames are centered.
    """
    if align_to_window:
        return NotImplemented
    rows = x if x.dim() == 2 else x.unsqueeze(0)
    length = win_length or n_fft
    if window is None and length < n_fft:
        window = torch.ones(length, dtype=x.dtype)
    frames = rows.unfold(-1, n_fft, hop_length or n_fft // 4)
    if window is not None:
        left = (n_fft - length) // 2
        frames = frames * _ATEN.constant_pad_nd(window, [left, n_fft - length - left])
    if x.is_complex():
        bins = _ATEN._fft_c2c(frames, [2], int(normalized), True)
    else:
        bins = _ATEN._fft_r2c(frames, [2], int(normalized), onesided is not False)
    bins = bins.transpose(1, 2) if x.dim() == 2 else bins.transpose(1, 2).squeeze(0)
    return bins if return_complex else torch.view_as_real(bins)


def _centered_stft(
    x: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    *options: Any,
    **stft_options: Any,
) -> Any:
    if center:
        around = (n_fft // 2, n_fft // 2)
        extended = torch.nn.functional.pad(x.unsqueeze(0), around, mode=pad_mode).squeeze(0)
        return _stft(extended, n_fft, hop_length, win_length, window, *options, **stft_options)
    return _stft(x, n_fft, hop_length, win_length, window, *options, **stft_options)


def _pad(x: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Any:
    """Pad circularly out of place; `pad` is (left, right) from the last dimension."""
    if mode != "circular" or not all(isinstance(width, int) for width in pad):
        return NotImplemented
    for place, (left, right) in enumerate(zip(pad[::2], pad[1::2], strict=True)):
        dim = x.dim() - 1 - place
        x = x.narrow(dim, max(-left, 0), x.shape[dim] + min(left, 0) + min(right, 0))
        wrapped = (
            x.narrow(dim, x.shape[dim] - max(left, 0), max(left, 0)),
            x.narrow(dim, 0, max(right, 0)),
        )
        x = torch.cat((wrapped[0], x, wrapped[1]), dim)
    return x


COMPOSITES: Mapping[OpOverload, Callable[..., Any]] = {
    _ATEN.gru_cell.default: _recurrent_cell(gru_step),
    _ATEN.lstm_cell.default: _recurrent_cell(lstm_step, has_list=True),
    _ATEN.pad.default: _pad,
    _ATEN.rnn_tanh_cell.default: _recurrent_cell(rnn_step(torch.tanh)),
    _ATEN.rnn_relu_cell.default: _recurrent_cell(rnn_step(torch.relu)),
    _ATEN.stft.default: _stft,
    _ATEN.stft.center: _centered_stft,
    _ATEN.istft.default: torch._refs.istft,
}

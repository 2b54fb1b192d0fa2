"""Composite operators whose C++ kernels ask for sizes as integers, which dynamic sizes are not, and write in place."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch._refs
from torch import Tensor
from torch._ops import OpOverload

_ATEN = torch.ops.aten


def _gates(
    x: Tensor,
    hidden: Tensor,
    weights: tuple[Tensor, Tensor],
    biases: tuple[Tensor | None, Tensor | None],
) -> tuple[Tensor, Tensor]:
    """What input and hidden state give to the gates of a recurrent cell."""
    return _ATEN.linear(x, weights[0], biases[0]), _ATEN.linear(hidden, weights[1], biases[1])


def _gru_cell(
    x: Tensor,
    hidden: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    given, kept = _gates(x, hidden, (w_ih, w_hh), (b_ih, b_hh))
    given_reset, given_update, given_new = given.chunk(3, -1)
    kept_reset, kept_update, kept_new = kept.chunk(3, -1)
    reset = (given_reset + kept_reset).sigmoid()
    update = (given_update + kept_update).sigmoid()
    new = (given_new + kept_new * reset).tanh()
    return (hidden - new) * update + new


def _lstm_cell(
    x: Tensor,
    hidden: list[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    given, kept = _gates(x, hidden[0], (w_ih, w_hh), (b_ih, b_hh))
    enter, forget, new, leave = (given + kept).chunk(4, -1)
    cell = forget.sigmoid() * hidden[1] + enter.sigmoid() * new.tanh()
    return leave.sigmoid() * cell.tanh(), cell


def _rnn_cell(activation: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    def cell(
        x: Tensor,
        hidden: Tensor,
        w_ih: Tensor,
        w_hh: Tensor,
        b_ih: Tensor | None = None,
        b_hh: Tensor | None = None,
    ) -> Tensor:
        given, kept = _gates(x, hidden, (w_ih, w_hh), (b_ih, b_hh))
        return activation(given + kept)

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
    """[length] or [batch, length], padded before if frames are to be centered, to [..., bins, frames]."""
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
    **named: Any,
) -> Any:
    if center:
        around = (n_fft // 2, n_fft // 2)
        extended = torch.nn.functional.pad(x.unsqueeze(0), around, mode=pad_mode).squeeze(0)
        return _stft(extended, n_fft, hop_length, win_length, window, *options, **named)
    return _stft(x, n_fft, hop_length, win_length, window, *options, **named)


COMPOSITES: Mapping[OpOverload, Callable[..., Any]] = {
    _ATEN.gru_cell.default: _gru_cell,
    _ATEN.lstm_cell.default: _lstm_cell,
    _ATEN.rnn_tanh_cell.default: _rnn_cell(torch.tanh),
    _ATEN.rnn_relu_cell.default: _rnn_cell(torch.relu),
    _ATEN.stft.default: _stft,
    _ATEN.stft.center: _centered_stft,
    _ATEN.istft.default: torch._refs.istft,
}

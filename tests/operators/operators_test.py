"""Compares compiled operators of every family with eager PyTorch."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.operators.compiled import assert_follows_pytorch

_GENERATOR = torch.Generator().manual_seed(0)


def _real(*shape: int) -> Tensor:
    return torch.randn(shape, generator=_GENERATOR)


LINE, IMAGE, VOLUME = _real(1, 2, 6), _real(1, 2, 6, 6), _real(1, 2, 4, 6, 6)
Case = tuple[Any, ...]  # a function and its inputs

VOLUMES: dict[str, Case] = {
    "conv3d": (lambda x, w: F.conv3d(x, w, padding=1, stride=(1, 2, 1)), VOLUME, _real(4, 2, 3, 3, 3)),
    "conv3d of groups": (lambda x, w: F.conv3d(x, w, groups=2), VOLUME, _real(4, 1, 2, 3, 3)),
    "conv_transpose3d": (lambda x, w: F.conv_transpose3d(x, w, stride=2), VOLUME, _real(2, 4, 3, 3, 3)),
    "avg_pool2d of integers": (lambda x: F.avg_pool2d(x, 3, 2, 1), torch.arange(-60, 60).reshape(1, 2, 6, 10)),
    "avg_pool1d": (lambda x: F.avg_pool1d(x, 2), LINE),
    "avg_pool3d": (lambda x: F.avg_pool3d(x, 2, padding=1), VOLUME),
    "max_pool1d with places": (lambda x: F.max_pool1d(x, 2, return_indices=True), LINE),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2), VOLUME),
    "max_pool3d with places": (lambda x: F.max_pool3d(x, 3, 2, 1, return_indices=True), VOLUME),
    "lp_pool3d": (lambda x: F.lp_pool3d(x.abs(), 2, 2), VOLUME),
    "adaptive_avg_pool1d": (lambda x: F.adaptive_avg_pool1d(x, 4), LINE),
    "adaptive_avg_pool3d": (lambda x: F.adaptive_avg_pool3d(x, (3, 4, 1)), VOLUME),
    "adaptive_max_pool1d": (lambda x: F.adaptive_max_pool1d(x, 4), LINE),
    "adaptive_max_pool2d": (lambda x: F.adaptive_max_pool2d(x, (4, 5), return_indices=True), IMAGE),
    "adaptive_max_pool3d": (lambda x: F.adaptive_max_pool3d(x, (2, 4, 5), return_indices=True), VOLUME),
    "local_response_norm": (lambda x: F.local_response_norm(x, 2), IMAGE),
}

WITH_NAN = torch.where(_real(3, 5) > 0.7, float("nan"), _real(3, 5))
DIGITS = torch.randint(0, 4, (3, 9), generator=_GENERATOR)
BOUNDS = torch.arange(-2.0, 3.0)

ORDERED: dict[str, Case] = {
    "sort": (lambda x: torch.sort(x, -1), IMAGE),
    "sort, stable": (lambda x: torch.sort(x, dim=1, stable=True, descending=True), DIGITS),
    "argsort": (lambda x: torch.argsort(x, 1), IMAGE),
    "msort": (torch.msort, WITH_NAN),
    "topk": (lambda x: torch.topk(x, 3, largest=False), IMAGE),
    "kthvalue": (lambda x: torch.kthvalue(x, 2, 1, True), IMAGE),
    "median": (torch.median, IMAGE),
    "median of NaN": (torch.median, WITH_NAN),
    "median along": (lambda x: torch.median(x, 1, True), IMAGE),
    "median along, with NaN": (lambda x: torch.median(x, 1).values, WITH_NAN),
    "nanmedian": (torch.nanmedian, WITH_NAN),
    "nanmedian along": (lambda x: torch.nanmedian(x, 1).values, WITH_NAN),
    "nanmedian of nothing but NaN": (lambda x: torch.nanmedian(x, 0).values, torch.full((2, 2), float("nan"))),
    "median of nothing": (lambda x: (x[:0].median(), x[:0].nanmedian()), IMAGE),
    "median of no integers": (lambda x: x[:0].median(), DIGITS),
    "argwhere": (lambda x: torch.argwhere(x > 0), IMAGE),
    "median of one line, kept": (lambda x: torch.median(x, 0, True), BOUNDS),
    "mode": (lambda x: torch.mode(x, 1), DIGITS),
    "mode of columns": (lambda x: torch.mode(x, 0, True), DIGITS),
    "quantile": (lambda x: torch.quantile(x, 0.3), IMAGE),
    "cumprod": (lambda x: torch.cumprod(x, 1), IMAGE),
    "logcumsumexp": (lambda x: torch.logcumsumexp(x, 1), IMAGE),
    "cummax": (lambda x: torch.cummax(x, 1), WITH_NAN),
    "cummin": (lambda x: torch.cummin(x, 1), DIGITS),
    "bucketize": (lambda x, b: torch.bucketize(x, b, right=True, out_int32=True), IMAGE, BOUNDS),
    "bucketize of integers": (torch.bucketize, DIGITS, BOUNDS),
    "searchsorted": (lambda b, x: torch.searchsorted(b, x, side="right"), BOUNDS, IMAGE),
    "histc": (lambda x: torch.histc(x, 5, -1, 1), IMAGE),
    "vector_norm": (lambda x: torch.linalg.vector_norm(x, 3, dim=1), IMAGE),
}

INDEX, ROW = torch.tensor([0, 2, 1, 2]), _real(2, 4)

SCATTERED: dict[str, Case] = {
    **{
        f"diagonal_scatter {place}": (
            lambda x, s, place=place: torch.diagonal_scatter(x, s, *place),
            _real(4, 3, 5),
            torch.randn_like(torch.diagonal(_real(4, 3, 5), *place)),
        )
        for place in ((0, 0, 1), (1, 0, 2), (-2, 0, 1), (2, -1, -2))
    },
    **{
        f"scatter_reduce {reduce}{' without self' * (not own)}": (
            lambda x, i, s, reduce=reduce, own=own: x.scatter_reduce(0, i, s, reduce, include_self=own),
            _real(3),
            INDEX,
            _real(4),
        )
        for reduce in ("sum", "prod", "mean", "amax", "amin")
        for own in (True, False)
    },
    **{
        f"index_reduce {reduce}": (
            lambda x, i, s, reduce=reduce: x.index_reduce(1, i, s, reduce),
            _real(2, 3),
            INDEX,
            ROW,
        )
        for reduce in ("prod", "mean", "amax", "amin")
    },
    "scatter_reduce mean of integers": (
        lambda x, i, s: x.scatter_reduce(0, i, s, "mean"),
        torch.tensor([-3, 5, 9]),
        INDEX,
        torch.tensor([4, -6, 1, 2]),
    ),
    "scatter add": (lambda x, i, s: x.scatter(0, i, s, reduce="add"), _real(3), INDEX, _real(4)),
    "scatter multiply": (lambda x, i: x.scatter(0, i, 2.5, reduce="multiply"), _real(3), INDEX),
    "index_add": (lambda x, i, s: x.index_add(1, i, s, alpha=2), _real(2, 3), INDEX, ROW),
    "unfold": (lambda x: F.unfold(x, 2, padding=1), IMAGE),
    "fold": (lambda x: F.fold(x, (6, 6), 2), _real(1, 8, 25)),
    "nll_loss": (F.nll_loss, _real(4, 3), INDEX),
    "embedding of integers": (lambda i: F.embedding(i, torch.arange(12).reshape(4, 3)), torch.tensor([1, 3])),
    "index_select of a number": (lambda x: x.index_select(0, torch.tensor([0])), torch.tensor(1.5)),
    "linear of no features": (lambda x: F.linear(x, torch.ones(4, 0), torch.arange(4.0)), torch.ones(2, 3, 0)),
    "mean of integers": (lambda x: x.mean(1, dtype=torch.float64), torch.arange(-4, 8).reshape(3, 4)),
    **{
        f"embedding_bag {mode}": (
            lambda w, i, o, mode=mode: F.embedding_bag(i, w, o, mode=mode, padding_idx=1),
            _real(3, 5),
            INDEX,
            torch.tensor([0, 1, 1, 4]),
        )
        for mode in ("sum", "mean", "max")
    },
    "embedding_bag with weights": (
        lambda w, i, s: F.embedding_bag(i, w, per_sample_weights=s, mode="sum"),
        _real(3, 5),
        INDEX.reshape(2, 2),
        _real(2, 2),
    ),
    "embedding_bag of default arguments": (
        lambda w, i, o: F.embedding_bag(i, w, o, mode="sum"),
        _real(3, 5),
        INDEX,
        torch.tensor([0, 1, 1, 4]),
    ),
    "embedding_bag with its end": (
        lambda w, i, o: F.embedding_bag(i, w, o, include_last_offset=True),
        _real(3, 5),
        INDEX,
        torch.tensor([0, 3, 4]),
    ),
}

A, B = _real(3, 7), _real(3, 7)
WHOLE = torch.tensor([[0, 12, -18, 7], [0, 8, 27, 9]])

FORMULAS: dict[str, Case] = {
    **{name: (getattr(torch, name), A) for name in ("erfc", "exp2", "signbit", "sinc")},
    **{
        name: (getattr(torch, name), A, B)
        for name in ("hypot", "copysign", "nextafter", "fmax", "fmin", "logaddexp", "logaddexp2")
    },
    "fmax of NaN": (torch.fmax, WITH_NAN, WITH_NAN.flip(0)),
    "gcd": (torch.gcd, WHOLE[0], WHOLE[1]),
    "lcm": (torch.lcm, WHOLE[0], WHOLE[1]),
    "ldexp": (torch.ldexp, A, DIGITS[:, :7]),
    "round to decimals": (lambda x: torch.round(x * 100, decimals=2), A),
    "round to tens": (lambda x: torch.round(x * 100, decimals=-1), A),
    "addbmm": (lambda x, a, b: torch.addbmm(x, a, b, beta=2, alpha=0.5), _real(3, 4), _real(2, 3, 5), _real(2, 5, 4)),
    "rrelu": (F.rrelu, A),
    "tril_indices": (lambda x: x[tuple(torch.tril_indices(3, 7, -1))], DIGITS),
    "triu_indices": (lambda x: x[tuple(torch.triu_indices(3, 7, 2))], DIGITS),
    "addmv": (lambda x, a, v: torch.addmv(x, a, v, beta=0.5), _real(3), _real(3, 4), _real(4)),
    "angle": (torch.angle, WITH_NAN),
    "angle of float64": (lambda x: (torch.angle(x.double()) - torch.pi) * 1e4, A),
    "mean of integers": (lambda x: torch.mean(x, dtype=torch.float32), DIGITS),
    "mean of integers along": (lambda x: torch.mean(x, 1, keepdim=True, dtype=torch.float64), DIGITS),
    "dist": (lambda x, y: torch.dist(x, y, 3), A, B),
    "linear with one row of weights": (F.linear, A, _real(7)),
    "linear of many with one row of weights": (F.linear, _real(2, 3, 7), _real(7), torch.tensor(0.5)),
    "linear of a vector with one row of weights": (F.linear, _real(7), _real(7)),
    "bilinear": (F.bilinear, _real(2, 3), _real(2, 4), _real(5, 3, 4), _real(5)),
    "bilinear of integers": (
        lambda a, b, w: F.bilinear(a, b, w),
        *(torch.ones(s, dtype=torch.int32) for s in ((2, 3), (2, 4), (5, 3, 4))),
    ),
    "cosine_embedding_loss": (F.cosine_embedding_loss, A, B, torch.tensor([1, -1, 1])),
    "gather of a number": (lambda x, i: (x[0, 0].gather(0, i * 0), x[0].gather(0, i[1])), A, INDEX),
    **{
        name: (getattr(torch.special, name), A)
        for name in (
            *("bessel_j0", "bessel_j1", "digamma", "erfcx", "gammaln", "i0", "i0e", "i1", "i1e", "log_ndtr"),
            *("modified_bessel_i0", "modified_bessel_i1", "spherical_bessel_j0"),
        )
    },
    **{
        name: (getattr(torch.special, name), A.abs())
        for name in (
            *("bessel_y0", "bessel_y1", "modified_bessel_k0", "modified_bessel_k1"),
            *("scaled_modified_bessel_k0", "scaled_modified_bessel_k1"),
        )
    },
    "erfinv": (lambda x: torch.erfinv(torch.tanh(x)), A),
    "ndtri": (lambda x: torch.special.ndtri(torch.sigmoid(x)), A),
    "entr": (lambda x: torch.special.entr(x.abs()), A),
    "xlogy": (lambda x, y: torch.xlogy(x, y.abs()), A, B),
    "xlog1py": (lambda x, y: torch.special.xlog1py(x, y.abs()), A, B),
    "multigammaln": (lambda x: torch.special.multigammaln(x.abs() + 2, 3), A),
    "zeta": (lambda x, y: torch.special.zeta(x.abs() + 1.5, y), A, B.abs()),
    **{
        name: (lambda x, y, name=name: getattr(torch.special, name)(x.abs(), y.abs() * 3), A, B)
        for name in ("gammainc", "gammaincc")
    },
    **{f"polygamma {n}": (lambda x, n=n: torch.polygamma(n, x.abs() + 0.5), A) for n in range(4)},
    "polygamma of integers": (lambda x: torch.polygamma(1, x.abs() + 1), WHOLE),
    "empty_strided": (lambda x: torch.empty_strided((3, 7), (1, 3)).fill_(2) + x, A),
    "renorm of float16": (
        lambda x: torch.isclose(torch.renorm(x.half(), 2, 0, 1.5), x.renorm(2, 0, 1.5).half(), atol=4e-3),
        A,
    ),
    "take": (torch.take, A, torch.tensor([[0, -1], [5, 20]])),
}

PLACES, POINTS = _real(1, 3, 4, 2), _real(1, 2, 3, 4, 3)

SAMPLED: dict[str, Case] = {
    **{
        f"grid_sample {mode}, {padding}": (
            lambda x, g, mode=mode, padding=padding: F.grid_sample(x, g, mode, padding, align_corners=False),
            IMAGE,
            PLACES,
        )
        for mode in ("bilinear", "nearest", "bicubic")
        for padding in ("zeros", "border", "reflection")
    },
    "grid_sample of volumes": (lambda x, g: F.grid_sample(x, g, align_corners=True), VOLUME, POINTS),
    "affine_grid": (lambda t: F.affine_grid(t, [1, 2, 4, 5], align_corners=False), _real(1, 2, 3)),
    **{
        f"interpolate {mode} of {x.dim() - 2} dimensions{', corners aligned' * bool(align)}": (
            lambda x, mode=mode, align=align: F.interpolate(x, scale_factor=1.7, mode=mode, align_corners=align),
            x,
        )
        for mode, x, align in (
            ("nearest", LINE, None),
            ("nearest", IMAGE, None),
            ("nearest", VOLUME, None),
            ("nearest-exact", LINE, None),
            ("nearest-exact", IMAGE, None),
            ("nearest-exact", VOLUME, None),
            *(
                (mode, x, align)
                for align in (False, True)
                for mode, x in (
                    ("linear", LINE),
                    ("bilinear", IMAGE),
                    ("trilinear", VOLUME),
                    ("bicubic", IMAGE),
                )
            ),
        )
    },
    **{
        f"interpolate {mode}, antialiased": (
            lambda x, mode=mode: F.interpolate(x, (4, 9), mode=mode, antialias=True),
            IMAGE,
        )
        for mode in ("bilinear", "bicubic")
    },
    **{
        f"pad {mode} of {dims} dimensions": (
            lambda x, mode=mode, dims=dims: F.pad(x, [1, 2] * dims, mode),
            x,
        )
        for mode in ("constant", "reflect", "replicate", "circular")
        for dims, x in enumerate((LINE, IMAGE, VOLUME), 1)
    },
    **{f"cdist {p}": (lambda a, b, p=p: torch.cdist(a, b, p), _real(2, 4, 5), _real(3, 5)) for p in (1.0, 2.0, 3.0)},
    "cdist of many rows": (torch.cdist, _real(30, 5), _real(30, 5)),
    "pdist": (F.pdist, _real(4, 5)),
}

MANY = torch.ones(4000)
ODDS = torch.tensor([[1.0, 0.0, 3.0], [0.0, 2.0, 0.0]])


def _is_near(x: Tensor, mean: float, margin: float) -> Tensor:
    return (x.double().mean() - mean).abs() < margin


# Random values differ from PyTorch's, so only properties of all random values are compared.
DRAWN: dict[str, Case] = {
    "rand_like": (lambda x: _is_near(torch.rand_like(x), 0.5, 0.05), MANY),
    "randn_like": (lambda x: (_is_near(torch.randn_like(x), 0, 0.1), _is_near(torch.randn_like(x) ** 2, 1, 0.2)), MANY),
    "randint": (lambda x: _is_near(x + torch.randint(-2, 5, (4000,)), 2, 0.2), MANY),
    "randint_like": (lambda x: torch.randint_like(x, 3).max(), MANY),
    "bernoulli": (lambda x: _is_near(torch.bernoulli(x * 0.25), 0.25, 0.05), MANY),
    "dropout in training": (lambda x: _is_near(F.dropout(x, 0.25, True), 1, 0.1), MANY),
    "geometric": (lambda x: _is_near(x.clone().geometric_(0.25), 4, 0.3), MANY),
    "geometric, of whole trials": (lambda x: x.clone().geometric_(0.9).min(), MANY),
    "cauchy": (lambda x: _is_near((x.clone().cauchy_(3, 0.5) > 3.5).double(), 0.25, 0.05), MANY),
    "randperm": (lambda x: torch.sort(torch.randperm(50)).values + x[:50], MANY),
    "multinomial, each once": (lambda p: torch.sort(torch.multinomial(p[0], 2)).values, ODDS),
    "multinomial with replacement": (lambda p: torch.multinomial(p, 5, True)[1] + (p[0] == 0).any(), ODDS),
    "multinomial by weight": (
        lambda p: _is_near(torch.multinomial(p[0], 4000, True), 1.5, 0.1),
        ODDS,
    ),
}


def _convolved_back(stride: int, padding: int, transposed: bool, groups: int) -> Case:
    """The gradients of an image convolution, from autograd's operator."""
    x, weight = _real(2, 4, 7, 6), _real(4, 4 // groups, 3, 2)
    rest = ([4], [stride, 1], [padding, 0], [1, 2], transposed, [0, 0], groups)
    gradient = torch.randn_like(torch.ops.aten.convolution(x, weight, None, *rest[1:]))
    backward = torch.ops.aten.convolution_backward
    return (lambda g, x, w: backward(g, x, w, *rest, [True, True, True]), gradient, x, weight)


def _averaged_back(
    kernel: int, stride: int, padding: int, ceil_mode: bool, with_padding: bool, divisor: int | None
) -> Case:
    """The gradient of average pooling of images, from autograd's operator."""
    rest = ([kernel, 2], [stride, 2], [padding, 0], ceil_mode, with_padding, divisor)
    gradient = torch.randn_like(torch.ops.aten.avg_pool2d(IMAGE, *rest))
    return (lambda g, x: torch.ops.aten.avg_pool2d_backward(g, x, *rest), gradient, IMAGE)


_POOLED, _PLACES = F.max_pool2d(IMAGE, 3, 2, 1, return_indices=True)

GRADIENTS: dict[str, Case] = {
    **{
        f"convolution_backward {case}": _convolved_back(*case)
        for case in ((1, 0, False, 1), (2, 1, False, 1), (3, 1, False, 2), (2, 1, True, 1), (2, 0, True, 4))
    },
    **{
        f"avg_pool2d_backward {case}": _averaged_back(*case)
        for case in (
            (2, 2, 0, False, True, None),
            (3, 2, 1, False, True, None),
            (3, 2, 1, True, True, None),
            (3, 2, 1, True, False, None),
            (3, 1, 1, False, False, 5),
        )
    },
    **{
        f"_adaptive_avg_pool2d_backward {size}": (
            torch.ops.aten._adaptive_avg_pool2d_backward,
            torch.randn(*IMAGE.shape[:2], *size),
            IMAGE,
        )
        for size in ((1, 1), (2, 3), (4, 2))
    },
    **{
        f"{backward.__name__} of float64 with input_dtype float32": (
            partial(backward, dim=-1, input_dtype=torch.float32),
            _real(3, 5).double(),
            _real(3, 5).softmax(-1).double(),
        )
        for backward in (torch.ops.aten._softmax_backward_data, torch.ops.aten._log_softmax_backward_data)
    },
    "max_pool2d_with_indices_backward": (
        lambda g, x, i: torch.ops.aten.max_pool2d_with_indices_backward(g, x, [3], [2], [1], [1], False, i),
        _POOLED,
        IMAGE,
        _PLACES,
    ),
    "select_scatter of another dtype": (
        lambda x, y: torch.select_scatter(x, y, 0, 1),
        torch.ones(3, dtype=torch.int32),
        torch.tensor(2.5),
    ),
    "max_pool2d_with_indices_backward of nothing": (
        lambda g, x, i: torch.ops.aten.max_pool2d_with_indices_backward(g, x, [3], [2], [1], [1], False, i),
        _POOLED[:0],
        IMAGE[:0],
        _PLACES[:0],
    ),
}

CASES: dict[str, Case] = {
    **VOLUMES,
    **ORDERED,
    **SCATTERED,
    **FORMULAS,
    **SAMPLED,
    **DRAWN,
    **GRADIENTS,
}


def _repeated(dtype: torch.dtype, *shape: int) -> Tensor:
    return torch.randint(0, 3, shape, generator=_GENERATOR).to(dtype)


EDGES = torch.tensor([0.0, -0.0, 1.0, -0.5, 0.75, 3e38, 1e-45, -1e-40, float("inf"), float("-inf"), float("nan")])
SEGMENTS = torch.tensor([2, 0, 4, 1])
UINT8_IMAGE = torch.randint(0, 256, (2, 3, 13, 17), generator=_GENERATOR).to(torch.uint8)


def _segments(reduce: str, **options: Any) -> Case:
    return (lambda x, n: torch.segment_reduce(x, reduce, lengths=n, axis=0, **options), _real(7, 3), SEGMENTS)


def _resized(**options: Any) -> Case:
    return (lambda x: F.interpolate(x, **options), UINT8_IMAGE)


COUNTED: dict[str, Case] = {
    "bincount, first counts": (lambda x: torch.bincount(x.reshape(-1), minlength=5)[1:4], DIGITS),
    "bincount, one count": (lambda x: torch.bincount(x.reshape(-1), minlength=5)[3], DIGITS),
    "bincount with weights": (lambda x, w: torch.bincount(x, w, 4)[:4], DIGITS[0], _real(9)),
    "bincount with integer weights": (lambda x, w: torch.bincount(x, w, 4).narrow(0, 1, 2), DIGITS[0], DIGITS[1]),
    "bincount beyond its first counts": (lambda x: torch.bincount(x, minlength=2)[:2], DIGITS[0]),
    "unique": (lambda x: torch.unique(x, return_inverse=True, return_counts=True), DIGITS),
    "unique of floats": (lambda x: torch.unique(x, return_inverse=True), WITH_NAN),
    "unique of booleans": (lambda x: torch.unique(x > 1, return_counts=True), DIGITS),
    "unique of one": (lambda x: torch.unique(x, return_inverse=True, return_counts=True), torch.tensor([4])),
    "unique of a scalar": (lambda x: torch.unique(x, return_inverse=True), torch.tensor(4)),
    "unique rows": (
        lambda x: torch.unique(x, dim=0, return_inverse=True, return_counts=True),
        _repeated(torch.int64, 9, 2),
    ),
    "unique columns": (lambda x: torch.unique(x, dim=1), _repeated(torch.float32, 2, 9)),
    "unique matrices": (lambda x: torch.unique(x, dim=0, return_counts=True), _repeated(torch.uint8, 9, 2, 1)),
    "unique_consecutive": (
        lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True),
        _repeated(torch.int32, 3, 4),
    ),
    "unique_consecutive rows": (lambda x: torch.unique_consecutive(x, dim=0), _repeated(torch.float32, 9, 1)),
    "nonzero_static": (lambda x: torch.nonzero_static(x, size=5), DIGITS),
    "nonzero_static, filled": (lambda x: torch.nonzero_static(x > 2, size=40, fill_value=-7), DIGITS),
    "nonzero_static of none": (lambda x: torch.nonzero_static(x, size=0), DIGITS),
    "put": (lambda x, i, y: torch.Tensor.put(x, i, y), _real(3, 4), torch.tensor([[0, -1], [5, 2]]), _real(2, 2)),
    "put, added": (
        lambda x, i, y: torch.Tensor.put(x, i, y, accumulate=True),
        _real(3, 4),
        torch.tensor([1, 1, 1]),
        _real(3),
    ),
    **{f"segment_reduce {reduction}": _segments(reduction) for reduction in ("sum", "mean", "max", "min", "prod")},
    **{f"segment_reduce {reduction} from 2": _segments(reduction, initial=2.0) for reduction in ("sum", "mean", "max")},
    "segment_reduce of offsets": (
        lambda x, n: torch.segment_reduce(x, "mean", offsets=n, axis=0),
        _real(7, 3),
        torch.tensor([0, 2, 2, 7]),
    ),
    "segment_reduce along": (
        lambda x, n: torch.segment_reduce(x, "max", lengths=n, axis=1),
        _real(2, 4, 3),
        torch.tensor([[1, 3], [2, 2]]),
    ),
    "histogram": (lambda x: torch.histogram(x, 6), _real(40)),
    "histogram in a range": (lambda x: torch.histogram(x, 6, range=(-1.0, 0.5), density=True), _real(40)),
    "histogram with weights": (lambda x, w: torch.histogram(x, 3, weight=w), _real(9), _real(9)),
    "histogram of equal elements": (lambda x: torch.histogram(x, 4), torch.full((3,), 2.5)),
    "histogram between bounds": (lambda x, b: torch.histogram(x, b), _real(40), BOUNDS),
    "histogramdd": (lambda x: torch.histogramdd(x, [3, 4]), _real(40, 2)),
    "histogramdd in a range": (lambda x: torch.histogramdd(x, [3, 4], range=[-1.0, 1.0, -2.0, 0.5]).hist, _real(40, 2)),
    "frexp": (torch.frexp, EDGES),
    "frexp of float64": (torch.frexp, torch.tensor([5e-324, -1e-310, 1.7e308, 0.5, -8.0], dtype=torch.float64)),
    "frexp of float16": (torch.frexp, torch.tensor([6e-8, 65504.0, -0.25], dtype=torch.float16)),
    "shift of a number": (lambda x: 1 << x, DIGITS),
    **{
        f"{mode} of uint8, {size}{', aligned' if align else ''}{', antialiased' if smooth else ''}": _resized(
            mode=mode, size=size, align_corners=align, antialias=smooth
        )
        for mode in ("bilinear", "bicubic")
        for size in ((5, 7), (20, 30), (13, 4))
        for align in (False, True)
        for smooth in (False, True)
    },
    "bilinear of uint8 by a factor": _resized(mode="bilinear", scale_factor=(1.5, 0.5)),
    "bicubic of uint8 by a factor, antialiased": _resized(mode="bicubic", scale_factor=(0.4, 0.7), antialias=True),
}


@pytest.mark.parametrize("name", sorted(COUNTED))
def test_counting_and_resizing_operators_follow_pytorch(name: str) -> None:
    function, *inputs = COUNTED[name]
    assert_follows_pytorch(function, *inputs)


@pytest.mark.parametrize("name", sorted(CASES))
def test_compiled_operator_follows_pytorch(name: str) -> None:
    function, *inputs = CASES[name]
    assert_follows_pytorch(function, *inputs)


@pytest.mark.parametrize("kind", "tuvw")
def test_shifted_polynomials_follow_pytorch(kind: str) -> None:
    shifted = getattr(torch.special, f"shifted_chebyshev_polynomial_{kind}")
    degrees = torch.tensor([3.0, 4.0, 9.0, 2.0])
    assert_follows_pytorch(shifted, torch.tensor([0.0, 0.1, 0.8, 1.0]), degrees)
    for places in (torch.tensor([False, True, True, False]), torch.tensor([0, 1, 0, 1], dtype=torch.uint8)):
        assert_follows_pytorch(shifted, places, degrees)
        assert_follows_pytorch(shifted, places, degrees.to(places.dtype))
        assert_follows_pytorch(lambda x: shifted(x.to(torch.int64), torch.tensor([3, 2, 5, 1])), places)


def test_polynomials_of_scalars_follow_pytorch() -> None:
    whole = torch.arange(4)
    assert_follows_pytorch(lambda x: torch.special.legendre_polynomial_p(x, 3), torch.tensor([0.5, -1.0]))
    assert_follows_pytorch(lambda n: torch.special.hermite_polynomial_h(0.5, n), whole)
    assert_follows_pytorch(lambda n: torch.special.laguerre_polynomial_l(2, n), whole)

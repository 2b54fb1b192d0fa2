"""Create the inputs of the calls that the sweep test makes.

Operators whose inputs cannot be derived from argument names have their own `Maker`.
"""

from __future__ import annotations

import torch

from exir.operators.schemas import Argument
from kernels.testing import sweep_indexing, sweep_int8, sweep_matrices, sweep_polynomials, sweep_quantized
from kernels.testing.native import DTYPE_CODES
from kernels.testing.sweep_case import Case, Maker

# Values of required arguments that are not tensors, by name.
_NUMBERS: dict[str, object] = {
    "alpha": 1,
    "approximate": "tanh",
    "dim": 0,
    "dim0": 0,
    "dim1": -1,
    "eps": 1e-5,
    "exponent": 2,
    "fill_value": 3,
    "half_to_float": False,
    "index": 0,
    "max_val": 3,
    "min": 1,
    "min_val": 1,
    "momentum": 0.1,
    "other": 3,
    "padding": 0,
    "rounding_mode": "floor",
    "s": 3,
    "self": 2,
    "training": False,
    "value": 2,
}


def arguments_of(case: Case) -> list[object]:
    """Return all arguments before the outputs, in schema order."""
    return _MAKERS.get(case.kernel.operator.name, _by_name)(case)


def _by_name(case: Case) -> list[object]:
    return [_argument(case, argument) for argument in case.reads]


def _argument(case: Case, argument: Argument) -> object:
    if argument.type == "Tensor":
        return case.tensor(argument.name)
    if argument.type == "Tensor[]":
        return [case.tensor(argument.name), case.tensor(argument.name)]
    if argument.name == "dtype":
        return DTYPE_CODES[case.dtypes["out"]]
    if argument.name == "size":
        return list(case.shape)
    if argument.has_default and argument.name not in _NUMBERS:
        return argument.default
    if argument.type == "Scalar" and set(case.dtypes.values()) == {torch.bool}:
        return True
    if argument.name == "dim" and argument.type == "int[]":
        return list(range(min(case.rank, 1)))
    return _NUMBERS[argument.name]


def _transform(*rest: object) -> Maker:
    """Return a maker for transforms along the first and the last dimension."""
    return lambda case: [case.tensor("self"), [0, case.rank - 1][: min(case.rank, 2)], *rest]


def _half_spectrum(case: Case) -> list[object]:
    """Return a transform along the last dimension, with an odd output length."""
    x = case.tensor("self")
    return [x, [case.rank - 1], 1, 2 * x.shape[-1] - 1]


def _pairs(case: Case) -> list[object]:
    return [case.tensor("self", (*case.shape[:-1], 2))]


def _divisors(case: Case) -> list[object]:
    """Return divisors without zeros, because integer division by zero is an error."""
    rest = [_argument(case, argument) for argument in case.reads[2:]]
    divisor = case.tensor("other")
    return [case.tensor("self"), torch.where(divisor == 0, torch.ones_like(divisor), divisor), *rest]


def _distances(case: Case) -> list[object]:
    """Return nonnegative shift distances; PyTorch does not define negative ones."""
    dtype = case.dtypes["other"]
    return [case.tensor("self"), (case.tensor("other").to(torch.int64) % 4).to(dtype)]


def _powers(case: Case) -> list[object]:
    base, exponent = case.tensor("self"), case.tensor("exponent")
    return [base.abs() if base.dtype != torch.bool else base, (exponent.to(torch.float64).abs() % 3).to(exponent.dtype)]


def _power_of_scalar(case: Case) -> list[object]:
    exponent = case.tensor("exponent")
    base = True if exponent.dtype == torch.bool else 2
    return [base, (exponent.to(torch.float64).abs() % 5).to(exponent.dtype)]


def _factors(case: Case) -> list[object]:
    """Return ones and a few twos, whose product every floating dtype can represent."""
    rest = [_argument(case, argument) for argument in case.reads[1:]]
    factors = case.tensor("self")
    twos = torch.rand(factors.shape, generator=torch.Generator().manual_seed(0)) < 0.1
    return [torch.ones_like(factors) + twos.to(factors.dtype), *rest]


def _matrices(first: str, second: str) -> Maker:
    def make(case: Case) -> list[object]:
        batch = (2,) if case.kernel.operator.name == "aten::bmm.out" else ()
        return [case.tensor(first, (*batch, 3, 5)), case.tensor(second, (*batch, 5, 4))]

    return make


def _groups(case: Case) -> list[object]:
    ends = torch.tensor([1, 3], dtype=case.dtypes["offs"])
    return [case.tensor("self", (4, 5)), case.tensor("mat2", (2, 5, 3)), ends]


def _addmm(case: Case) -> list[object]:
    return [case.tensor("self", (3, 4)[2 - case.rank :]), *_matrices("mat1", "mat2")(case), 1, 1]


def _linear(case: Case) -> list[object]:
    return [case.tensor("input"), case.tensor("weight", (5, 6)), case.tensor("bias", (5,))]


def _convolution(case: Case) -> list[object]:
    spatial = case.rank - 2
    x = case.tensor("input", (2, 4, *[7] * spatial))
    weight = case.tensor("weight", (6, 2, *[3] * spatial))
    return [x, weight, case.tensor("bias", (6,)), [2] * spatial, [1] * spatial, [1] * spatial, False, [0] * spatial, 2]


def _pooling(rest: list[object], dims: int = 2) -> Maker:
    first = [1] * (dims - 2)
    return lambda case: [case.tensor("self"), [2] * dims, [*first, 1, 2], [*first, 0, 1], *rest]


def _layer_norm(case: Case) -> list[object]:
    last = case.shape[-1:]
    return [case.tensor("input"), list(last), case.tensor("weight", last), case.tensor("bias", last), 1e-5]


def _group_norm(case: Case) -> list[object]:
    n, c, *rest = case.shape
    size = int(torch.tensor(rest).prod())
    return [case.tensor("input"), case.tensor("weight", (c,)), case.tensor("bias", (c,)), n, c, size, 1, 1e-5]


def _batch_norm(*rest: object, statistics: bool = True) -> Maker:
    def make(case: Case) -> list[object]:
        channels = case.shape[1:2]
        made: list[object] = [case.tensor("input"), case.tensor("weight", channels), case.tensor("bias", channels)]
        if statistics:
            made += [case.tensor("running_mean", channels), case.tensor("running_var", channels).abs()]
        return [*made, *rest]

    return make


def _grid(dims: int) -> Maker:
    def make(case: Case) -> list[object]:
        grid = case.tensor("grid", (case.shape[0], *[3] * dims, dims))
        return [case.tensor("input"), grid, 0, 0, True]

    return make


def _regions(case: Case) -> list[object]:
    """Return regions of both images, in both directions, inside and outside."""
    rois = case.tensor("rois", (4, 5))
    rois[:, 0] = torch.arange(4) % case.shape[0]
    return [case.tensor("input"), rois, 1.5, 2, 3, 2, True]


def _padding(dims: int) -> Maker:
    return lambda case: [case.tensor("self"), [1, 1] * dims]


def _strided(case: Case) -> list[object]:
    return [case.tensor("self"), [1], [1], 0]


def _view(case: Case) -> list[object]:
    return [case.tensor("self"), [-1] if case.rank else [1, 1]]


def _parts(case: Case) -> list[object]:
    return [case.tensor("self"), [case.shape[0] - 1, 1] if case.shape[0] > 1 else [1], 0]


def _stacked(case: Case) -> list[object]:
    return [[case.tensor("tensors"), case.tensor("tensors")], 0]


_MAKERS: dict[str, Maker] = {
    "aten::_fft_c2c.out": _transform(2, False),
    "aten::_fft_c2r.out": _half_spectrum,
    "aten::_fft_r2c.out": _transform(1, True),
    "aten::view_as_complex_copy.out": _pairs,
    "aten::_adaptive_avg_pool2d.out": lambda case: [case.tensor("self"), [2, 3]],
    "aten::_adaptive_avg_pool3d.out": lambda case: [case.tensor("self"), [2, 3, 4]],
    "aten::_cdist_forward.out": lambda case: [case.tensor("x1"), case.tensor("x2"), 3.0, None],
    "aten::_native_batch_norm_legit.no_stats_out": _batch_norm(True, 0.1, 1e-5, statistics=False),
    "aten::_native_batch_norm_legit.out": _batch_norm(False, 0.1, 1e-5),
    "aten::_native_batch_norm_legit_no_training.out": _batch_norm(0.1, 1e-5),
    "aten::_pdist_forward.out": lambda case: [case.tensor("self"), 2.0],
    "aten::_to_copy.out": lambda case: [case.tensor("self"), False, None],
    "aten::_upsample_bicubic2d_aa.out": lambda case: [case.tensor("self"), [3, 9], False, None, None],
    "aten::_upsample_bilinear2d_aa.out": lambda case: [case.tensor("self"), [3, 9], False, None, None],
    "aten::adaptive_max_pool2d.out": lambda case: [case.tensor("self"), [2, 4]],
    "aten::adaptive_max_pool3d.out": lambda case: [case.tensor("self"), [2, 3, 4]],
    "aten::addmm.out": _addmm,
    "aten::arange.out": lambda case: [5],
    "aten::arange.start_out": lambda case: [1, 9, 2],
    "aten::as_strided_copy.out": _strided,
    "aten::avg_pool2d.out": _pooling([False, True, None]),
    "aten::avg_pool3d.out": _pooling([False, True, None], 3),
    "aten::bitwise_left_shift.Tensor_out": _distances,
    "aten::bitwise_right_shift.Tensor_out": _distances,
    "aten::bmm.out": _matrices("self", "mat2"),
    "aten::constant_pad_nd.out": lambda case: [case.tensor("self"), [1, 2] if case.rank else [], 1],
    "aten::convolution.out": _convolution,
    "aten::cumprod.out": _factors,
    "aten::diagonal_copy.out": lambda case: [case.tensor("self"), 1, 0, -1],
    "aten::div.out": _divisors,
    "aten::div.out_mode": _divisors,
    "aten::expand_copy.out": lambda case: [case.tensor("self"), list(case.shape), False],
    "aten::fill.Tensor_out": lambda case: [case.tensor("self"), case.tensor("value", ())],
    "aten::flip.out": lambda case: [case.tensor("self"), list(range(min(case.rank, 2)))],
    "aten::floor_divide.out": _divisors,
    "aten::fmod.Tensor_out": _divisors,
    "aten::glu.out": lambda case: [case.tensor("self"), -1],
    "aten::grid_sampler_2d.out": _grid(2),
    "aten::grid_sampler_3d.out": _grid(3),
    "aten::histc.out": lambda case: [case.tensor("self"), 5, -2, 2],
    "aten::linear.out": _linear,
    "aten::logit.out": lambda case: [case.tensor("self"), 0.25],
    "aten::max_pool2d_with_indices.out": _pooling([[1, 1], False]),
    "aten::max_pool3d_with_indices.out": _pooling([[1, 1, 1], False], 3),
    "aten::mm.out": _matrices("self", "mat2"),
    "aten::narrow_copy.out": lambda case: [case.tensor("self"), -1, 1, 4],
    "aten::native_dropout.out": lambda case: [case.tensor("input"), 0.25, True],
    "aten::native_group_norm.out": _group_norm,
    "aten::native_layer_norm.out": _layer_norm,
    "aten::permute_copy.out": lambda case: [case.tensor("self"), list(reversed(range(case.rank)))],
    "aten::pixel_shuffle.out": lambda case: [case.tensor("self", (*case.shape[:-3], 8, 2, 3)), 2],
    "aten::pixel_unshuffle.out": lambda case: [case.tensor("self"), 2],
    "aten::pow.Scalar_out": _power_of_scalar,
    "aten::pow.Tensor_Tensor_out": _powers,
    "aten::prod.int_out": _factors,
    "aten::prod.out": _factors,
    "aten::reflection_pad1d.out": _padding(1),
    "aten::reflection_pad2d.out": _padding(2),
    "aten::reflection_pad3d.out": _padding(3),
    "aten::remainder.Tensor_out": _divisors,
    "aten::repeat.out": lambda case: [case.tensor("self"), [2] * min(case.rank, 1) + [1] * (case.rank - 1)],
    "aten::repeat_interleave.Tensor_out": lambda case: [case.tensor("repeats").abs() % 4, None],
    "aten::replication_pad1d.out": _padding(1),
    "aten::replication_pad2d.out": _padding(2),
    "aten::replication_pad3d.out": _padding(3),
    "aten::roll.out": lambda case: [case.tensor("self"), [1], [0] if case.rank in (1, 3) else []],
    "aten::select_scatter.out": lambda case: [case.tensor("self"), case.tensor("src", case.shape[1:]), 0, 0],
    "aten::slice_copy.Tensor_out": lambda case: [case.tensor("self"), -1, 1, None, 2],
    "aten::slice_scatter.out": lambda case: [case.tensor("self"), case.tensor("src"), 0, None, None, 1],
    "aten::sort.values": lambda case: [case.tensor("self"), -1, True],
    "aten::sort.values_stable": lambda case: [case.tensor("self"), True, -1, False],
    "aten::split_copy.Tensor_out": lambda case: [case.tensor("self"), 4, -1],
    "aten::split_with_sizes_copy.out": _parts,
    "aten::squeeze_copy.dims_out": lambda case: [case.tensor("self"), list(range(min(case.rank, 1)))],
    "aten::stack.out": _stacked,
    "aten::topk.values": lambda case: [case.tensor("self"), 1, -1, True, True],
    "aten::transpose_copy.int_out": lambda case: [case.tensor("self"), 0, -1],
    "aten::tril_indices.out": lambda case: [4, 3, -1],
    "aten::triu_indices.out": lambda case: [3, 4, 1],
    "aten::unfold_copy.out": lambda case: [case.tensor("self"), -1, 3, 2],
    "aten::upsample_bilinear2d.vec_out": lambda case: [case.tensor("input"), [5, 7], False, None],
    "aten::upsample_nearest2d.vec_out": lambda case: [case.tensor("input"), [5, 7], None],
    "aten::view_copy.out": _view,
    "dim_order_ops::_clone_dim_order.out": lambda case: [case.tensor("self"), False, None],
    "dim_order_ops::_to_dim_order_copy.out": lambda case: [case.tensor("self"), False, None],
    **sweep_int8.MAKERS,
    **sweep_indexing.MAKERS,
    **sweep_matrices.MAKERS,
    **sweep_polynomials.MAKERS,
    **sweep_quantized.MAKERS,
    "grouped::mm.out": _groups,
    "attention::scaled_dot_product.out": lambda case: [
        case.tensor("query", (2, 4, 3, 5)),
        case.tensor("key", (2, 2, 6, 5)),
        case.tensor("value", (2, 2, 6, 4)),
        case.tensor("mask", (3, 6)),
        False,
        0.5,
    ],
    "torchvision::nms.out": lambda case: [case.tensor("dets", (6, 4)), case.tensor("scores", (6,)), 0.25],
    "torchvision::roi_align.out": _regions,
}

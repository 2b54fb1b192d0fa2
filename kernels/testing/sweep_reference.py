"""PyTorch's results for the calls that the sweep test tries."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
import torch.ao.quantization.fx._decomposed
from torch.utils._pytree import tree_map_only

import exir.dialects.dim_order_ops  # noqa: F401  (defines dim_order_ops)
from exir.dialects import detection
from exir.dialects.out_variant import OutVariant, out_variant_of
from exir.dialects.quantized_weight_ops import by_range
from exir.weights.quantized_weights import dequantized
from kernels.testing.native import DTYPE_CODES
from kernels.testing.sweep_case import Case

_BY_CODE = {code: dtype for dtype, code in DTYPE_CODES.items()}
# Dtypes that many PyTorch operators do not support, and their replacements: dtypes with the same
# bits, or wider ones.
_SAME_BITS = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}
_WIDER = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.float32: torch.float32}


Change = Callable[[torch.Tensor], torch.Tensor]


class NotInPyTorch(Exception):
    """PyTorch rejects the call. The message is PyTorch's."""


def expected_of(case: Case, arguments: list[Any]) -> list[torch.Tensor]:
    """Return the results, in PyTorch's dtypes."""
    own = _OWN.get(case.kernel.operator.name)
    compute = own if own is not None else _call_functional
    try:
        return _as_list(compute(case, arguments))
    except (RuntimeError, NotImplementedError) as error:
        return _by_other_dtypes(case, arguments, compute, error)


def _by_other_dtypes(
    case: Case, arguments: list[Any], compute: Callable[[Case, list[Any]], object], error: Exception
) -> list[torch.Tensor]:
    if "not implemented for" not in str(error):
        raise NotInPyTorch(str(error).splitlines()[0]) from error
    for change, back in ((_same_bits, torch.Tensor.view), (_widened, torch.Tensor.to)):
        try:
            results = _as_list(compute(case, tree_map_only(torch.Tensor, change, arguments)))
        except (RuntimeError, NotImplementedError):
            continue
        return [_changed_back(result, case, change, back) for result in results]
    raise NotInPyTorch(str(error).splitlines()[0]) from error


def _same_bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.view(_SAME_BITS.get(tensor.dtype, tensor.dtype))


def _widened(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(_WIDER.get(tensor.dtype, torch.float64))


def _changed_back(result: torch.Tensor, case: Case, change: Change, back: Callable[..., torch.Tensor]) -> torch.Tensor:
    """Undo the dtype change for a result.

    The result has the changed dtype of some tensor of the case; it gets that tensor's original
    dtype.
    """
    for dtype in case.dtypes.values():
        if change(torch.empty(0, dtype=dtype)).dtype == result.dtype:
            return back(result, dtype)
    return result


def _as_list(result: Any) -> list[torch.Tensor]:
    return list(result) if isinstance(result, (tuple, list)) else [result]


def _call_functional(case: Case, arguments: list[Any]) -> Any:
    function, variant = _functional(case.kernel.operator.name)
    values = {argument.name: _value(argument.name, value) for argument, value in zip(case.reads, arguments)}
    declared = [argument for argument in function._schema.arguments if argument.name in values]
    positional = [values[argument.name] for argument in declared if not argument.kwarg_only]
    keywords = {argument.name: values[argument.name] for argument in declared if argument.kwarg_only}
    if "dtype" in variant.dropped and not any(argument.is_tensor for argument in case.reads):
        keywords["dtype"] = case.dtypes["out"]
    return function(*positional, **keywords)


def _value(name: str, value: object) -> object:
    return _BY_CODE[value] if name in ("dtype", "out_dtype", "output_dtype") and isinstance(value, int) else value


@cache
def _functional(name: str) -> tuple[torch._ops.OpOverload, OutVariant]:
    """Return the functional operator that belongs to an out variant."""
    namespace, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    packet = getattr(getattr(torch.ops, namespace), base)
    out = getattr(packet, overload)
    for overload_name in packet.overloads():
        variant = out_variant_of(getattr(packet, overload_name))
        if variant is not None and variant.op is out:
            return getattr(packet, overload_name), variant
    raise LookupError(f"{name} is not the out variant of any operator")


def _in_place(case: Case, arguments: list[Any]) -> torch.Tensor:
    base = case.kernel.operator.name.removeprefix("aten::")
    target, *rest = arguments
    return getattr(torch.ops.aten, base).default(target.clone(), *rest)


def _in_float(case: Case, arguments: list[Any]) -> object:
    """Compute float16 and bfloat16 in float32.

    PyTorch rounds grid coordinates to their precision.
    """
    dtype = arguments[0].dtype
    return _call_functional(case, tree_map_only(torch.Tensor, _widened, arguments)).to(dtype)


def _quantized_add(case: Case, arguments: list[Any]) -> torch.Tensor:
    ops = torch.ops.quantized_decomposed
    a, b, (scale, zero_point, low, high) = arguments[:5], arguments[5:10], arguments[10:]
    real = [ops.dequantize_per_tensor(*operand, operand[0].dtype) for operand in (a, b)]
    wide = ops.quantize_per_tensor(real[0] + real[1], scale, zero_point, low, high, torch.int32)
    return wide.to(case.dtypes["out"])


def _dequantized(case: Case, arguments: list[Any]) -> torch.Tensor:
    named = [_value(argument.name, value) for argument, value in zip(case.reads, arguments)]
    base = case.kernel.operator.name.removeprefix("quantized_decomposed::").removesuffix(".out")
    return getattr(torch.ops.quantized_decomposed, base)(*named[:-1], out_dtype=named[-1])


def _quantized(case: Case, arguments: list[Any]) -> torch.Tensor:
    *parameters, _ = arguments
    real, *rest = parameters
    return torch.ops.quantized_decomposed.quantize_per_tensor(real.to(torch.float32), *rest, case.dtypes["out"])


def _of_float32(case: Case, arguments: list[Any]) -> object:
    """Compute in float32 as the kernels do; PyTorch uses float16 or bfloat16 here."""
    first, *rest = arguments
    return _call_functional(case, [first.to(torch.float32), *rest])


def _of_one_range(case: Case, arguments: list[Any]) -> torch.Tensor:
    """Accumulate in double.

    float32 sums that nearly cancel depend on the summation order, which differs between machines.
    """
    x, weight, scales, zero_points, bias, bits, eps = arguments
    floats = x.float()
    rows = by_range(floats, floats.amin().clamp(max=0.0), floats.amax().clamp(min=0.0), eps)
    matrix = dequantized(weight, scales, zero_points, bits)
    return torch.nn.functional.linear(rows.double(), matrix.double(), bias.double()).to(x.dtype)


_OWN: dict[str, Callable[[Case, list[Any]], object]] = {
    "aten::copy_": _in_place,
    "aten::grid_sampler_2d.out": _in_float,
    "aten::grid_sampler_3d.out": _in_float,
    "aten::index_put_": _in_place,
    "dim_order_ops::_clone_dim_order.out": lambda case, arguments: arguments[0].clone(),
    "aten::_to_copy.out": lambda case, arguments: arguments[0].to(case.dtypes["out"]),
    "dim_order_ops::_to_dim_order_copy.out": lambda case, arguments: arguments[0].to(case.dtypes["out"]),
    "quantized_decomposed::add.out": _quantized_add,
    "quantized_decomposed::choose_qparams_per_token_asymmetric.out": _of_float32,
    "quantized_decomposed::dequantize_per_channel.out": _dequantized,
    "quantized_decomposed::dequantize_per_tensor.out": _dequantized,
    "quantized_decomposed::quantize_per_tensor.out": _quantized,
    "quantized_weight::dynamic_linear_per_tensor.out": _of_one_range,
    "torchvision::nms.out": lambda case, arguments: detection.nms(*arguments),
    "torchvision::roi_align.out": lambda case, arguments: detection.roi_align(*arguments),
}

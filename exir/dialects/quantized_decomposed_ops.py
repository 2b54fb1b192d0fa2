"""Operators of `quantized_decomposed` that torch does not register.

These are out overloads of torch's functional operators, and ExecuTorch's embeddings and linear
layers with low-bit weights. Torch registers its own operators in
`torch.ao.quantization.fx._decomposed`, which every quantized program has imported.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.library import Library

from exir.operators.operators import builtin_operators
from exir.weights.quantized_weights import dequantized

_NAMESPACE = "quantized_decomposed"
_EMBEDDING = (
    "(Tensor weight, Tensor weight_scales, Tensor? weight_zero_points, int weight_quant_min,"
    " int weight_quant_max, Tensor indices"
)
_READING = "float {0}_scale, int {0}_zero_point, int {0}_quant_min, int {0}_quant_max"
_SUM = f"(Tensor a, {_READING.format('a')}, Tensor b, {_READING.format('b')}, {_READING.format('out')}"
_WEIGHT = "(Tensor input, Tensor weight, Tensor weight_scales, Tensor? weight_zero_points"


def _low_bit_embedding(bits: int) -> Callable[..., Tensor]:
    """Return an embedding with weights of `bits` bits.

    It ignores `quant_min` and `quant_max`.
    """

    def run(
        weight: Tensor,
        scales: Tensor,
        zero_points: Tensor | None,
        low: int,
        high: int,
        indices: Tensor,
        dtype: torch.dtype | None = None,
    ) -> Tensor:
        table = dequantized(weight, scales, zero_points, bits)
        return torch.embedding(table, indices).to(dtype or scales.dtype)

    return run


def _embedding_shape(bits: int) -> Callable[..., Tensor]:
    """Return the shape function of an embedding, for meta tensors."""

    def run(weight: Tensor, scales: Tensor, *arguments: Any, dtype: torch.dtype | None = None) -> Tensor:
        indices, *shape_args = arguments[3:]
        size = [*indices.shape, weight.shape[1] * (8 // bits)]
        return scales.new_empty(size, dtype=dtype or next(iter(shape_args), None) or scales.dtype)

    return run


def _quantized_add(a: Tensor, *arguments: Any) -> Tensor:
    """Add two quantized tensors and quantize the sum."""
    b = arguments[4]
    total = _dequantize(a, *arguments[:2]) + _dequantize(b, *arguments[5:7])
    scale, zero_point, low, high = arguments[9:]
    return (torch.round(total / scale) + zero_point).clamp(low, high).to(a.dtype)


def _dequantize(codes: Tensor, scale: float, zero_point: int) -> Tensor:
    return (codes.float() - zero_point) * scale


def _sum_shape(a: Tensor, *arguments: Any) -> Tensor:
    return a.new_empty(torch.broadcast_shapes(a.shape, arguments[4].shape))


def _mixed_linear(
    x: Tensor,
    weight: Tensor,
    scales: Tensor,
    zero_points: Tensor | None,
    dtype: torch.dtype | None = None,
) -> Tensor:
    columns = dequantized(weight, scales, zero_points, 8).t()
    return torch.mm(x.float(), columns).to(dtype or x.dtype)


def _mixed_mm(x: Tensor, weight: Tensor, scales: Tensor, zero_points: Tensor | None) -> Tensor:
    return torch.mm(x.float(), dequantized(weight, scales, zero_points, 8)).to(x.dtype)


def _mixed_shape(columns: int) -> Callable[..., Tensor]:
    """Return the shape function of a GEMM, for meta tensors.

    columns: the dimension of the weight that becomes the result's columns.
    """

    def run(x: Tensor, weight: Tensor, *arguments: Any) -> Tensor:
        dtype = arguments[2] if len(arguments) > 2 else None
        return x.new_empty([x.shape[0], weight.shape[columns]], dtype=dtype or x.dtype)

    return run


# Schema, implementation and shape function of each operator.
_FUNCTIONAL: dict[str, tuple[str, Callable[..., Tensor], Callable[..., Tensor]]] = {
    **{
        name + overload: (
            _EMBEDDING + dtype + ") -> Tensor",
            _low_bit_embedding(bits),
            _embedding_shape(bits),
        )
        for name, bits in (("embedding_byte", 8), ("embedding_4bit", 4), ("embedding_2bit", 2))
        for overload, dtype in (
            ("", ""),
            (".dtype", (", *" if bits == 8 else "") + ", ScalarType? dtype=None"),
        )
    },
    "add": (_SUM + ") -> Tensor", _quantized_add, _sum_shape),
    "mixed_linear": (_WEIGHT + ", ScalarType? dtype=None) -> Tensor", _mixed_linear, _mixed_shape(0)),
    "mixed_mm": (_WEIGHT + ") -> Tensor", _mixed_mm, _mixed_shape(1)),
}


def _out_implementation(base: str, overload: str) -> Callable[..., Any]:
    """Return the implementation of an out overload.

    overload: the functional overload's name, followed by `_out`.
    """
    functional = overload.lower().removesuffix("out").removesuffix("_") or "default"

    def run(*args: Any, **kwargs: Any) -> Any:
        outs = [kwargs.pop(name) for name in list(kwargs) if name == "out" or name.endswith("_out")]
        packet = getattr(getattr(torch.ops, _NAMESPACE), base)
        results = getattr(packet, functional)(*args, **kwargs)
        if len(outs) == 1:
            return outs[0].copy_(results)
        return tuple(out.copy_(result) for out, result in zip(outs, results, strict=True))

    return run


def _is_defined(name: str) -> bool:
    base, _, overload = name.partition(".")
    schemas = torch._C._jit_get_schemas_for_operator(f"{_NAMESPACE}::{base}")
    return overload in [schema.overload_name for schema in schemas]


def _register_missing_ops() -> Library:
    """Define the operators that are not yet defined in this process."""
    library = Library(_NAMESPACE, "FRAGMENT")
    for name, (schema, run, shape_only) in _FUNCTIONAL.items():
        if _define_op(library, name, schema, run):
            library.impl(name, shape_only, "Meta")
    for operator in builtin_operators():
        namespace, _, name = operator.name.partition("::")
        if namespace == _NAMESPACE:
            base, _, overload = name.partition(".")
            _define_op(library, name, operator.schema, _out_implementation(base, overload))
    return library


def _define_op(library: Library, name: str, schema: str, run: Callable[..., Any]) -> bool:
    if _is_defined(name):
        return False
    library.define(name + schema)
    library.impl(name, run, "CompositeExplicitAutograd")
    return True


# Torch unregisters the operators when the library object is deleted.
_LIBRARY = _register_missing_ops()

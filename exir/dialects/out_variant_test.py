"""Tests that out variants are found in PyTorch's registry."""

import pytest
import torch

import exir.dialects.dim_order_ops  # noqa: F401  (registers operators used below)
from exir.dialects.out_variant import bind_arguments, is_in_place, out_variant_of, returns_tensors

aten = torch.ops.aten


@pytest.mark.parametrize(
    "name, out, outputs",
    [
        ("add.Tensor", "add.out", ("out",)),
        ("add.Scalar", "add.Scalar_out", ("out",)),
        ("convolution.default", "convolution.out", ("out",)),
        ("max.dim", "max.dim_max", ("max", "max_values")),
        ("topk.default", "topk.values", ("values", "indices")),
        ("native_layer_norm.default", "native_layer_norm.out", ("out0", "out1", "out2")),
        ("split_with_sizes_copy.default", "split_with_sizes_copy.out", ("out",)),
        ("sum.dim_IntList", "sum.IntList_out", ("out",)),
        ("div.Tensor_mode", "div.out_mode", ("out",)),
        ("where.self", "where.self_out", ("out",)),
        ("upsample_bilinear2d.vec", "upsample_bilinear2d.vec_out", ("out",)),
    ],
)
def test_operator_maps_to_the_runtimes_out_variant(
    name: str, out: str, outputs: tuple[str, ...]
) -> None:
    packet, overload = name.split(".")
    variant = out_variant_of(getattr(getattr(aten, packet), overload))
    assert variant is not None
    assert str(variant.op) == f"aten.{out}"
    assert variant.outputs == outputs


@pytest.mark.parametrize(
    "op",
    [
        aten.full.default,
        aten._to_copy.default,
        aten.arange.start_step,
        torch.ops.dim_order_ops._to_dim_order_copy.default,
    ],
)
def test_tensor_options_are_implied_by_the_output(op: torch._ops.OpOverload) -> None:
    variant = out_variant_of(op)
    assert variant is not None and "dtype" in variant.dropped


def test_operator_returning_a_scalar_has_no_out_variant() -> None:
    assert out_variant_of(aten.sym_size.int) is None
    assert not returns_tensors(aten.sym_size.int)


def test_in_place_and_out_operators_mutate_arguments() -> None:
    assert is_in_place(aten.copy_.default) and is_in_place(aten.add.out)
    assert not is_in_place(aten.add.Tensor)


def test_arguments_are_bound_by_name_in_schema_order() -> None:
    bound = bind_arguments(aten.add.Tensor, (1,), {"alpha": 3, "other": 2})
    assert list(bound.items()) == [("self", 1), ("other", 2), ("alpha", 3)]

"""Tests of tensor specs."""

import pytest
import torch

from exir.error import UnsupportedOperatorError
from exir.tensor import TensorSpec, dim_order_of_strides, dtype_of, scalar_type


@pytest.mark.parametrize(
    "tensor, order",
    [
        (torch.empty(2, 3, 4, 5), (0, 1, 2, 3)),
        (torch.empty(2, 3, 4, 5).to(memory_format=torch.channels_last), (0, 2, 3, 1)),
        (torch.empty(2, 3, 4, 5, 6).to(memory_format=torch.channels_last_3d), (0, 2, 3, 4, 1)),
        (torch.empty(2, 4, 1, 3).permute(2, 3, 0, 1), (0, 2, 3, 1)),
        (torch.empty(2, 4, 5, 1, 3).permute(3, 4, 0, 1, 2), (0, 2, 3, 4, 1)),
        (torch.empty(3, 2).t(), (1, 0)),
        (torch.empty(()), ()),
        (torch.empty(0, 3), (0, 1)),
        (torch.empty(1, 3, 1, 1).to(memory_format=torch.channels_last), (0, 1, 2, 3)),
        (torch.empty(3, 1).expand(3, 4), (0, 1)),
        (torch.empty(4, 6)[:, :3], (0, 1)),
    ],
)
def test_dim_order_follows_the_strides(tensor: torch.Tensor, order: tuple[int, ...]) -> None:
    assert dim_order_of_strides(tuple(tensor.shape), tensor.stride()) == order


@pytest.mark.parametrize("dtype", [torch.bool, torch.int8, torch.bfloat16, torch.float64])
def test_nbytes_counts_elements_of_the_dtype(dtype: torch.dtype) -> None:
    assert TensorSpec.from_tensor(torch.empty(3, 5, dtype=dtype)).nbytes() == 15 * dtype.itemsize


def test_nested_view_uses_the_first_storage() -> None:
    owner = TensorSpec(torch.float32, (4,), (0,))
    view = TensorSpec(torch.float32, (2, 2), (0, 1), base=owner)
    assert TensorSpec(torch.float32, (1, 4), (0, 1), base=view).storage is owner


def test_dtype_without_a_file_value_is_an_error() -> None:
    with pytest.raises(UnsupportedOperatorError, match="torch.qint32|torch.bits8"):
        scalar_type(torch.bits8)


def test_dtypes_and_file_values_round_trip() -> None:
    assert dtype_of(scalar_type(torch.bfloat16)) is torch.bfloat16
    with pytest.raises(UnsupportedOperatorError, match="scalar type 99"):
        dtype_of(99)  # type: ignore[arg-type]

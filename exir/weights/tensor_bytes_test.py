"""Tests that bytes represent the resolved values of a tensor."""

import pytest
import torch

from exir.weights.tensor_bytes import bytes_in_order, elements_of, in_dim_order

PUT_OFF = {
    "conjugated": torch.tensor([1 + 2j, 3 - 4j]).conj(),
    "negated": torch.tensor([5 + 6j]).conj().imag,
    "negated, apart": torch.tensor([1 + 2j, 3 - 4j]).conj().imag,
}


@pytest.mark.parametrize("name", PUT_OFF)
def test_conjugate_and_negative_bits_are_resolved(name: str) -> None:
    tensor = PUT_OFF[name]
    assert tensor.is_conj() or tensor.is_neg()
    expected = (tensor * 1).numpy().tobytes()
    assert elements_of(tensor, (0,)) == expected
    assert in_dim_order(tensor, (0,)).numpy().tobytes() == expected


def test_resolved_tensors_are_not_copied() -> None:
    tensor = torch.ones(3, requires_grad=True)
    assert bytes_in_order(tensor, (0,)).data_ptr() == tensor.data_ptr()


@pytest.mark.parametrize("tensor", [torch.arange(4.0)[1::2][:1], torch.tensor(3.0), torch.empty(2, 0)])
def test_tensors_of_at_most_one_element_may_have_any_stride(tensor: torch.Tensor) -> None:
    assert bytes_in_order(tensor, range(tensor.dim())).numpy().tobytes() == tensor.numpy().tobytes()

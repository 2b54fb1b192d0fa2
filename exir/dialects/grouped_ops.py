"""The operator `grouped::mm`: one GEMM for each group of rows, as in MoE layers."""

from torch import Tensor
from torch.library import Library

_ARGUMENTS = "(Tensor self, Tensor mat2, Tensor offs"


def _grouped_mm(x: Tensor, matrices: Tensor, ends: Tensor) -> Tensor:
    """Multiply each group of rows by its own matrix. Rows after the last group are 0.

    x: [S, K]; matrices: [G, K, N]; ends: [G], the end row of each group.

    Returns [S, N].
    """
    product = _shape_only(x, matrices).zero_()
    start = 0
    for matrix, end in zip(matrices, ends.tolist(), strict=True):
        product[start:end] = x[start:end] @ matrix
        start = end
    return product


def _shape_only(x: Tensor, matrices: Tensor, *_: object) -> Tensor:
    return x.new_empty(x.shape[0], matrices.shape[2])


def _mm_out(x: Tensor, matrices: Tensor, ends: Tensor, *, out: Tensor) -> Tensor:
    product = _grouped_mm(x, matrices, ends)
    return out.resize_(product.shape).copy_(product)


def _register_grouped_ops() -> Library:
    library = Library("grouped", "FRAGMENT")
    library.define(f"mm{_ARGUMENTS}) -> Tensor")
    library.define(f"mm.out{_ARGUMENTS}, *, Tensor(a!) out) -> Tensor(a!)")
    library.impl("mm", _grouped_mm, "CompositeExplicitAutograd")
    library.impl("mm", _shape_only, "Meta")
    library.impl("mm.out", _mm_out, "CompositeExplicitAutograd")
    return library


# Torch unregisters the operators when the library object is deleted.
_LIBRARY = _register_grouped_ops()

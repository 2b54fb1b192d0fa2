"""Details and advice for error messages about operators that are not supported."""

from collections.abc import Mapping

import torch
from torch.fx import Node

REPLACEMENTS: Mapping[str, str] = {
    "aten::_linalg_eigvals": "torch.linalg.eigvalsh has a kernel, for symmetric matrices",
    "aten::linalg_eig": "torch.linalg.eigh has a kernel, for symmetric matrices",
    "aten::linalg_eigvals": "torch.linalg.eigvalsh has a kernel, for symmetric matrices",
    "aten::linalg_ldl_factor_ex": "torch.linalg.lu_factor has a kernel, and torch.linalg.cholesky for positive definite matrices",
    "aten::linalg_ldl_solve": "torch.linalg.solve and torch.cholesky_solve have kernels",
    "aten::linalg_lstsq": "torch.linalg.pinv(a) @ b computes the solution",
    "aten::unique_dim": (
        "its decomposition supports slices of at most 64 elements; reduce each slice to one key, "
        "and call torch.unique"
    ),
    "aten::equal": "(a == b).all() computes the result as a tensor",
    "aten::allclose": "torch.isclose(a, b).all() computes the result as a tensor",
}
"""Advice by the operator's name without its overload."""

_DEFAULT = (
    "use operators that docs/reference/operators.md lists, or compute the value outside the program"
)


def replacement_for(name: str) -> str:
    """Return the advice for the operator `name`, such as `aten::linalg_eig.out`."""
    return REPLACEMENTS.get(name.split(".", maxsplit=1)[0], _DEFAULT)


def called_on(node: Node) -> str:
    """Return `, called on float32 and int64,` with the dtypes of the call's tensors.

    The result is "" if the call has no tensors.
    """
    values = [input_node.meta.get("val") for input_node in node.all_input_nodes]
    dtypes = [
        str(value.dtype).removeprefix("torch.") for value in values if isinstance(value, torch.Tensor)
    ]
    return f", called on {' and '.join(dict.fromkeys(dtypes))}," if dtypes else ""

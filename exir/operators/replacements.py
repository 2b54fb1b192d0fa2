"""Replacements for operators that have neither a kernel nor a decomposition."""

from collections.abc import Mapping

REPLACEMENTS: Mapping[str, str] = {
    "aten::_linalg_eigvals": "torch.linalg.eigvalsh has a kernel, for symmetric matrices",
    "aten::linalg_eig": "torch.linalg.eigh has a kernel, for symmetric matrices",
    "aten::linalg_eigvals": "torch.linalg.eigvalsh has a kernel, for symmetric matrices",
    "aten::linalg_ldl_factor_ex": "torch.linalg.lu_factor has a kernel, and torch.linalg.cholesky for positive definite matrices",
    "aten::linalg_ldl_solve": "torch.linalg.solve and torch.cholesky_solve have kernels",
    "aten::linalg_lstsq": "torch.linalg.pinv(a) @ b computes the solution",
    "aten::unique_dim": "it has a decomposition for slices of at most 64 elements; torch.unique of one key for each slice has one",
    "aten::equal": "(a == b).all() computes the result as a tensor",
    "aten::allclose": "torch.isclose(a, b).all() computes the result as a tensor",
}
"""By the operator's name without its overload."""

_DEFAULT = "write it with the operators that docs/reference/operators.md lists, or compute it outside the program"


def replacement_for(name: str) -> str:
    """Return the advice for the operator `name`, such as `aten::linalg_eig.out`."""
    return REPLACEMENTS.get(name.split(".", maxsplit=1)[0], _DEFAULT)

"""Tests that the page matches the tables and the compiler."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

from exir import to_edge
from exir.error import ExirError
from exir.operators.operators import builtin_operators
from tests.operators.page import REFUSED, page

_ROOT = Path(__file__).absolute().parents[2]
_PAGE = page(_ROOT)


def test_operators_page_is_up_to_date() -> None:
    text = (_ROOT / "docs/reference/operators.md").read_text(encoding="utf-8")
    assert text == _PAGE, "run tools/python -m tests.operators.page"


def test_every_operator_with_a_tensor_kernel_is_on_the_page() -> None:
    names = [operator.name for operator in builtin_operators() if operator.name.startswith(("aten::", "torchvision::"))]
    scalars = ["aten::_local_scalar_dense", "aten::sym_numel", "aten::sym_size.int"]  # runtime/prim implements them
    assert [name for name in names if f"| `{name}` |" not in _PAGE] == scalars


def test_operator_rows_state_dtypes_and_ranks() -> None:
    rows = {row.split("|")[1].strip(): row for row in _PAGE.splitlines() if row.startswith("| `")}
    assert rows["`aten::convolution.out`"].split("|")[2].strip() == "3 to 5"
    assert rows["`aten::exp.out`"].split("|")[2].strip() == "any"
    assert rows["`aten::searchsorted.Tensor_out`"].split("|")[2].strip() == "1 or more"
    assert rows["`torchvision::nms.out`"].split("|")[3].strip() == "float"
    assert rows["`aten::zeros.out`"].split("|")[3].strip() == "bool, int, float"
    assert rows["`quantized_bytes::add.out`"].split("|")[3].strip() == "uint8, int8"


def test_operator_overview_counts_the_rows() -> None:
    overview = [row.split("|") for row in _PAGE.splitlines() if row.startswith("| [")]
    rows = [row for row in _PAGE.splitlines() if re.match(r"\| `\w+::", row)]
    assert sum(int(cells[2]) for cells in overview) == len(rows) > 300
    assert f"| **All** | **{len(rows)}** | **{sum(int(cells[3].strip() or 0) for cells in overview)}** |" in _PAGE


def test_decomposed_operators_are_listed() -> None:
    assert all(f"`{name}`" in _PAGE for name in ("_embedding_bag", "median", "silu"))


_SQUARE, _WHOLE = torch.eye(3), torch.arange(3)
_CALLS: dict[str, tuple[Callable[..., object], Tensor]] = {
    "linalg_eig": (torch.linalg.eig, _SQUARE),
    "linalg_ldl_factor_ex": (torch.linalg.ldl_factor_ex, _SQUARE),
    "linalg_ldl_solve": (lambda x: torch.linalg.ldl_solve(x, torch.arange(1, 4, dtype=torch.int32), x), _SQUARE),
    "linalg_lstsq": (lambda x: torch.linalg.lstsq(x, x).solution, _SQUARE),
    "allclose": (lambda x: x + torch.allclose(x, x), _SQUARE),
    "equal": (lambda x: x + torch.equal(x, x * 1), _SQUARE),
    "bincount": (torch.bincount, _WHOLE),
    "unique_dim": (lambda x: torch.unique(x, dim=0), torch.ones(2, 65)),
    "as_strided_scatter": (lambda x: torch.as_strided_scatter(x, x[0], (3,), (2,)), _SQUARE),
    "hash_tensor": (torch.hash_tensor, _WHOLE),
}


class _Of(torch.nn.Module):
    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self._function = function

    def forward(self, x: Tensor) -> object:
        return self._function(x)


@pytest.mark.parametrize("name", REFUSED)
def test_operators_listed_as_refused_are_refused(name: str) -> None:
    function, x = _CALLS[name]
    try:
        exported = torch.export.export(_Of(function), (x,))
    except Exception:
        return  # the page covers only what `torch.export` accepts
    with pytest.raises(ExirError, match=name):
        to_edge(exported).to_executorch()

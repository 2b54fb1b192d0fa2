"""The page is what the tables and the compiler say."""

from pathlib import Path

from exir.operators.operators import own_operators
from tests.operators.page import page

_ROOT = Path(__file__).absolute().parents[2]
_PAGE = page(_ROOT)


def test_page_is_up_to_date() -> None:
    text = (_ROOT / "docs/operators.md").read_text(encoding="utf-8")
    assert text == _PAGE, "run tools/python -m tests.operators.page"


def test_every_operator_with_a_kernel_for_tensors_is_on_the_page() -> None:
    names = [operator.name for operator in own_operators() if operator.name.startswith(("aten::", "torchvision::"))]
    scalars = ["aten::_local_scalar_dense", "aten::sym_numel", "aten::sym_size.int"]  # runtime/prim has them
    assert [name for name in names if f"| `{name}` |" not in _PAGE] == scalars


def test_rows_say_dtypes_and_dimensions() -> None:
    rows = {row.split("|")[1].strip(): row for row in _PAGE.splitlines() if row.startswith("| `")}
    assert rows["`aten::convolution.out`"].split("|")[2].strip() == "3 to 5"
    assert rows["`aten::exp.out`"].split("|")[2].strip() == "any"
    assert rows["`aten::searchsorted.Tensor_out`"].split("|")[2].strip() == "1 or more"
    assert rows["`torchvision::nms.out`"].count("●") == 4
    assert rows["`aten::zeros.out`"].count("●") == 10


def test_what_is_decomposed_is_named() -> None:
    assert all(f"`{name}`" in _PAGE for name in ("_embedding_bag", "median", "silu"))

"""The kernel tables: parsing, priorities, errors, and the libraries that come with the rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from exir.operators.document import TableError
from exir.operators.kernels import KernelTable, load_kernels
from exir.operators.operators import own_operators

ROOT = Path(__file__).parents[2]
LIBRARIES = [ROOT / folder / "kernels.toml" for folder in ("kernels/portable", "kernels/quantized", "runtime/prim")]

ROW = """
[dtypes]
float = ["float32"]
index = ["int32", "int64"]

[[kernel]]
operator = "aten::embedding.out"
symbol = "acme_embedding"
file = "embedding.c"
dtypes = "float"
arguments = { indices = "index" }
scratch = 64
"""


def write(folder: Path, text: str, name: str = "kernels.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def load(*paths: Path) -> KernelTable:
    return load_kernels(paths, own_operators())


def test_dtypes_are_resolved_for_each_tensor_argument(tmp_path: Path) -> None:
    (kernel,) = load(write(tmp_path, ROW)).of("aten::embedding.out")
    assert dict(kernel.dtypes) == {"weight": ("float32",), "indices": ("int32", "int64"), "out": ("float32",)}
    assert (kernel.symbol, kernel.priority, kernel.scratch) == ("acme_embedding", 0, 64)


def test_kernels_of_an_operator_are_in_order_of_priority(tmp_path: Path) -> None:
    rows = [ROW.replace("acme_embedding", f"kernel_{n}") + f"priority = {n}\n" for n in (0, 2, 1)]
    paths = [write(tmp_path, row, f"{index}.toml") for index, row in enumerate(rows)]
    symbols = [kernel.symbol for kernel in load(*paths).of("aten::embedding.out")]
    assert symbols == ["kernel_2", "kernel_1", "kernel_0"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('symbol = "acme_embedding"\n', "", "lacks symbol"),
        ("scratch = 64", "scratch = -1", "'scratch' must be a whole number, 0 or more, got -1"),
        ("scratch = 64", "priority = 1.5", "'priority' must be a whole number, got 1.5"),
        ("scratch = 64", "size = 64", "unknown keys: size"),
        ('dtypes = "float"', 'dtypes = "complex"', "dtype set 'complex' is not in"),
        ('dtypes = "float"\n', "", "says no 'dtypes' for weight, out"),
        ("indices = ", "padding_idx = ", "names no tensor argument: padding_idx"),
        ("aten::embedding.out", "embedding", "'operator' must match"),
        ("aten::embedding.out", "acme::embedding.out", "acme::embedding.out: is in no operator table"),
        ("acme_embedding", "acme embedding", "'symbol' must match"),
        ("[[kernel]]", "[[operator]]", "unknown sections: operator"),
        ('index = ["int32", "int64"]', "index = 3", "dtypes.index: must be a list of dtype names"),
    ],
)
def test_wrong_row_is_an_error_that_names_it(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = write(tmp_path, ROW.replace(old, new))
    with pytest.raises(TableError) as caught:
        load(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_operators_without_a_kernel_are_named(tmp_path: Path) -> None:
    table = load(write(tmp_path, ROW))
    assert "aten::embedding.out" in table and table.of("b::c") == ()
    assert table.missing(["b::c", "aten::embedding.out", "a::b", "b::c"]) == ("a::b", "b::c")


@pytest.mark.parametrize("path", LIBRARIES, ids=str)
def test_rows_are_sorted_and_their_files_exist(path: Path) -> None:
    kernels = list(load(path))
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [f'operator = "{k.operator.name}"' for k in kernels] == [x for x in lines if x.startswith("operator = ")]
    assert [k.file for k in kernels if not (path.parent / k.file).is_file()] == []


def test_every_operator_has_a_kernel_of_its_own() -> None:
    table = load(*LIBRARIES)
    assert table.missing(operator.name for operator in own_operators()) == ()
    by_symbol = {kernel.symbol: kernel.operator.name for kernel in table}
    assert [k for k in table if by_symbol[k.symbol] != k.operator.name] == []

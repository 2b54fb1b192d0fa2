"""The operator table: parsing, signatures, errors, and agreement with PyTorch."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from exir.operators.table import OperatorTable, OperatorTableError, load_operator_tables, parse_schema

TABLE = Path(__file__).parents[2] / "schema" / "operators.toml"

ROW = """
[dtypes]
float = ["float32"]
index = ["int32", "int64"]

[[operator]]
name = "aten::take.out"
schema = "(Tensor self, Tensor? mask, int[2] size=[1, 2], *, str mode=\\"a,b\\", Tensor(a!) out) -> Tensor(a!)"
kernel = "et_op_take_out"
library = "portable"
file = "op_take.c"
dtypes = "float"
arguments = { mask = "index" }
scratch = 64
"""


@pytest.fixture(scope="module")
def table() -> OperatorTable:
    return load_operator_tables(TABLE)


def write(folder: Path, text: str, name: str = "table.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_row_is_parsed_into_arguments(tmp_path: Path) -> None:
    row = load_operator_tables(write(tmp_path, ROW))["aten::take.out"]
    self_, mask, size, mode, out = row.arguments
    assert (self_.type, self_.optional, self_.has_default) == ("Tensor", False, False)
    assert (mask.type, mask.optional) == ("Tensor", True)
    assert (size.type, size.default, size.keyword_only) == ("int[]", [1, 2], False)
    assert (mode.default, mode.keyword_only) == ("a,b", True)
    assert out.out and row.outs == (out,)
    assert row.scratch == 64


def test_dtypes_are_resolved_for_each_tensor_argument(tmp_path: Path) -> None:
    row = load_operator_tables(write(tmp_path, ROW))["aten::take.out"]
    assert dict(row.dtypes) == {"self": ("float32",), "mask": ("int32", "int64"), "out": ("float32",)}


@pytest.mark.parametrize(
    ("schema", "signature"),
    [
        ("(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)", "ttnw>w"),
        ("(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", "t?iw>w"),
        ("(Tensor self, int[2] k, bool c=False, *, Tensor(a!) out, Tensor(b!) i) -> (Tensor(a!), Tensor(b!))", "tIbww>W"),
        ("(Tensor self, SymInt[] sizes, int dim=0, *, Tensor(a!)[] out) -> ()", "tIiW>W"),
        ("(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)", "wtb>w"),
        ("(Tensor self, Tensor?[] indices, *, Tensor(a!) out) -> Tensor(a!)", "tOw>w"),
        ("(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)", "Tiw>w"),
        ("(Tensor x, SymInt[]? size, float[]? scales, str m, bool[] f, *, Tensor(a!) out) -> Tensor(a!)", "t?I?DsBw>w"),
        ("(Tensor self, int dim) -> SymInt", "ti>x"),
        ("(Scalar a, Scalar b) -> Scalar", "nn>x"),
        ("(Scalar a, Scalar b) -> bool", "nn>x"),
        ("(Tensor(a) self, SymInt[] size) -> Tensor(a)", "tI>w"),
        ("(Tensor(a!) to, Tensor from, SymInt index) -> ()", "wti"),
    ],
)
def test_signature_follows_the_calling_convention(tmp_path: Path, schema: str, signature: str) -> None:
    text = f"""
[dtypes]
float = ["float32"]
[[operator]]
name = "x::y.out"
schema = '''{schema}'''
kernel = "et_op_y"
library = "prim"
file = "op_y.c"
dtypes = "float"
"""
    assert load_operator_tables(write(tmp_path, text))["x::y.out"].signature == signature


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kernel = "et_op_take_out"\n', "", "lacks kernel"),
        ("scratch = 64", "scratch = -1", "'scratch' must be a number of bytes, got -1"),
        ("scratch = 64", "size = 64", "unknown keys: size"),
        ('library = "portable"', 'library = "other"', "'library' must be one of"),
        ('dtypes = "float"', 'dtypes = "complex"', "dtype set 'complex' is not in"),
        ("mask = ", "size = ", "names no tensor argument: size"),
        ('"aten::take.out"', '"take"', "'name' must match"),
        ("Tensor? mask", "Storage mask", "schema type 'Storage'"),
        ("Tensor? mask", "Tensor?", "schema argument 'Tensor?' is not of the form"),
        ("-> Tensor(a!)", "Tensor", "is not of the form '(arguments) -> returns'"),
        ("Tensor(a!) out", "int(a!) out", "only a Tensor or Tensor"),
    ],
)
def test_wrong_row_is_an_error_that_names_it(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = write(tmp_path, ROW.replace(old, new))
    with pytest.raises(OperatorTableError) as caught:
        load_operator_tables(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_damaged_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OperatorTableError, match="is not TOML"):
        load_operator_tables(write(tmp_path, "operator = ["))
    with pytest.raises(OperatorTableError, match="cannot be read"):
        load_operator_tables(tmp_path / "absent.toml")


def test_tables_merge_in_order_of_names(tmp_path: Path) -> None:
    second = write(tmp_path, ROW.replace("aten::take", "acme::take"), "second.toml")
    merged = load_operator_tables(write(tmp_path, ROW), second)
    assert [operator.name for operator in merged] == ["acme::take.out", "aten::take.out"]
    assert merged.missing(["b::c", "aten::take.out", "a::b", "b::c"]) == ("a::b", "b::c")


def test_same_operator_in_two_tables_is_an_error(tmp_path: Path) -> None:
    second = write(tmp_path, ROW, "second.toml")
    with pytest.raises(OperatorTableError, match="is also in .*table.toml"):
        load_operator_tables(write(tmp_path, ROW), second)


def test_rows_are_sorted_by_name() -> None:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    names = [line for line in lines if line.startswith("name = ")]
    assert names == sorted(names)


def test_kernel_symbols_are_unique(table: OperatorTable) -> None:
    symbols = [operator.kernel for operator in table]
    assert len(set(symbols)) == len(symbols)


def test_aten_schemas_are_those_of_pytorch(table: OperatorTable) -> None:
    for operator in table:
        namespace, _, rest = operator.name.partition("::")
        if namespace == "aten":
            base, _, overload = rest.partition(".")
            packet = getattr(torch.ops.aten, base)
            declared = str(getattr(packet, overload or "default")._schema)
            assert parse_schema(operator.schema) == parse_schema(declared[declared.index("(") :]), operator.name

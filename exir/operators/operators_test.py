"""Tests of the operator tables: parsing, signatures, errors, PyTorch's schemas."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from exir.operators.document import TableError
from exir.operators.operators import BUILTIN_TABLE, builtin_operators, load_operators
from exir.operators.schemas import parse_schema

ROW = """
[[operator]]
name = "acme::take.out"
schema = "(Tensor self, Tensor? mask, int[2] size=[1, 2], *, str mode=\\"a,b\\", Tensor(a!) out) -> Tensor(a!)"
"""


def write(folder: Path, text: str, name: str = "operators.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_operator_row_is_parsed_into_arguments(tmp_path: Path) -> None:
    row = load_operators(write(tmp_path, ROW))["acme::take.out"]
    self_, mask, size, mode, out = row.arguments
    assert (self_.type, self_.optional, self_.has_default) == ("Tensor", False, False)
    assert (mask.type, mask.optional) == ("Tensor", True)
    assert (size.type, size.default, size.keyword_only) == ("int[]", [1, 2], False)
    assert (mode.default, mode.keyword_only) == ("a,b", True)
    assert out.out and row.outs == (out,) and row.tensors == (self_, mask, out)


@pytest.mark.parametrize(
    ("schema", "signature"),
    [
        ("(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)", "ttnw>w"),
        ("(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", "t?iw>w"),
        (
            "(Tensor self, int[2] k, bool c=False, *, Tensor(a!) out, Tensor(b!) i) -> (Tensor(a!), Tensor(b!))",
            "tIbww>W",
        ),
        ("(Tensor self, SymInt[] sizes, int dim=0, *, Tensor(a!)[] out) -> ()", "tIiW>W"),
        ("(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)", "wtb>w"),
        ("(Tensor self, Tensor?[] indices, *, Tensor(a!) out) -> Tensor(a!)", "tOw>w"),
        ("(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)", "Tiw>w"),
        (
            "(Tensor x, SymInt[]? size, float[]? scales, str m, bool[] f, *, Tensor(a!) out) -> Tensor(a!)",
            "t?I?DsBw>w",
        ),
        ("(Tensor self, int dim) -> SymInt", "ti>x"),
        ("(Scalar a, Scalar b) -> Scalar", "nn>x"),
        ("(Scalar a, Scalar b) -> bool", "nn>x"),
        ("(Tensor(a) self, SymInt[] size) -> Tensor(a)", "tI>w"),
        ("(Tensor(a!) to, Tensor from, SymInt index) -> ()", "wti"),
    ],
)
def test_kernel_signature_follows_the_calling_convention(
    tmp_path: Path, schema: str, signature: str
) -> None:
    text = f"[[operator]]\nname = 'x::y.out'\nschema = '''{schema}'''\n"
    assert load_operators(write(tmp_path, text))["x::y.out"].signature == signature


def test_partially_written_argument_is_read_and_written(tmp_path: Path) -> None:
    row = ROW.replace('out) -> Tensor(a!)"', 'out) -> Tensor(a!)"\npartial_write = ["out"]')
    operator = load_operators(write(tmp_path, row))["acme::take.out"]
    assert operator.signature == "t?tIsm>w"
    assert [argument.name for argument in operator.outs] == ["out"]


def test_in_place_operators_state_partial_writes() -> None:
    operands = [(o.name, a) for o in builtin_operators() for a in o.outs if not a.keyword_only]
    assert {name for name, argument in operands if not argument.partial} == {"aten::copy_"}
    assert {name for name, argument in operands if argument.partial} == {
        "aten::_native_batch_norm_legit.out",
        "aten::index_put_",
        "executorch_prim::et_copy_index.tensor",
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "acme::take.out"\n', "", "row 1: missing keys: name"),
        ('name = "acme::take.out"', "name = 3", "'name' must be a string, got 3"),
        ("schema =", "kernel = 'et_op'\nschema =", "unknown keys: kernel"),
        ('"acme::take.out"', '"take"', "'name' must match"),
        ("Tensor? mask", "Storage mask", "schema type 'Storage'"),
        ("Tensor? mask", "Tensor?", "schema argument 'Tensor?' is not of the form"),
        ("-> Tensor(a!)", "Tensor", "is not of the form '(arguments) -> returns'"),
        ("Tensor(a!) out", "int(a!) out", "only a Tensor or Tensor"),
        ("[[operator]]", "[[kernel]]", "unknown sections: kernel"),
        ("schema =", "foldable = 1\nschema =", "'foldable' must be true, got 1"),
        ("schema =", "view_of = 'size'\nschema =", "'view_of' must be a tensor operand, got 'size'"),
        (
            "schema =",
            "promoted = ['out']\nschema =",
            "'promoted' must be a list of tensor operands, got ['out']",
        ),
        (
            "schema =",
            "promoted = 'self'\nschema =",
            "'promoted' must be a list of tensor operands, got 'self'",
        ),
        (
            "schema =",
            "same_dtype = 3\nschema =",
            "'same_dtype' must be a list of tensor operands, got 3",
        ),
        ("schema =", "copy_of = ['self']\nschema =", "'copy_of' must be a tensor operand, got ['self']"),
        ("schema =", "dtypes = 3\nschema =", "'dtypes' must be operand = kind, got 3"),
        ("schema =", "dtypes = { self = ['index'] }\nschema =", "'dtypes' must be operand = kind, got"),
        (
            "[[operator]]",
            "[operator]",
            "'operator' must be a list of tables; start each one with [[operator]]",
        ),
        (
            "schema =",
            "promotion = 'up'\nschema =",
            "'promotion' must be default or first or int_to_float, got 'up'",
        ),
        ("schema =", "dtypes = { self = 'big' }\nschema =", "'dtypes' must be operand = kind, got"),
        (
            "schema =",
            "partial_write = ['mask']\nschema =",
            "'partial_write' must list arguments of type Tensor(a!)",
        ),
        (
            "schema =",
            "partial_write = 'out'\nschema =",
            "'partial_write' must list arguments of type Tensor(a!)",
        ),
    ],
)
def test_invalid_operator_row_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = write(tmp_path, ROW.replace(old, new))
    with pytest.raises(TableError) as caught:
        load_operators(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_damaged_operator_table_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="not valid TOML"):
        load_operators(write(tmp_path, "operator = ["))
    with pytest.raises(TableError, match="cannot be read"):
        load_operators(tmp_path / "absent.toml")


def test_operator_tables_merge_in_name_order(tmp_path: Path) -> None:
    second = write(tmp_path, ROW.replace("acme::take", "zeta::take"), "second.toml")
    merged = load_operators(write(tmp_path, ROW), second)
    names = [operator.name for operator in merged]
    assert names == sorted(names)
    assert set(names) == {"acme::take.out", "zeta::take.out"} | {
        operator.name for operator in builtin_operators()
    }


def test_operator_in_two_tables_is_an_error(tmp_path: Path) -> None:
    second = write(tmp_path, ROW, "second.toml")
    with pytest.raises(TableError, match="also defined in .*/operators.toml"):
        load_operators(write(tmp_path, ROW), second)
    with pytest.raises(TableError, match="aten::add.out: also defined in .*schema/operators.toml"):
        load_operators(write(tmp_path, ROW.replace("acme::take", "aten::add")))


def test_operator_rows_are_sorted_by_name() -> None:
    lines = BUILTIN_TABLE.read_text(encoding="utf-8").splitlines()
    names = [line for line in lines if line.startswith("name = ")]
    assert names == sorted(names)


def test_operator_schemas_match_torch() -> None:
    for operator in builtin_operators():
        namespace, _, rest = operator.name.partition("::")
        if namespace == "aten":
            base, _, overload = rest.partition(".")
            packet = getattr(torch.ops.aten, base)
            declared = str(getattr(packet, overload or "default")._schema)
            assert parse_schema(operator.schema) == parse_schema(declared[declared.index("(") :]), (
                operator.name
            )

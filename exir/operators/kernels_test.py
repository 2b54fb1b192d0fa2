"""Tests of the kernel tables: parsing, priorities, errors and built-in libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

from exir.operators.document import TableError
from exir.operators.kernels import KernelTable, load_kernels
from exir.operators.operators import builtin_operators
from exir.operators.rules import TensorRule

ROOT = Path(__file__).parents[2]
LIBRARIES = [
    ROOT / folder / "kernels.toml"
    for folder in ("kernels/portable", "kernels/quantized", "kernels/torchvision", "runtime/prim")
]

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
    return load_kernels(paths, builtin_operators())


def test_kernel_row_is_parsed(tmp_path: Path) -> None:
    more = 'prepare = "acme_prepare"\nfeatures = ["avx2", "fma"]\npriority = 2\n'
    table = load(write(tmp_path, ROW + more + ROW[ROW.index("[[kernel]]") :]))
    fast, plain = table.of("aten::embedding.out")
    assert (fast.symbol, fast.file, fast.scratch) == ("acme_embedding", "embedding.c", "64")
    assert (fast.prepare, fast.features, fast.priority) == ("acme_prepare", ("avx2", "fma"), 2)
    assert (plain.prepare, plain.features, plain.priority) == ("", (), 0)


def test_kernel_memory_is_an_expression(tmp_path: Path) -> None:
    memory = """
scratch = '''ACME_SCRATCH({weight.shape[1]},
                       {indices.rank}, {padding_idx})'''
state = "sizeof(acme_plan)"
header = "acme/plan.h"
prepare = "acme_prepare"
"""
    (kernel,) = load(write(tmp_path, ROW.replace("scratch = 64\n", memory))).of("aten::embedding.out")
    assert kernel.scratch == "ACME_SCRATCH({weight.shape[1]}, {indices.rank}, {padding_idx})"
    assert (kernel.state, kernel.header) == ("sizeof(acme_plan)", "acme/plan.h")
    assert kernel.constant_scratch == "0"


def test_fixed_scratch_is_a_constant(tmp_path: Path) -> None:
    row = ROW.replace("scratch = 64", 'scratch = "sizeof(acme)"')
    (kernel,) = load(write(tmp_path, row)).of("aten::embedding.out")
    assert kernel.constant_scratch == "sizeof(acme)"


def test_argument_rules_resolve_per_tensor(tmp_path: Path) -> None:
    narrowed = '{ indices = { dtypes = "index", ranks = [0, 15], layout = "any" } }'
    common = 'ranks = [2, 2]\nlayout = "contiguous"\nsame_dtype = [["weight", "out"]]\n'
    row = ROW.replace('{ indices = "index" }', narrowed) + common + "attributes = { sparse = [false] }\n"
    (kernel,) = load(write(tmp_path, row)).of("aten::embedding.out")
    matrix = TensorRule(("float32",), (2, 2), "contiguous")
    assert dict(kernel.rules.tensors) == {
        "weight": matrix,
        "indices": TensorRule(("int32", "int64"), (0, 15), "any"),
        "out": matrix,
    }
    assert kernel.rules.same_dtype == (("weight", "out"),)
    assert dict(kernel.rules.attributes) == {"sparse": (False,)}


def test_kernels_are_ordered_by_priority(tmp_path: Path) -> None:
    rows = [ROW.replace("acme_embedding", f"kernel_{n}") + f"priority = {n}\n" for n in (0, 2, 1)]
    paths = [write(tmp_path, row, f"{index}.toml") for index, row in enumerate(rows)]
    symbols = [kernel.symbol for kernel in load(*paths).of("aten::embedding.out")]
    assert symbols == ["kernel_2", "kernel_1", "kernel_0"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('symbol = "acme_embedding"\n', "", "missing keys: symbol"),
        (
            "scratch = 64",
            "scratch = -1",
            "'scratch' must be a number of bytes or a C expression, got -1",
        ),
        (
            "scratch = 64",
            "scratch = true",
            "'scratch' must be a number of bytes or a C expression, got True",
        ),
        (
            "scratch = 64",
            'scratch = "{sizes}"',
            "'scratch' uses unknown arguments: sizes",
        ),
        ("scratch = 64", 'scratch = "{"', "'scratch': Single '{'"),
        ("scratch = 64", 'scratch = "{sparse}"', "need 'prepare'"),
        ("scratch = 64", 'state = "64"', "need 'prepare'"),
        ("scratch = 64", "header = '\"a.h\"'", "'header' must match"),
        ("scratch = 64", "priority = 1.5", "'priority' must be an integer, got 1.5"),
        ("scratch = 64", "size = 64", "unknown keys: size"),
        ('dtypes = "float"', 'dtypes = "complex"', "unknown dtype set 'complex'"),
        ('dtypes = "float"\n', "", "'dtypes' for weight is missing"),
        (
            "scratch = 64",
            "ranks = [2, 1]",
            "'ranks' must be a minimum and a maximum from 0 to 16, got [2, 1]",
        ),
        ("scratch = 64", "ranks = 2", "'ranks' must be a minimum and a maximum from 0 to 16, got 2"),
        (
            "scratch = 64",
            'layout = "last"',
            "'layout' must be one of any, contiguous, channels_last, got 'last'",
        ),
        (
            "scratch = 64",
            'same_dtype = [["weight", "sparse"]]',
            "'same_dtype': not a tensor argument: sparse",
        ),
        ("scratch = 64", 'same_dtype = [["out"], ["out"]]', "'same_dtype' must be at most 7 groups"),
        (
            "scratch = 64",
            "attributes = { out = [1] }",
            "'attributes': not a non-tensor argument: out",
        ),
        (
            "scratch = 64",
            "attributes = { padding_idx = [-1] }",
            "'attributes': 'padding_idx' is of type SymInt, but only bool and str arguments can be restricted; "
            "remove it",
        ),
        (
            "scratch = 64",
            "attributes = { sparse = [0] }",
            "'attributes': 'sparse' must be a list of bool values, got [0]",
        ),
        (
            "scratch = 64",
            "attributes = { sparse = false }",
            "'attributes': 'sparse' must be a list of bool values, got False",
        ),
        (
            "scratch = 64",
            "attributes = { sparse = [] }",
            "'attributes': 'sparse' must be a list of bool values, got []",
        ),
        ("scratch = 64", 'attributes = ["sparse"]', "'attributes' must be a table, got ['sparse']"),
        ("scratch = 64", "ranks = [true, 2]", "'ranks' must be a minimum and a maximum"),
        (
            "scratch = 64",
            "layout = ['any']",
            "'layout' must be one of any, contiguous, channels_last, got",
        ),
        ("scratch = 64", "header = 3", "'header' must match"),
        (
            "scratch = 64",
            "same_dtype = 'out'",
            "'same_dtype' must be a list of lists of tensor arguments",
        ),
        ("scratch = 64", "same_dtype = ['out']", "'same_dtype' must be a list of strings, got 'out'"),
        ("scratch = 64", "features = 'avx'", "'features' must be a list of strings, got 'avx'"),
        ("scratch = 64", "features = [2]", "'features' must be a list of strings, got [2]"),
        ('{ indices = "index" }', '"index"', "'arguments' must be a table, got 'index'"),
        ('indices = "index"', "indices = 3", "'indices' must be a dtype set or a table, got 3"),
        (
            'dtypes = "float"',
            "dtypes = ['float']",
            "unknown dtype set ['float']; [dtypes] has: float, index",
        ),
        ('"float32"]', '["float32"]]', "dtypes.float: must be a list of dtypes"),
        ("[[kernel]]", "[kernel]", "'kernel' must be a list of tables; start each one with [[kernel]]"),
        ("scratch = 64", 'features = ["mmx"]', "'features': unknown mmx; valid: avx,"),
        (
            "scratch = 64",
            'features = ["avx"]',
            "every kernel requires 'features'; add a kernel without them",
        ),
        ('"index" }', "{ size = [2] } }", "'indices': unknown keys: size"),
        ("indices = ", "padding_idx = ", "not a tensor argument: padding_idx"),
        ("aten::embedding.out", "embedding", "'operator' must match"),
        ("aten::embedding.out", "acme::embedding.out", "acme::embedding.out: unknown operator"),
        ("acme_embedding", "acme embedding", "'symbol' must match"),
        ("[[kernel]]", "[[operator]]", "unknown sections: operator"),
        (
            'index = ["int32", "int64"]',
            "index = 3",
            "dtypes.index: must be a list of dtypes; valid: uint8,",
        ),
        ('"int32"', '"int31"', "dtypes.index: must be a list of dtypes; valid: uint8,"),
    ],
)
def test_invalid_kernel_row_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = write(tmp_path, ROW.replace(old, new))
    with pytest.raises(TableError) as caught:
        load(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_dtype_sets_must_be_a_table(tmp_path: Path) -> None:
    path = write(tmp_path, "dtypes = 3")
    with pytest.raises(TableError, match=f"{path}: 'dtypes' must be a table, got 3"):
        load(path)


def test_missing_kernels_are_named(tmp_path: Path) -> None:
    table = load(write(tmp_path, ROW))
    assert "aten::embedding.out" in table and table.of("b::c") == ()
    assert table.missing(["b::c", "aten::embedding.out", "a::b", "b::c"]) == ("a::b", "b::c")


@pytest.mark.parametrize("path", LIBRARIES, ids=str)
def test_kernel_rows_are_sorted_and_files_exist(path: Path) -> None:
    kernels = list(load(path))
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [f'operator = "{k.operator.name}"' for k in kernels] == [
        x for x in lines if x.startswith("operator = ")
    ]
    assert [k.file for k in kernels if not (path.parent / k.file).is_file()] == []


def test_every_operator_has_a_kernel() -> None:
    table = load(*LIBRARIES)
    assert table.missing(operator.name for operator in builtin_operators()) == ()
    by_symbol = {kernel.symbol: kernel.operator.name for kernel in table}
    assert [k for k in table if by_symbol[k.symbol] != k.operator.name] == []

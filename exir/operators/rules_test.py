"""Tests of calls against the rules of kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

from exir.operators.kernels import KernelTable, load_kernels
from exir.operators.operators import builtin_operators
from exir.operators.rules import Call, TensorInfo

OPERATOR = "aten::native_group_norm.out"
TABLE = """
[dtypes]
float = ["float32"]
floating = ["float16", "float32"]

[[kernel]]
operator = "aten::native_group_norm.out"
symbol = "fast"
file = "fast.c"
dtypes = "float"
layout = "channels_last"
priority = 1
features = ["avx2"]

[[kernel]]
operator = "aten::native_group_norm.out"
symbol = "float_only"
file = "group_norm.c"
dtypes = "float"
priority = 1

[[kernel]]
operator = "aten::native_group_norm.out"
symbol = "plain"
file = "group_norm.c"
dtypes = "floating"
layout = "contiguous"
ranks = [2, 4]
arguments = { out1 = { ranks = [2, 2] } }
same_dtype = [["input", "weight", "bias", "out0"], ["out1", "out2"]]
"""


@pytest.fixture
def table(tmp_path: Path) -> KernelTable:
    path = tmp_path / "kernels.toml"
    path.write_text(TABLE, encoding="utf-8")
    return load_kernels([path], builtin_operators())


def call(order: tuple[int, ...] = (0, 1, 2), **dtypes: str) -> Call:
    """Return a call whose tensors are float32, except those with an entry in `dtypes`.

    The input has the dim order `order`.
    """
    names = ("input", "weight", "out0", "out2")
    tensors = {name: [TensorInfo(dtypes.get(name, "float32"), (0, 1))] for name in names}
    tensors["input"] = [TensorInfo(dtypes.get("input", "float32"), order)]
    return Call({**tensors, "bias": [], "out1": [TensorInfo("float16", (0, 1))]})


def test_call_that_matches_a_row_is_accepted(table: KernelTable) -> None:
    assert table.refusals(OPERATOR, call(out2="float16")) == []
    wide = call(input="float16", weight="float16", out0="float16", out2="float16")
    assert table.refusals(OPERATOR, wide) == []


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        (call(out2="int8"), "no kernel supports int8 for 'out2'; supported: float16, float32"),
        (call(order=(0,)), "no kernel supports 1 dimensions for 'input'; supported: 2 to 4"),
        (call(order=(0, 1, 2, 3, 4)), "no kernel supports 5 dimensions for 'input'; supported: 2 to 4"),
        (
            call(order=(0, 2, 3, 1)),
            "no kernel supports dim order (0, 2, 3, 1) for 'input'; supported: tensors in row-major order",
        ),
        (
            call(weight="float16", out2="float16"),
            "no kernel supports float32 and float16 for 'input', 'weight', 'bias' and 'out0'; use one dtype",
        ),
    ],
)
def test_refusal_reason_is_the_last_rows(table: KernelTable, refused: Call, reason: str) -> None:
    assert reason in table.refusals(OPERATOR, refused)


def test_shared_reason_names_its_arguments_once(table: KernelTable) -> None:
    volumes = {name: [TensorInfo("float32", (0, 1, 2, 3, 4))] for name in ("input", "weight", "out0")}
    assert table.refusals(OPERATOR, Call(volumes | {"out2": [TensorInfo("int8", (0, 1))]})) == [
        "no kernel supports 5 dimensions for 'input', 'weight' and 'out0'; supported: 2 to 4",
        "no kernel supports int8 for 'out2'; supported: float16, float32",
    ]


def test_rows_with_features_alone_do_not_make_a_call_runnable(table: KernelTable) -> None:
    channels_last = call(order=(0, 2, 3, 1), out2="float16")
    assert table.refusals(OPERATOR, channels_last) == [
        "no kernel supports dim order (0, 2, 3, 1) for 'input'; supported: tensors in row-major order"
    ]


def test_attributes_are_checked_against_allowed_values(tmp_path: Path) -> None:
    path = tmp_path / "kernels.toml"
    path.write_text(
        """
[dtypes]
float = ["float32"]

[[kernel]]
operator = "aten::scatter_reduce.two_out"
symbol = "scatter_reduce"
file = "scatter_reduce.c"
dtypes = "float"
attributes = { reduce = ["sum", "amax"], include_self = [true] }
""",
        encoding="utf-8",
    )
    table = load_kernels([path], builtin_operators())
    operator = "aten::scatter_reduce.two_out"
    assert table.refusals(operator, Call({})) == []
    assert table.refusals(operator, Call({}, {"reduce": "amax", "include_self": True})) == []
    assert table.refusals(operator, Call({}, {"reduce": "mean", "include_self": False})) == [
        "no kernel supports reduce='mean'; supported: 'sum', 'amax'",
        "no kernel supports include_self=False; supported: True",
    ]


def test_kernels_with_features_and_their_fallback_are_callable(table: KernelTable) -> None:
    names = ("input", "weight", "bias", "out0", "out1", "out2")
    channels_last = Call({name: [TensorInfo("float32", (0, 2, 1))] for name in names})
    assert [candidate.symbol for candidate in table.candidates(OPERATOR, channels_last)] == [
        "fast",
        "float_only",
    ]
    assert [candidate.symbol for candidate in table.candidates(OPERATOR, call(out2="float16"))] == [
        "plain"
    ]

"""Tests of the generated kernel table: selection, order, errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rules.codegen import kernel_table

TABLE = """
[dtypes]
float = ["float32"]

[[kernel]]
operator = "aten::mul.out"
symbol = "et_op_mul_out"
file = "op_mul.c"
dtypes = "float"

[[kernel]]
operator = "aten::abs.out"
symbol = "et_op_abs_out"
file = "op_abs.c"
dtypes = "float"
scratch = 4096
"""


def run_generator(folder: Path, *options: str) -> tuple[int, str]:
    table, out = folder / "table.toml", folder / "out.c"
    table.write_text(TABLE, encoding="utf-8")
    status = kernel_table.main(["--kernels", str(table), "--symbol", "my_kernels", "--out", str(out), *options])
    return status, out.read_text(encoding="utf-8") if out.exists() else ""


def write_only(folder: Path, name: str, *operators: str) -> str:
    path = folder / name
    rows = [{"name": operator, "dtypes": ["float32"]} for operator in operators]
    path.write_text(json.dumps({"operators": rows}) if name.endswith(".json") else "\n".join(operators), "utf-8")
    return str(path)


def test_complete_kernel_table_is_sorted_by_name(tmp_path: Path) -> None:
    status, text = run_generator(tmp_path)
    assert status == 0
    assert text.index("aten::abs.out") < text.index("aten::mul.out")
    assert '{"aten::abs.out", "tw>w", &rules[0], et_op_abs_out, NULL, 4096},' in text
    assert '{"aten::mul.out", "ttw>w", &rules[2], et_op_mul_out, NULL, 0},' in text
    assert "const et_kernel_table my_kernels = {rows, sizeof rows / sizeof *rows};" in text


def test_list_of_operators_may_have_blank_lines(tmp_path: Path) -> None:
    status, text = run_generator(tmp_path, "--only", write_only(tmp_path, "names.txt", "", " aten::mul.out", " "))
    assert status == 0
    assert "aten::mul.out" in text and "aten::abs.out" not in text


def test_kernel_memory_expressions_include_their_headers(tmp_path: Path) -> None:
    table, out = tmp_path / "more.toml", tmp_path / "more.c"
    memory = 'header = "acme/abs.h"\nscratch = "sizeof(acme)"'
    other = 'header = "acme/mul.h"\nscratch = "ROOM({self.rank})"\nprepare = "prepare"'
    text = TABLE.replace("scratch = 4096", memory).replace('"op_mul.c"', f'"op_mul.c"\n{other}')
    table.write_text(text, encoding="utf-8")
    assert kernel_table.main(["--kernels", str(table), "--symbol", "more", "--out", str(out)]) == 0
    source = out.read_text(encoding="utf-8")
    assert "et_op_abs_out, NULL, sizeof(acme)}," in source and '#include "acme/abs.h"\n' in source
    assert "et_op_mul_out, prepare, 0}," in source and "acme/mul.h" not in source


def test_kernel_rules_constrain_each_tensor_argument(tmp_path: Path) -> None:
    table = tmp_path / "more.toml"
    own = 'arguments = { other = { dtypes = "float", ranks = [3, 5], layout = "channels_last" } }'
    row = TABLE.replace('file = "op_mul.c"', f'file = "op_mul.c"\n{own}\nsame_dtype = [["self", "out"]]')
    table.write_text(row.replace('["float32"]', '["float32", "int64", "uint64"]'), encoding="utf-8")
    only = write_only(tmp_path, "names.txt", "aten::mul.out")
    out = tmp_path / "more.c"
    assert kernel_table.main(["--kernels", str(table), "--only", only, "--symbol=k", f"--out={out}"]) == 0
    ends = "{0x20000050u, 0, 16, ET_LAYOUT_ANY, 1},"
    middle = "{0x20000050u, 3, 5, ET_LAYOUT_CHANNELS_LAST, 0},"
    assert f"/* et_op_mul_out */ {ends} {middle} {ends}" in out.read_text(encoding="utf-8")


def test_kernel_rules_admit_only_the_manifests_dtypes(tmp_path: Path) -> None:
    table, out = tmp_path / "more.toml", tmp_path / "more.c"
    table.write_text(TABLE.replace('["float32"]', '["float32", "float64", "int64", "uint64"]'), encoding="utf-8")
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    one.write_text('{"operators": [{"name": "aten::mul.out", "dtypes": ["float32", "int64"]}]}', "utf-8")
    other.write_text('{"operators": [{"name": "aten::mul.out", "dtypes": ["uint64"]}]}', "utf-8")
    only = [f"--only={one}", f"--only={other}"]
    assert kernel_table.main(["--kernels", str(table), *only, "--symbol=k", f"--out={out}"]) == 0
    rule = "{0x20000050u, 0, 16, ET_LAYOUT_ANY, 0},"
    text = out.read_text(encoding="utf-8")
    assert f"/* et_op_mul_out */ {rule} {rule} {rule}" in text
    assert "converters[] = {&et_converter_float32, &et_converter_int64};" in text


def test_channels_last_kernels_are_linked_on_use(tmp_path: Path) -> None:
    table, out, only = tmp_path / "more.toml", tmp_path / "more.c", tmp_path / "only.json"
    table.write_text(
        TABLE.replace('symbol = "et_op_mul_out"', 'symbol = "et_op_mul_out"\nlayout = "channels_last"'), "utf-8"
    )
    for order, kernels in (("", 0), (', "channels_last": true', 1)):
        only.write_text(f'{{"operators": [{{"name": "aten::mul.out", "dtypes": ["float32"]{order}}}]}}', "utf-8")
        flags = ["--kernels", str(table), f"--only={only}", "--symbol=k", f"--out={out}"]
        assert kernel_table.main(flags) == 0
        assert out.read_text(encoding="utf-8").count("et_op_mul_out, NULL") == kernels


def test_kernel_table_lists_conversions_of_its_dtypes(tmp_path: Path) -> None:
    _, text = run_generator(tmp_path)
    assert "extern const struct et_converter et_converter_float32;\n" in text
    assert "converters[] = {&et_converter_float32};" in text
    _, text = run_generator(tmp_path, "--only", write_only(tmp_path, "none.txt"))
    assert "et_converter" not in text


def test_rows_with_features_are_conditional(tmp_path: Path) -> None:
    table = tmp_path / "fast.toml"
    features = 'priority = 1\nfeatures = ["avx2", "fma"]\nprepare = "pack"\nfile'
    table.write_text(TABLE.replace("et_op", "fast").replace("file", features), encoding="utf-8")
    _, text = run_generator(tmp_path, "--kernels", str(table))
    condition, row = (
        "#if defined(__AVX2__) && defined(__FMA__)\n",
        '    {"aten::abs.out", "tw>w", &rules[0], fast_abs_out',
    )
    assert f"{condition}{row}, pack, 4096}},\n#endif\n" in text
    assert "et_status pack(et_prepare_context *context, et_value *const *args, void **out_state);" in text


def test_selection_lists_only_chosen_kernels(tmp_path: Path) -> None:
    status, text = run_generator(tmp_path, "--only", write_only(tmp_path, "m.json", "aten::mul.out"))
    assert status == 0
    assert "et_op_mul_out" in text and "et_op_abs_out" not in text


def test_kernels_of_one_operator_are_in_priority_order(tmp_path: Path) -> None:
    faster = tmp_path / "faster.toml"
    faster.write_text(TABLE.replace("et_op", "fast").replace("file", "priority = 1\nfile"), encoding="utf-8")
    _, text = run_generator(tmp_path, "--kernels", str(faster))
    assert text.index("fast_abs_out, NULL") < text.index("et_op_abs_out, NULL") < text.index("fast_mul_out, NULL")


def test_kernels_may_implement_custom_operators(tmp_path: Path) -> None:
    operators, kernels = tmp_path / "operators.toml", tmp_path / "acme.toml"
    operators.write_text(
        '[[operator]]\nname = "acme::twice.out"\nschema = "(Tensor x, *, Tensor(a!) out) -> Tensor(a!)"'
    )
    kernels.write_text(TABLE.replace("aten::mul", "acme::twice").replace("aten::abs", "aten::neg"), encoding="utf-8")
    status, text = run_generator(tmp_path, "--kernels", str(kernels), "--operators", str(operators))
    assert status == 0
    assert '{"acme::twice.out", "tw>w",' in text


def test_selections_are_merged(tmp_path: Path) -> None:
    first = write_only(tmp_path, "m.json", "aten::mul.out")
    second = write_only(tmp_path, "names.txt", "aten::abs.out", "aten::mul.out")
    _, text = run_generator(tmp_path, "--only", first, "--only", second)
    assert text.count('    {"aten::') == 2


def test_empty_selection_is_a_valid_table(tmp_path: Path) -> None:
    _, text = run_generator(tmp_path, "--only", write_only(tmp_path, "m.json"))
    assert "const et_kernel_table my_kernels = {NULL, 0};" in text
    assert "rows[]" not in text


def test_selection_names_operators_without_a_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    only = write_only(tmp_path, "m.json", "aten::det.out", "aten::mul.out")
    status, text = run_generator(tmp_path, "--only", only)
    assert (status, text) == (1, "")
    message = capsys.readouterr().err
    assert "no kernel for aten::det.out" in message and only in message


def test_damaged_selection_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damaged = tmp_path / "m.json"
    damaged.write_text("{}", encoding="utf-8")
    assert run_generator(tmp_path, "--only", str(damaged)) == (1, "")
    assert "not a list of operators" in capsys.readouterr().err


def test_params_file_may_hold_the_arguments(tmp_path: Path) -> None:
    table, out, params = tmp_path / "table.toml", tmp_path / "out.c", tmp_path / "params"
    table.write_text(TABLE, encoding="utf-8")
    params.write_text(f"--kernels\n{table}\n--symbol\nk\n--out\n{out}\n", encoding="utf-8")
    assert kernel_table.main([f"@{params}"]) == 0
    assert out.exists()


def test_kernel_symbol_must_be_an_identifier(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        kernel_table.main(["--kernels", "t", "--symbol", "a b", "--out", str(tmp_path / "o.c")])

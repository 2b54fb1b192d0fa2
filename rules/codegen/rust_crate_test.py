"""Tests names and types in generated Rust."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rules.codegen import rust_crate

_CODEC = Path(__file__).resolve().parent / "testdata" / "codec.manifest.json"


def _tensor(name: str, **keys: Any) -> dict[str, Any]:
    return {"name": name, "kind": "tensor", "dtype": "float32", "dynamism": "static", "dim_order": [0]} | keys


def _generate(tmp_path: Path, *flags: str, target: str = "//app:net", prefix: str = "net", **keys: Any) -> str:
    """Return the crate of a program with one method, with these keys of the method."""
    document = json.loads(_CODEC.read_text(encoding="utf-8"))
    method = document["methods"][2] | {"name": "forward", "inputs": [], "outputs": []} | keys
    document |= {"target": target, "methods": [method]}
    path = tmp_path / "net.manifest.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    out = tmp_path / "net.rs"
    arguments = ["--target=//app:net_rs", "--library=//app:net_rs_cc", "--model", prefix, str(path), f"--out={out}"]
    assert rust_crate.main([*arguments, *flags]) == 0
    return out.read_text(encoding="utf-8")


def test_default_type_is_the_prefix_without_the_package(tmp_path: Path) -> None:
    assert "pub struct MobileNet {" in _generate(tmp_path, target="//app/net:x", prefix="app_net_mobileNet")


def test_type_name_overrides_the_default(tmp_path: Path) -> None:
    assert "pub struct Classifier {" in _generate(tmp_path, "--type-name=Classifier")


@pytest.mark.parametrize("name", ["Self", "a-b", "1st", "Ünïcode", "linked", "_"])
def test_type_name_must_be_a_rust_name(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError):
        _generate(tmp_path, f"--type-name={name}")
    assert capsys.readouterr().err == (
        f"//app:net_rs: type_name: '{name}' cannot be a name in Rust; use letters, digits and '_', and no keyword\n"
    )


def test_nul_in_a_method_name_is_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError):
        _generate(tmp_path, name="a\0b")
    assert "method 'a\\x00b' has a NUL in its name; rename it" in capsys.readouterr().err


def test_names_avoid_keywords_and_functions_of_the_type(tmp_path: Path) -> None:
    inputs = [_tensor("self", shape=[4]), _tensor("type", shape=[4])]
    text = _generate(tmp_path, name="load", inputs=inputs)
    assert "pub fn load_<'a>(&'a mut self, inputs: LoadInputs<'_>)" in text
    assert "pub self_: &'a [f32]" in text and "pub type_: &'a [f32]" in text


def test_parameter_differs_from_local_variables(tmp_path: Path) -> None:
    text = _generate(tmp_path, inputs=[_tensor("call", shape=[4])])
    assert "(&'a mut self, call_: &[f32])" in text and 'set_fixed(0, "call", [4], call_)' in text


def test_struct_types_differ_from_the_models_type(tmp_path: Path) -> None:
    inputs = [_tensor("a", shape=[4]), _tensor("b", shape=[4])]
    text = _generate(tmp_path, "--type-name=ForwardInputs", inputs=inputs)
    assert "pub struct ForwardMethodInputs<'a> {" in text and "pub struct ForwardInputs {" in text


def test_struct_of_integers_has_no_lifetime(tmp_path: Path) -> None:
    ranged = {"kind": "int", "range": {"min": 1, "max": 8, "step": 1}}
    integers = [{"name": "a", "kind": "int"}, {"name": "b", "kind": "int"}]
    text = _generate(tmp_path, inputs=[entry | ranged for entry in integers], outputs=integers)
    assert "pub struct ForwardInputs {" in text and "inputs: ForwardInputs)" in text
    assert "pub struct ForwardOutputs {" in text and "::executorch::Result<ForwardOutputs> {" in text


def test_fixed_inputs_are_not_parameters(tmp_path: Path) -> None:
    text = _generate(tmp_path, inputs=[{"name": "mode", "kind": "string", "value": "fast"}])
    assert "pub fn forward<'a>(&'a mut self) -> ::executorch::Result<()> {" in text


@pytest.mark.parametrize("sizes", [[{"min": 1, "max": 4, "step": 1}, 0], [{"min": 1, "max": 4, "step": 1}] * 2])
def test_sizes_that_the_count_does_not_determine_are_passed(sizes: list[Any], tmp_path: Path) -> None:
    tensor = _tensor("x", shape=[4, 4], dynamism="dynamic_bound", sizes=sizes)
    assert "x: ::executorch::Shaped<'_, f32, 2>" in _generate(tmp_path, inputs=[tensor])


def test_hostile_texts_stay_in_comments_and_strings(tmp_path: Path) -> None:
    name = 'a"\\\r\n*/ \u202e`#![x]{}'
    doc = "first\rsecond \u2066\n```\nmain()\n```"
    text = _generate(tmp_path, name=name, doc=doc)
    assert 'name: "a\\u{22}\\u{5c}\\u{d}\\u{a}*/ \\u{202e}`#![x]{}\\0",' in text
    assert "    /// Runs method `a\"\\  */  '#![x]{}`.\n    ///\n    /// first\n    /// second\n    /// '''\n" in text
    assert "\r" not in text and "\u202e" not in text and "\u2066" not in text


def test_conditions_are_in_the_comment(tmp_path: Path) -> None:
    text = _generate(tmp_path, conditions=["x.shape[0] % 2 == 0", "x.shape[0] > 4"])
    assert "    /// Each call requires `x.shape[0] % 2 == 0; x.shape[0] > 4`.\n    pub fn forward" in text


def test_error_names_the_library(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = tmp_path / "old.json"
    manifest.write_text('{"format": 1}', encoding="utf-8")
    arguments = ["--target=//app:net_rs", "--library=//app:net_cc", f"--out={tmp_path}/net.rs"]
    assert rust_crate.main([*arguments, "--model", "net", str(manifest)]) == 1
    assert capsys.readouterr().err == f"//app:net_rs: {manifest}: manifest format 1; expected 3\n"

"""Tests of options: sections, types and messages."""

from pathlib import Path

import pytest
import torch

from exir.cli.arguments import parse_arguments
from exir.cli.config import CompilerConfig, load_config, parse_config
from exir.error import ConfigError
from exir.passes.memory_planning_pass import MemoryPlanningPass

_TABLE = {
    "edge": {"skip_dim_order": True, "preserve_ops": ["aten::linear"]},
    "executorch": {"segment_alignment": 4096, "emit_stacktrace": True},
    "memory_planning": {"alloc_graph_input": False},
    "backends": {"npu": {"level": 3}},
}


def _load_config(*flags: str) -> CompilerConfig:
    needed = ["--target=//m:n", "--module=m", "--out-pte=m.pte"]
    return load_config(parse_arguments([*needed, *flags]))


def test_default_config_matches_the_api() -> None:
    config = _load_config()
    assert config.edge_config()._check_ir_validity
    assert config.executorch_config([]).segment_alignment == 128


def test_config_options_reach_the_stages() -> None:
    config = parse_config(_TABLE, "m.toml")
    edge, executorch = config.edge_config(), config.executorch_config([])
    assert edge._skip_dim_order and edge.preserve_ops == [torch.ops.aten.linear.default]
    assert executorch.segment_alignment == 4096 and executorch.emit_stacktrace
    planner = executorch.memory_planning_pass
    assert isinstance(planner, MemoryPlanningPass) and not planner.alloc_graph_input
    assert config.backends == {"npu": {"level": 3}}


def test_toml_and_json_configs_are_equivalent(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text('[edge]\nskip_dim_order = true\n[passes]\nedge = ["m.passes:Fold"]\n')
    text = '{"edge": {"skip_dim_order": true}, "passes": {"edge": ["m.passes:Fold"]}}'
    from_toml, from_json = _load_config(f"--config={path}"), _load_config(f"--config-json={text}")
    assert (from_toml.edge, from_toml.passes) == (from_json.edge, from_json.passes)


def test_later_layers_override_earlier_ones(tmp_path: Path) -> None:
    base, over = tmp_path / "base.toml", tmp_path / "over.toml"
    base.write_text(
        '[executorch]\nsegment_alignment = 64\nemit_stacktrace = true\n[backends.npu]\nlevel = 3\nkinds = ["a"]\n'
    )
    over.write_text('[executorch]\nsegment_alignment = 4096\n[backends.npu]\nkinds = ["b"]\n')
    config = _load_config(
        f"--config={base}", f"--config={over}", '--config-json={"edge": {"skip_dim_order": true}}'
    )
    assert config.executorch == {"segment_alignment": 4096, "emit_stacktrace": True}
    assert config.backends == {"npu": {"level": 3, "kinds": ["b"]}}
    assert config.edge == {"skip_dim_order": True}
    assert config.origin == f"{base}, {over}, config"


def test_config_error_names_the_layer(tmp_path: Path) -> None:
    base = tmp_path / "base.toml"
    base.write_text("[executorch]\nno_such_key = 1\n")
    with pytest.raises(ConfigError, match=r"base.toml: \[executorch\]: unknown key 'no_such_key'"):
        _load_config(f"--config={base}", "--config-json={}")


@pytest.mark.parametrize(
    "table, message",
    [
        ({"egde": {}}, "m.toml: unknown key 'egde'; did you mean 'edge'?"),
        (
            {"executorch": {"external_constants": True}},
            r"m.toml: \[executorch\]: unknown key 'external_constants'",
        ),
        (
            {"executorch": {"segment_aligment": 1}},
            r"m.toml: \[executorch\]: unknown key 'segment_aligment'; did you mean 'segment_alignment'?",
        ),
        ({"executorch": {"emit_stacktrace": 1}}, "'emit_stacktrace' must be true or false, got 1"),
        ({"executorch": {"segment_alignment": True}}, "'segment_alignment' must be an integer"),
        ({"executorch": {"segment_alignment": 100}}, "must be a power of two, got 100"),
        ({"edge": {"preserve_ops": "aten::add"}}, "must be a list, each element a string"),
        ({"edge": 3}, r"\[edge\] must be a table"),
        ({"backends": {"npu": 3}}, r"\[backends.npu\] must be a table"),
        ({"quantization": {"recip": "int8_static"}}, "unknown key 'recip'; did you mean 'recipe'?"),
        (
            {"quantization": {"recipe": "int8_static", "exclude": "head"}},
            "'exclude' must be a list, each element a string",
        ),
    ],
)
def test_unknown_key_is_named_with_its_file(table: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_config(table, "m.toml")


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (
            {"observer": "minmax"},
            r"m.toml: \[quantization\]: 'recipe' is missing; choose one of int4_dynamic, ",
        ),
        ({"recipe": "int4"}, r"m.toml: \[quantization\]: unknown recipe 'int4'; "),
    ],
)
def test_invalid_quantization_options_are_named(section: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_config({"quantization": section}, "m.toml").quantization_options()


def test_quantization_is_off_by_default() -> None:
    assert _load_config().quantization_options() is None


def test_unknown_operator_in_a_config_is_named() -> None:
    config = parse_config({"edge": {"preserve_ops": ["aten::lineer"]}}, "m.toml")
    with pytest.raises(ConfigError, match="m.toml: unknown operator 'aten::lineer'"):
        config.edge_config()


@pytest.mark.parametrize("content", [b"a = = 1", b"\xff"])
def test_a_file_that_is_not_toml_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.toml").write_bytes(content)
    with pytest.raises(ConfigError, match="m.toml: not valid TOML"):
        _load_config(f"--config={tmp_path / 'm.toml'}")


def test_missing_config_file_is_named() -> None:
    with pytest.raises(ConfigError, match="nowhere.toml: cannot be read: No such file"):
        _load_config("--config=nowhere.toml")


def test_text_that_is_not_json_is_refused() -> None:
    with pytest.raises(ConfigError, match="config: not valid JSON"):
        _load_config("--config-json={")


def test_json_that_is_not_an_object_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"config must be a table, got \[3\]"):
        _load_config("--config-json=[3]")

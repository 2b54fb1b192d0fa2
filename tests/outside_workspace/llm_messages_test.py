"""Tests error messages after mistakes with executorch_llm and bpe_vocabulary."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import torch
from safetensors.torch import save_file

from models.chat import small_safetensors
from tests.outside_workspace.scratch_workspace import Build, Workspace, new_workspace

_SHARDS = ("small-1.safetensors", "small-2.safetensors")
_INDEX = 'weights = "small.safetensors.index.json"'
_CONFIG = 'model_config = "config.json"'
_TOKENIZER = 'tokenizer = "tokenizer.json"'
_TOKENIZER_CONFIG = 'tokenizer_config = "tokenizer_config.json"'
_GGUF = 'weights = "model.gguf"'


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = new_workspace(tmp_path_factory)
    names = ("small.safetensors.index.json", "config.json", *_SHARDS, "tokenizer.json", "tokenizer_config.json")
    small_safetensors.write(*(scratch.folder / name for name in names))
    yield scratch
    scratch.shutdown()


def _build(workspace: Workspace, macro: str, attributes: list[str], *arguments: str) -> Build:
    package = "text" if macro == "bpe_vocabulary" else "llm"
    call = f'{macro}(name = "it", {", ".join(attributes)})\n'
    workspace.write("BUILD.bazel", f'load("@rules_executorch//{package}:defs.bzl", "{macro}")\n\n{call}')
    build = workspace.build(*arguments)
    assert build.exit_code != 0
    return build


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ([], "'weights' is missing; specify a GGUF file, or safetensors with 'model_config', 'tokenizer' and"),
        ([_INDEX], "'weights' is a safetensors file, but 'model_config' is missing; set it to the model's config.json"),
        (
            [_INDEX, _CONFIG, _TOKENIZER],
            "but 'tokenizer_config' is missing; set it to the model's tokenizer_config.json",
        ),
        (
            [_GGUF, _CONFIG],
            "'model_config' is set, but 'tokenizer' is missing; set it to the model's tokenizer.json, or",
        ),
        (
            [_GGUF, _TOKENIZER],
            "'tokenizer' is set, but 'model_config' is missing; set it to the model's config.json, or",
        ),
        ([_GGUF, _TOKENIZER_CONFIG], "'tokenizer_config' is set, but 'model_config' is missing"),
        ([_GGUF, "context = 1"], "'context' must be a number of tokens, at least 2, got 1"),
        ([_GGUF, 'context = "2048"'], "'context' must be a number of tokens, at least 2, got \"2048\""),
        ([_GGUF, "chunk = 0"], "'chunk' must be a number of tokens, at least 2, got 0"),
        ([_GGUF, 'kv_cache = "int4"'], "'kv_cache' must be one of float32, float16, int8, got \"int4\""),
        ([_GGUF, 'symbol = "my-model"'], "'symbol' must start with a letter and consist of letters, digits and single"),
        ([_GGUF, 'adapters = ["a.safetensors"]'], "'adapters' must be a dict from names to safetensors files, got"),
        ([_GGUF, 'adapters = {"a b": "a.safetensors"}'], "'adapters' has the name 'a b'; names consist of letters,"),
        ([_GGUF, 'config = "small"'], "'config' must be a dict of options, got \"small\""),
    ],
)
def test_invalid_llm_argument_is_named(workspace: Workspace, attributes: list[str], message: str) -> None:
    build = _build(workspace, "executorch_llm", attributes, "--nobuild", "//:all")
    assert "executorch_llm(name = 'it'): " in build.stderr
    assert message in build.stderr


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        (
            [],
            "bpe_vocabulary(name = 'it'): 'model' is missing; specify the GGUF file, tokenizer.json or SentencePiece model",
        ),
        (
            ['model = "tokenizer.json"', 'chat_template = "chat_template.jinja"'],
            "bpe_vocabulary(name = 'it'): 'chat_template' is set, but 'config' is missing; set it to the",
        ),
    ],
)
def test_invalid_vocabulary_argument_is_named(workspace: Workspace, attributes: list[str], message: str) -> None:
    build = _build(workspace, "bpe_vocabulary", attributes, "--nobuild", "//:all")
    assert message in build.stderr


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ([], "executorch_grammar(name = 'it'): set either 'grammar' or 'schema', the file to compile"),
        (['grammar = "a.gbnf"', 'schema = "a.json"'], "set either 'grammar' or 'schema'"),
        (['schema = "a.json"', 'symbol = "my-schema"'], "executorch_grammar(name = 'it'): 'symbol' must start with"),
        (['schema = "a.json"', "weights = None"], "unknown attribute 'weights'; supported are grammar, schema"),
        (['schema = "a.json"'], "a.json: #/properties/b/not: is not supported; remove it, or use a grammar"),
        (['grammar = "a.gbnf"'], "a.gbnf:2:3: the rule 'item' is not defined"),
    ],
)
def test_mistake_with_a_grammar_is_named(workspace: Workspace, attributes: list[str], message: str) -> None:
    workspace.write("a.json", '{"type": "object", "properties": {"b": {"not": {}}}}')
    workspace.write("a.gbnf", 'root ::= "a"\n  item')
    assert message in _build(workspace, "executorch_grammar", attributes, "//:it").stderr


def test_missing_shard_is_named(workspace: Workspace) -> None:
    attributes = [_INDEX, _CONFIG, _TOKENIZER, _TOKENIZER_CONFIG, f'data = ["{_SHARDS[0]}"]']
    build = _build(workspace, "executorch_llm", attributes, "//:it")
    message = (
        f"small.safetensors.index.json: the file '{_SHARDS[1]}' is missing; add it to 'data', in the index's folder"
    )
    assert message in build.stderr


_MODEL = [_INDEX, _CONFIG, _TOKENIZER, _TOKENIZER_CONFIG, f"data = {json.dumps(_SHARDS)}"]


def _write_adapter(workspace: Workspace, folder: str, **settings: object) -> None:
    """Write an adapter for a model with other sizes."""
    weights = workspace.folder / folder / "adapter_model.safetensors"
    weights.parent.mkdir()
    name = "base_model.model.model.layers.0.self_attn.q_proj.lora_{}.weight"
    save_file({name.format("A"): torch.ones(2, 96), name.format("B"): torch.ones(96, 2)}, weights)
    values = {"peft_type": "LORA", "r": 2, "lora_alpha": 4, "base_model_name_or_path": "acme/base", **settings}
    workspace.write(f"{folder}/adapter_config.json", json.dumps(values))


def test_incomplete_adapter_is_named(workspace: Workspace) -> None:
    workspace.write("adapter_model.safetensors", "")
    build = _build(workspace, "executorch_llm", [*_MODEL, 'merged_adapter = ["adapter_model.safetensors"]'], "//:it")
    message = "//:it_merged_adapter: 'merged_adapter' has 0 files named adapter_config.json, or with its extension"
    assert message in build.stderr


def test_adapter_of_another_model_is_named(workspace: Workspace) -> None:
    _write_adapter(workspace, "other")
    adapter = 'merged_adapter = "other/adapter_model.safetensors"'
    build = _build(workspace, "executorch_llm", [*_MODEL, adapter], "//:it")
    message = (
        "adapter_model.safetensors: 'model.layers.0.self_attn.q_proj' has 96 inputs and 96 outputs, but "
        "blk.0.attn_q of the model has 64 and 64; use the adapter's base model (the adapter is for 'acme/base')"
    )
    assert message in build.stderr


def test_unsupported_adapter_is_named(workspace: Workspace) -> None:
    _write_adapter(workspace, "dora", use_dora=True)
    adapter = 'merged_adapter = "dora/adapter_model.safetensors"'
    build = _build(workspace, "executorch_llm", [*_MODEL, adapter], "//:it")
    assert "adapter_config.json: 'use_dora' is True; supported: None, False" in build.stderr


def test_unsupported_model_type_is_named(workspace: Workspace) -> None:
    settings = json.loads((workspace.folder / "config.json").read_text(encoding="utf-8"))
    workspace.write("mamba.json", json.dumps({**settings, "model_type": "mamba"}))
    shards = f"data = {json.dumps(_SHARDS)}"
    attributes = [_INDEX, 'model_config = "mamba.json"', _TOKENIZER, _TOKENIZER_CONFIG, shards]
    build = _build(workspace, "executorch_llm", attributes, "//:it")
    assert "'model_type' is 'mamba'; supported: gemma2, gemma3_text, granite, llama" in build.stderr


def test_unsupported_chat_template_is_named(workspace: Workspace) -> None:
    workspace.write("chat_template.jinja", "{{ strftime_now('%d') }}")
    files = ['model = "tokenizer.json"', 'config = "tokenizer_config.json"', 'chat_template = "chat_template.jinja"']
    build = _build(workspace, "bpe_vocabulary", files, "//:it")
    message = (
        "chat_template.jinja: the chat template needs the date of today ('strftime_now'), which a build does not have"
    )
    assert message in build.stderr

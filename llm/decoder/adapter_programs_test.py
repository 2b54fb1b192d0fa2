"""Tests of programs whose adapters are in separate files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from transformers import PreTrainedModel

from backends.cpu.compiler.partitioner import CpuPartitioner
from executorch_runtime import ExecutorchError, Program
from exir._serialize import deserialize_ptd
from exir.cli.compile import Pipeline, export_methods, lower_programs
from exir.cli.config import parse_config
from llm.decoder import adapter_files
from llm.decoder.adapter import CONFIG_FILE
from llm.decoder.testing_adapters import ALL_LINEAR, adapted_model, save_adapter
from llm.decoder.testing_families import PROMPT_TOKENS, from_safetensors, prompt, random_model

_SHARED_CACHE = {"memory_planning": {"share_mutable_buffers": True}}
_ANSWER_TOKENS = 12


def _compile(name: str, folder: Path, adapters: list[Path]) -> None:
    """Write `model.pte`, `model.ptd` and the files of adapters, as the build does."""
    ranks = folder / "ranks.json"
    configs = [str(adapter / CONFIG_FILE) for adapter in adapters]
    assert adapter_files.main(["ranks", *configs, str(ranks)]) == 0
    spec = from_safetensors(name, folder, adapter_ranks=ranks)
    pipeline = Pipeline(parse_config(_SHARED_CACHE, "test"), (CpuPartitioner(),), external_weights=True)
    manager = lower_programs(export_methods(spec), spec, pipeline)
    manager.save(str(folder / "model.pte"))
    with (folder / "model.ptd").open("wb") as file:
        manager.merged_external_data.write_to_file(file)
    for adapter, config in zip(adapters, configs, strict=True):
        weights = folder / f"{adapter.name}.ptd"
        assert adapter_files.main(["weights", str(folder / "model.ptd"), config, str(weights)]) == 0


@torch.no_grad()
def _assert_answers_like(model: PreTrainedModel, program: Program) -> None:
    """Compare the scores of the prompt, and the tokens of an answer."""
    prefill = program.method("prefill")
    decode = program.method("decode", share=(prefill, 2))
    scores = prefill(prompt(), torch.arange(PROMPT_TOKENS))[0]
    expected = model(prompt()).logits[:, -1]
    assert float((scores - expected).abs().max()) < 1e-4 * float(expected.abs().max())
    answer = [int(scores.argmax())]
    while len(answer) < _ANSWER_TOKENS:
        position = torch.tensor([PROMPT_TOKENS + len(answer) - 1])
        answer.append(int(decode(torch.tensor([answer[-1:]]), position)[0].argmax()))
    tokens = model.generate(prompt(), max_new_tokens=_ANSWER_TOKENS, do_sample=False, eos_token_id=None, pad_token_id=0)
    assert answer == tokens[0, PROMPT_TOKENS:].tolist()


@pytest.mark.parametrize(("name", "attention"), [("llama", ("q_proj", "v_proj")), ("phi3", ("qkv_proj",))])
def test_program_answers_with_each_adapter(name: str, attention: tuple[str, ...], tmp_path: Path) -> None:
    base = random_model(name)
    small = save_adapter(tmp_path / "small", base, attention, rank=4, seed=1)
    large = save_adapter(tmp_path / "large", base, ALL_LINEAR, rank=7, seed=2)
    _compile(name, tmp_path, [tmp_path / "small", tmp_path / "large"])
    models = {"model": base, "small": adapted_model(base, small, 2.0), "large": adapted_model(base, large, 8 / 7)}
    for file, model in models.items():
        _assert_answers_like(model, Program(tmp_path / "model.pte", tmp_path / f"{file}.ptd"))


def test_files_have_the_matrices_of_all_adapters(tmp_path: Path) -> None:
    base = random_model("llama")
    save_adapter(tmp_path / "queries", base, ("q_proj",), rank=2)
    save_adapter(tmp_path / "values", base, ("v_proj",), rank=3)
    _compile("llama", tmp_path, [tmp_path / "queries", tmp_path / "values"])
    names = [f"blk.{i}.{layer}.adapter_{matrix}" for i in range(4) for layer in ("attn_q", "attn_v") for matrix in "ab"]
    for file in ("model", "queries", "values"):
        entries = {entry.key: entry for entry in deserialize_ptd((tmp_path / f"{file}.ptd").read_bytes())}
        assert sorted(entries) == sorted(names)
        shapes = {name: entry.layout.sizes for name, entry in entries.items() if entry.layout is not None}
        assert (shapes["blk.2.attn_q.adapter_a"], shapes["blk.2.attn_v.adapter_b"]) == ([64, 2], [3, 32])
        is_zero = {name: not any(entry.data) for name, entry in entries.items()}
        assert is_zero == {name: file == "model" or (file == "queries") == (".attn_v." in name) for name in names}


def test_program_without_a_weights_file_names_the_matrix(tmp_path: Path) -> None:
    save_adapter(tmp_path / "queries", random_model("llama"), ("q_proj",))
    _compile("llama", tmp_path, [tmp_path / "queries"])
    with pytest.raises(ExecutorchError, match="blk.0.attn_q.adapter_a"):
        Program(tmp_path / "model.pte").method("prefill")


def test_layer_that_the_model_does_not_have_is_named(tmp_path: Path) -> None:
    ranks = tmp_path / "ranks.json"
    ranks.write_text(json.dumps({"blk.4.attn_q": 2}), encoding="utf-8")
    with pytest.raises(ValueError, match=r"an adapter changes 'blk.4.attn_q', which the model does not have; use its"):
        from_safetensors("llama", tmp_path, adapter_ranks=ranks)


def test_errors_of_adapters_end_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_adapter(tmp_path, random_model("llama"), use_dora=True)
    assert adapter_files.main(["ranks", str(tmp_path / CONFIG_FILE), str(tmp_path / "ranks.json")]) == 1
    assert "adapter_config.json: 'use_dora' is True; supported: None, False" in capsys.readouterr().err

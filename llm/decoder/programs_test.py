"""Tests that compiled programs of each family answer as the package transformers.

The prompt is longer than all windows, rings and chunks, and than the first training of LongRoPE.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

from backends.cpu.compiler.partitioner import CpuPartitioner
from executorch_runtime import Program
from exir import ModelSpec
from exir.cli.compile import Pipeline, export_methods, lower_programs
from exir.cli.config import parse_config
from llm.decoder.testing_families import FAMILIES, PROMPT_TOKENS, from_safetensors, prompt, random_model

_SHARED_CACHE = {"memory_planning": {"share_mutable_buffers": True}}
_ANSWER_TOKENS = 64
_CHUNK = 16

# Returns the scores after the last token, for tokens and their positions.
_Step = Callable[[Tensor, Tensor], Tensor]


@torch.no_grad()
def _expected_answer(name: str) -> list[int]:
    """Return the most probable tokens, as transformers computes them."""
    tokens = random_model(name).generate(
        prompt(), max_new_tokens=_ANSWER_TOKENS, do_sample=False, eos_token_id=None, pad_token_id=0
    )
    return tokens[0, PROMPT_TOKENS:].tolist()


def _after_prompt(prefill: _Step) -> Tensor:
    """Return the scores after the prompt."""
    scores = torch.empty(0)
    for start in range(0, PROMPT_TOKENS, _CHUNK):
        tokens = prompt()[:, start : start + _CHUNK]
        scores = prefill(tokens, torch.arange(start, start + tokens.shape[1]))
    return scores


def _answer(prefill: _Step, decode: _Step) -> list[int]:
    answer = [int(_after_prompt(prefill).argmax())]
    while len(answer) < _ANSWER_TOKENS:
        position = torch.tensor([PROMPT_TOKENS + len(answer) - 1])
        answer.append(int(decode(torch.tensor([answer[-1:]]), position).argmax()))
    return answer


def _compiled(spec: ModelSpec, path: Path) -> tuple[_Step, _Step]:
    """Return the methods `prefill` and `decode` of the program."""
    pipeline = Pipeline(parse_config(_SHARED_CACHE, "test"), (CpuPartitioner(),))
    lower_programs(export_methods(spec), spec, pipeline).save(str(path))
    program = Program(path)
    prefill = program.method("prefill")
    decode = program.method("decode", share=(prefill, 2))
    return (lambda *inputs: prefill(*inputs)[0]), (lambda *inputs: decode(*inputs)[0])


@pytest.mark.parametrize("name", FAMILIES)
def test_program_gives_the_tokens_of_transformers(name: str, tmp_path: Path) -> None:
    steps = _compiled(from_safetensors(name, tmp_path, chunk=_CHUNK), tmp_path / "model.pte")
    expected = _expected_answer(name)
    assert len(set(expected)) > _ANSWER_TOKENS // 4  # not one token again and again
    assert _answer(*steps) == expected


@torch.no_grad()
def _scores(prefill: _Step, decode: _Step, tokens: list[int]) -> Tensor:
    """Return the scores after the prompt and after each of the n `tokens`.

    The result is [1 + n, vocabulary].
    """
    scores = [_after_prompt(prefill).clone()]
    for position, token in enumerate(tokens, PROMPT_TOKENS):
        scores.append(decode(torch.tensor([[token]]), torch.tensor([position])).clone())
    return torch.cat(scores)


# Sums with different rounding errors can be rounded to adjacent float16 or int8 values.
@pytest.mark.parametrize(("kv_cache", "tolerance"), [("float16", 0.001), ("int8", 0.01)])
@pytest.mark.parametrize("name", ["gemma2", "gemma3_text", "llama", "mistral", "olmo2"])
def test_program_with_a_small_cache_gives_the_scores_of_eager(
    name: str, kv_cache: str, tolerance: float, tmp_path: Path
) -> None:
    spec = from_safetensors(name, tmp_path, kv_cache, chunk=_CHUNK)
    prefill, decode = _compiled(spec, tmp_path / "model.pte")
    tokens = _expected_answer(name)
    expected = _scores(spec.module.prefill, spec.module.decode, tokens)
    found = _scores(prefill, decode, tokens)
    assert float((found - expected).abs().max()) < tolerance * float(expected.abs().max())

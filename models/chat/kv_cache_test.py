"""Budgets of float16 and int8 KV caches: memory, perplexity and greedy answers.

The float32 cache is the reference. All figures are of the compiled programs.
"""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache

import pytest

_TEXT, _TOKENS = "LICENSE", "1024"
_PROMPTS = ("What is the capital of France?", "Name a color.")


def _run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([os.environ[program], *arguments], capture_output=True, text=True, check=True)


@cache
def _perplexity(kv_cache: str) -> float:
    output = _run(f"PERPLEXITY_{kv_cache}", _TEXT, _TOKENS).stdout
    ((perplexity, tokens),) = re.findall(r"^perplexity ([\d.]+), (\d+) tokens\n$", output)
    assert tokens == _TOKENS
    return float(perplexity)


@cache
def _chat(kv_cache: str, prompt: str) -> subprocess.CompletedProcess[str]:
    return _run(f"CHAT_{kv_cache}", "--max-tokens", "8", prompt)


@pytest.mark.parametrize(("kv_cache", "megabytes"), [("FLOAT32", 94.4), ("FLOAT16", 47.2), ("INT8", 25.1)])
def test_caches_take_their_planned_memory(kv_cache: str, megabytes: float) -> None:
    (found,) = re.findall(r"([\d.]+) MB cache", _chat(kv_cache, _PROMPTS[0]).stderr)
    assert float(found) == megabytes


@pytest.mark.parametrize("kv_cache", ["FLOAT16", "INT8"])
def test_small_caches_need_no_float32_copy(kv_cache: str) -> None:
    """A float32 copy of one layer's keys or values would take 1.6 MB of scratch."""
    scratch = []
    for each in ("FLOAT32", kv_cache):
        (found,) = re.findall(r"([\d.]+) MB scratch", _chat(each, _PROMPTS[0]).stderr)
        scratch.append(float(found))
    assert scratch[1] < scratch[0] + 0.6


@pytest.mark.parametrize("kv_cache", ["FLOAT16", "INT8"])
def test_perplexity_with_a_small_cache_is_within_half_a_percent(kv_cache: str) -> None:
    print(f"perplexity: FLOAT32 {_perplexity('FLOAT32')}, {kv_cache} {_perplexity(kv_cache)}")
    assert _perplexity(kv_cache) == pytest.approx(_perplexity("FLOAT32"), rel=5e-3)


@pytest.mark.parametrize("kv_cache", ["FLOAT16", "INT8"])
@pytest.mark.parametrize("prompt", _PROMPTS)
def test_small_caches_give_the_same_first_eight_tokens(kv_cache: str, prompt: str) -> None:
    assert _chat(kv_cache, prompt).stdout == _chat("FLOAT32", prompt).stdout

"""Compares penalized answers with a reference in Python and eager PyTorch."""

from __future__ import annotations

import os
import subprocess

import pytest
import torch

from models.chat import eager

_TOKENS = 32
_PROMPT = "over there, over there"


def _runtime_tokens(repetition: float, presence: float, frequency: float) -> tuple[list[int], list[int]]:
    """Return the tokens of the prompt and of the answer."""
    command = [os.environ["TOKENS"], "0", str(repetition), str(presence), str(frequency), str(_TOKENS), _PROMPT]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    prompt, answer = ([int(word) for word in line.split()] for line in lines)
    return prompt, answer


@torch.no_grad()
def _expected_answer(prompt: list[int], repetition: float, presence: float, frequency: float) -> list[int]:
    """Generate greedily, with penalties as in Keskar et al. and OpenAI's API."""
    answer: list[int] = []
    network, metadata = eager.model(), eager.file().metadata
    stops = {metadata["tokenizer.ggml.eos_token_id"], metadata["tokenizer.ggml.tokens"].index("<|endoftext|>")}
    scores = network.prefill(torch.tensor([prompt]), torch.arange(len(prompt)))[0]
    while len(answer) < _TOKENS:
        seen = torch.tensor(sorted({*prompt, *answer}))
        scores[seen] = torch.where(scores[seen] > 0, scores[seen] / repetition, scores[seen] * repetition)
        counts = torch.bincount(torch.tensor(answer, dtype=torch.int64), minlength=len(scores))
        scores -= frequency * counts + presence * (counts > 0)
        token = int(scores.argmax())
        if token in stops:
            break
        answer.append(token)
        scores = network.decode(torch.tensor([[token]]), torch.tensor([len(prompt) + len(answer) - 1]))[0]
    return answer


@pytest.mark.parametrize(
    ("repetition", "presence", "frequency"),
    [(1.0, 0.0, 0.0), (1.3, 0.0, 0.0), (1.0, 2.0, 0.0), (1.0, 0.0, 1.5), (1.1, 0.5, 0.7)],
)
def test_penalized_answer_matches_the_reference(repetition: float, presence: float, frequency: float) -> None:
    prompt, answer = _runtime_tokens(repetition, presence, frequency)
    assert answer == _expected_answer(prompt, repetition, presence, frequency)
    assert len(answer) > 10


def test_penalties_reduce_repetitions() -> None:
    plain, penalized = _runtime_tokens(1.0, 0.0, 0.0)[1], _runtime_tokens(1.0, 0.0, 5.0)[1]
    assert len(set(penalized)) > len(set(plain))

"""Tests that answers of 200 tokens equal eager PyTorch's with float weights."""

from __future__ import annotations

import os
import subprocess

import pytest

from models.chat import eager

_TOKENS = 200


@pytest.mark.parametrize(
    "prompt",
    [
        "What is the capital of France?",
        "Tell a story about a lighthouse keeper.",
        "Explain how rain forms.",
        "Write a poem about autumn leaves.",
        "List five facts about whales and explain each.",
    ],
)
def test_long_answer_matches_eager(prompt: str) -> None:
    command = [os.environ["CHAT"], "--max-tokens", str(_TOKENS), prompt]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert answer == f"{eager.answers([prompt], eager.SYSTEM, _TOKENS, answer)[0]}\n"

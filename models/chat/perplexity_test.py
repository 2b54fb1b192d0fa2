"""Tests that the perplexity of a text equals eager PyTorch's with float weights."""

from __future__ import annotations

import math
import os
import re
import subprocess
from pathlib import Path

import pytest
import torch
from torch.nn import functional as F

from models.chat import eager

_TEXT = Path("LICENSE")
_TOKENS = 384


def _perplexity(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([os.environ["PERPLEXITY"], *arguments], capture_output=True, text=True)


def _eager_perplexity() -> float:
    tokens = eager.encoded(_TEXT.read_text())[:_TOKENS]
    scores = eager.scores_of_all(tokens[:-1])
    return math.exp(F.cross_entropy(scores, torch.tensor(tokens[1:])))


def test_perplexity_matches_eager() -> None:
    result = _perplexity(str(_TEXT), str(_TOKENS))
    assert result.returncode == 0, result.stderr
    ((perplexity, tokens),) = re.findall(r"^perplexity ([\d.]+), (\d+) tokens\n$", result.stdout)
    assert int(tokens) == _TOKENS
    assert float(perplexity) == pytest.approx(_eager_perplexity(), rel=5e-5)


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "No such file"), ("", "fewer than two tokens")],
)
def test_text_without_perplexity_is_reported(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "text.txt"
    if text is not None:
        path.write_text(text)
    result = _perplexity(str(path))
    assert result.returncode == 1
    assert message in result.stderr

"""Answers are those of eager PyTorch with the weights of the file as floats; what does not fit is said."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from exir.block_weight import BlockWeight
from exir.cli.loading.weights import load_weights, read_weights
from exir.weights_file import WeightsFile
from models.chat import llama
from text.testing_tokenizers import smollm_tokenizer, with_controls

_SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
_LETTERS = {"Ġ": " ", "Ċ": "\n"}
_TOKENS = 24


def _chat(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([os.environ["CHAT"], *arguments], input=text, capture_output=True, text=True)


@cache
def _file() -> WeightsFile:
    return read_weights(Path(os.environ["MODEL"]))


@cache
def _model() -> llama.Llama:
    """The model with every weight in float32."""
    file = _file()
    spec = llama.chat(file)
    load_weights(spec.module, spec.map_weights(file.tensors), Path("model"))
    for module in spec.module.modules():
        for name, parameter in module.named_parameters(recurse=False):
            if isinstance(parameter, BlockWeight):
                setattr(module, name, nn.Parameter(parameter.dequantize(), requires_grad=False))
    return spec.module.eval()


@cache
def _tokenizer() -> Tokenizer:
    return with_controls(smollm_tokenizer(_file().metadata), _file().metadata)


def _encoded(text: str) -> list[int]:
    return _tokenizer().encode(text, add_special_tokens=False).ids


def _answers(prompts: list[str], system: str) -> list[str]:
    """Greedily, token by token; an answer that goes on is cut."""
    tokens, answers = _encoded(f"<|im_start|>system\n{system}<|im_end|>\n"), []
    for prompt in prompts:
        tokens += _encoded(f"<|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\n")
        answer = _answer(tokens)
        answers.append(_text(answer))
        tokens += answer + _encoded("<|im_end|>\n")
    return answers


@torch.no_grad()
def _answer(tokens: list[int]) -> list[int]:
    model = _model()
    scores = model.prefill(torch.tensor([tokens]), torch.arange(len(tokens)))
    answer: list[int] = []
    while len(answer) < _TOKENS and int(scores.argmax()) != _file().metadata["tokenizer.ggml.eos_token_id"]:
        answer.append(int(scores.argmax()))
        scores = model.decode(torch.tensor([answer[-1:]]), torch.tensor([len(tokens) + len(answer) - 1]))
    return answer


def _text(tokens: list[int]) -> str:
    names = _file().metadata["tokenizer.ggml.tokens"]
    return "".join(_LETTERS.get(letter, letter) for token in tokens for letter in names[token])


@pytest.mark.parametrize(
    ("prompt", "system"),
    [
        ("What is the capital of France?", None),
        ("Tell a story about the sea.", "You are a poet."),
    ],
)
def test_answers_are_those_of_eager(prompt: str, system: str | None) -> None:
    arguments = [] if system is None else ["--system", system]
    # The last token that it may have is not printed.
    result = _chat("--max-tokens", str(_TOKENS + 1), *arguments, prompt)
    assert result.returncode == 0
    assert result.stdout == f"{_answers([prompt], system or _SYSTEM)[0]}\n"


def test_a_session_goes_on_from_what_was_said() -> None:
    prompts = ["Name a colour.", "And another one?"]
    result = _chat("--max-tokens", str(_TOKENS + 1), text="\n".join(prompts))
    assert result.returncode == 0
    assert result.stdout == "".join(f"{answer}\n" for answer in _answers(prompts, _SYSTEM))


def test_a_seed_gives_the_same_answer_again() -> None:
    drawn = [_chat("--temperature", "1", "--seed", seed, "--max-tokens", "12", "Tell a joke.").stdout for seed in "112"]
    assert drawn[0] == drawn[1] != drawn[2]


def test_threads_change_nothing() -> None:
    one, two = (_chat("--threads", threads, "--max-tokens", "12", "Hello!").stdout for threads in "12")
    assert one == two


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["word " * 2100], "is too long"),
        (["--temperature", "hot", "Hello!"], "usage: "),
        (["--threads", "0", "Hello!"], "usage: "),
    ],
)
def test_what_does_not_fit_is_said(arguments: list[str], message: str) -> None:
    result = _chat(*arguments)
    assert result.returncode != 0
    assert message in result.stderr


def test_rows_of_heads_turn_halves() -> None:
    """Neighbours that turn together in the file lie half a head apart."""
    shape = llama.shape_of(_file())
    rows = torch.arange(shape.heads * shape.head, dtype=torch.float32).reshape(-1, 1)
    mapped: Tensor = llama.half_turns({"blk.0.attn_q.weight": rows}, shape)["blk.0.attn_q.weight"]
    assert mapped[:3, 0].tolist() == [0.0, 2.0, 4.0]
    assert mapped[shape.head // 2, 0] == 1.0

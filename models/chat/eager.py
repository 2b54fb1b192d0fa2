"""The decoder in eager PyTorch, with float weights, as a reference for tests."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from exir.cli.loading.weights import load_weights, read_weights
from exir.weights.weights_file import BlockWeight, WeightsFile
from llm.decoder.decoder import language_model
from llm.decoder.network import Decoder
from text.testing_tokenizers import smollm_tokenizer, with_controls

SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
_LETTERS = {"Ġ": " ", "Ċ": "\n"}


@cache
def file() -> WeightsFile:
    return read_weights(Path(os.environ["MODEL"]))


def in_floats(weights: WeightsFile) -> Decoder:
    """Return a file's model with all weights converted to float32."""
    spec = language_model(weights)
    load_weights(spec.module, spec.map_weights(weights.tensors), Path("model"))
    for module in spec.module.modules():
        for name, parameter in module.named_parameters(recurse=False):
            if isinstance(parameter, BlockWeight):
                setattr(module, name, nn.Parameter(parameter.dequantize(), requires_grad=False))
    return spec.module.eval()


@cache
def model() -> Decoder:
    return in_floats(file())


@cache
def _tokenizer() -> Tokenizer:
    return with_controls(smollm_tokenizer(file().metadata), file().metadata)


def encoded(text: str) -> list[int]:
    return _tokenizer().encode(text, add_special_tokens=False).ids


def text_of(tokens: list[int]) -> str:
    names = file().metadata["tokenizer.ggml.tokens"]
    return "".join(_LETTERS.get(letter, letter) for token in tokens for letter in names[token])


def answers(prompts: list[str], system: str, limit: int, printed: str = "") -> list[str]:
    """Generate answers greedily, with up to `limit` tokens each.

    `printed` may contain a program's answers, one per line. Correct answers are verified in one run
    of the network, instead of one run per token.
    """
    tokens, made = encoded(f"<|im_start|>system\n{system}<|im_end|>\n"), []
    for prompt in prompts:
        tokens += encoded(f"<|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\n")
        answer = _answer(tokens, limit, encoded(printed)[:limit])
        made.append(text_of(answer))
        printed = printed[len(made[-1]) + 1 :]
        tokens += answer + encoded("<|im_end|>\n")
    return made


@torch.no_grad()
def _answer(tokens: list[int], limit: int, draft: list[int]) -> list[int]:
    scores = scores_of_all(tokens + draft)[len(tokens) - 1 :]
    right = 0
    while right < len(draft) and int(scores[right].argmax()) == draft[right]:
        right += 1
    answer, token = draft[:right], int(scores[right].argmax())
    while len(answer) < limit and token != file().metadata["tokenizer.ggml.eos_token_id"]:
        answer.append(token)
        place = torch.tensor([len(tokens) + len(answer) - 1])
        token = int(model().decode(torch.tensor([answer[-1:]]), place).argmax())
    return answer


@torch.no_grad()
def scores_of_all(tokens: list[int]) -> Tensor:
    """Return the scores of the next token after each token: [n, vocabulary]."""
    return model().scores(model().vectors(torch.tensor([tokens]), torch.arange(len(tokens))))[0]

"""Compares the tokens of conversations with the package `tokenizers`.

The reference encodes the text that Jinja renders from the chat template.
"""

from __future__ import annotations

import os
import random
import subprocess
import unicodedata
from collections.abc import Sequence
from typing import Any

import pytest
from tokenizers import Tokenizer

from text.generate.template_parts import Message
from text.generate.template_renderer import renderer
from text.testing_lines import WORDS
from text.testing_templates import OF_VOCABULARIES

_ROLES = ("system", "user", "assistant")
_PARTS = [*WORDS, " ", " ", "  ", "\n", "\n\n", "\u3000", "12345", "# ", "<think>\nso\n</think>\n\n"]


def _run(family: str, conversations: Sequence[Sequence[Message]]) -> list[str]:
    """Return the lines of the family's program."""
    lines = [
        "".join(f"\x01{_ROLES.index(role)}{content}" for role, content in messages).replace("\n", "\x02")
        for messages in conversations
    ]
    program = f"{os.environ['TOKENIZERS']}/{family}_chats"
    result = subprocess.run([program], input="\n".join(lines).encode() + b"\n", capture_output=True, check=True)
    return result.stdout.decode().split("\n")[:-1]


def _conversations() -> list[list[Message]]:
    draw = random.Random(3)
    found = []
    for number in range(400):
        roles = ["system"] * (number % 2) + ["user", *["assistant", "user"] * draw.randrange(4)]
        # The text of each message is not blank, because some templates format blank ones differently.
        contents = ["".join(draw.choices(_PARTS, k=draw.randrange(9))) + draw.choice((".", "a ", "b\n")) for _ in roles]
        contents = [unicodedata.normalize("NFC", content) for content in contents]
        plain = [content.replace("<think>", "").replace("</think>", "") for content in contents]
        messages = zip(roles, contents, plain, strict=True)
        found.append([(role, content if role == "assistant" else text) for role, content, text in messages])
    return found


@pytest.mark.parametrize("family", OF_VOCABULARIES)
def test_tokens_of_conversations_match_the_rendered_template(family: str) -> None:
    reference = Tokenizer.from_file(f"{os.environ['TOKENIZERS']}/{family}.json")
    template, begin, end = OF_VOCABULARIES[family]
    metadata: dict[str, Any] = {"tokenizer.chat_template": template, "tokenizer.ggml.tokens": [begin, end]}
    metadata |= {} if begin is None else {"tokenizer.ggml.bos_token_id": 0}
    render = renderer(metadata | {"tokenizer.ggml.eos_token_id": 1})
    conversations = _conversations()
    found = [[int(token) for token in line.split()] for line in _run(family, conversations)]
    texts = [render(messages, True) for messages in conversations]
    expected = [encoding.ids for encoding in reference.encode_batch(texts, add_special_tokens=False)]
    rows = zip(texts, found, expected, strict=True)
    assert not [(text, tokens, theirs) for text, tokens, theirs in rows if tokens != theirs][:2]


def test_conversations_that_a_template_lacks_are_named() -> None:
    found = _run("llama2", [[("user", "a"), ("user", "b")], [("assistant", "a")], [("system", "a"), ("user", " ")]])
    reasons = (
        "messages[1] has the role of the message before it",
        "messages[0] is of the assistant",
        "messages[1] is blank",
    )
    assert [line.startswith(reason) for line, reason in zip(found, reasons, strict=True)] == [True] * 3

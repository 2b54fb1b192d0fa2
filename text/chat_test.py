"""Chat templates are taken apart into what stands around messages, or refused."""

from __future__ import annotations

from typing import Any

import pytest

from text.generate import chat

_CHATML = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}<|im_start|>system\nHelp.<|im_end|>\n{% endif %}"
    "<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_HEADED = (
    "{% for message in messages %}{% if loop.first %}{{ bos_token }}{% endif %}"
    "[{{ message['role'] }}]{{ message['content'] | trim }}</s>{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"
)
_COUNTED = "{% for message in messages %}{{ loop.index }} {{ message['content'] }}{% endfor %}"


def _metadata(template: str) -> dict[str, Any]:
    return {
        "tokenizer.chat_template": template,
        "tokenizer.ggml.tokens": ["<|im_start|>", "<|im_end|>", "</s>"],
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 2,
    }


def test_what_stands_around_messages_is_found() -> None:
    parts = chat.take_apart(chat.renderer(_metadata(_CHATML)))
    assert parts.opening == "<|im_start|>system\nHelp.<|im_end|>\n"
    assert parts.before == {role: f"<|im_start|>{role}\n" for role in ("system", "user", "assistant")}
    assert set(parts.behind.values()) == {"<|im_end|>\n"}
    assert parts.answer == "<|im_start|>assistant\n"


def test_a_conversation_begins_with_what_the_template_begins_with() -> None:
    parts = chat.take_apart(chat.renderer(_metadata(_HEADED)))
    assert (parts.opening, parts.before["system"], parts.before["user"]) == (
        "<|im_start|>",
        "<|im_start|>[system]",
        "[user]",
    )


def test_tokens_that_control_are_apart_from_text() -> None:
    source = chat.source(_metadata(_CHATML), {"<|im_start|>": 0, "<|im_end|>": 1}, "small_chat")
    assert 'behind_user[] = {TOKEN(1), TEXT("\\012")};' in source
    assert "stops[] = {1, 2};" in source


@pytest.mark.parametrize(
    ("template", "message"),
    [(_COUNTED, "its chat template is more than messages one after another"), (None, "it has no chat template")],
)
def test_another_template_is_refused(template: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        chat.take_apart(chat.renderer(_metadata(template)))

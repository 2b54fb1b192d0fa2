"""Tests of splitting chat templates into parts, and of the errors."""

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
_COUNTED_ANSWER = _HEADED.replace("[assistant]", "[assistant {{ messages | length }}]")
_COUNTED = "{% for message in messages %}{{ loop.index }} {{ message['content'] }}{% endfor %}"


def _gguf_metadata(template: str) -> dict[str, Any]:
    return {
        "tokenizer.chat_template": template,
        "tokenizer.ggml.tokens": ["<|im_start|>", "<|im_end|>", "</s>"],
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 2,
    }


def test_text_around_chat_messages_is_extracted() -> None:
    parts = chat.split_template(chat.renderer(_gguf_metadata(_CHATML)))
    assert parts.opening == "<|im_start|>system\nHelp.<|im_end|>\n"
    assert parts.before == {role: f"<|im_start|>{role}\n" for role in ("system", "user", "assistant")}
    assert set(parts.after.values()) == {"<|im_end|>\n"}
    assert parts.answer == "<|im_start|>assistant\n"


def test_conversation_starts_with_the_templates_prefix() -> None:
    parts = chat.split_template(chat.renderer(_gguf_metadata(_HEADED)))
    assert (parts.opening, parts.before["system"], parts.before["user"]) == (
        "<|im_start|>",
        "<|im_start|>[system]",
        "[user]",
    )


def test_control_tokens_are_separate_from_text() -> None:
    source = chat.source(_gguf_metadata(_CHATML), {"<|im_start|>": 0, "<|im_end|>": 1}, "small_chat")
    assert 'after_user[] = {TOKEN(1), TEXT("\\012")};' in source
    assert "stops[] = {1, 2};" in source


def test_longest_control_token_is_taken() -> None:
    source = chat.source(_gguf_metadata(_CHATML), {"<|im_end|>": 1, "<|im_end|>\n": 3}, "small_chat")
    assert "after_user[] = {TOKEN(3)};" in source


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (_COUNTED, "the chat template is not a plain sequence of messages"),
        (_COUNTED_ANSWER, "the chat template is not a plain sequence of messages"),
        ("nothing of the messages", "the chat template is not a plain sequence of messages"),
        (None, "there is no chat template"),
        (3, "'tokenizer.chat_template' is not a string"),
        ("{% for m in messages %}", "the chat template is not valid: Unexpected end of template"),
        ("{{ raise_exception('no system role') }}", "cannot be rendered: TemplateError: no system role"),
        ("{{ messages[7].content }}", "cannot be rendered: UndefinedError"),
        ("{{ messages.__class__.__mro__ }}", "cannot be rendered: SecurityError"),
        ("{% set x = 'a' * (1024 ** 4) %}", "the chat template allocates more than 512 MiB"),
        ("{{ 9 ** (9 ** 9) }}", "the chat template runs for more than 1 s"),
        (
            "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
            "the chat template runs for more than 1 s",
        ),
    ],
)
def test_unsupported_chat_template_is_refused(template: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        chat.split_template_within_limits(_gguf_metadata(template), seconds=1, memory=512 << 20)


def test_templates_without_a_default_are_listed() -> None:
    metadata = _gguf_metadata(_CHATML)
    metadata["tokenizer.chat_template.tool_use"] = metadata.pop("tokenizer.chat_template")
    with pytest.raises(ValueError, match="only the named ones tool_use; store the one to use as"):
        chat.renderer(metadata)


def test_default_template_is_chosen_among_several() -> None:
    metadata = _gguf_metadata(_CHATML) | {
        "tokenizer.chat_templates": ["tool_use"],
        "tokenizer.chat_template.tool_use": _COUNTED,
    }
    assert chat.split_template_within_limits(metadata).answer == "<|im_start|>assistant\n"

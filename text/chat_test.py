"""Tests of splitting chat templates into parts, and of the errors."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from text import testing_templates
from text.generate import chat
from text.generate.template_parts import Message, TemplateParts, Trim, split_template
from text.generate.template_renderer import renderer
from text.testing_templates import CHATML, GEMMA2, GEMMA3, LLAMA2, MISTRAL_LAST, OLMO2, PHI3, QWEN3, SUPPORTED

_HEADED = (
    "{% for message in messages %}{% if loop.first %}{{ bos_token }}{% endif %}"
    "[{{ message['role'] }}]{{ message['content'] | trim }}</s>{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"
)
_COUNTED_ANSWER = _HEADED.replace("[assistant]", "[assistant {{ messages | length }}]")
_COUNTED = "{% for message in messages %}{{ loop.index }} {{ message['content'] }}{% endfor %}"
_REVERSED = "{% for message in messages[::-1] %}[{{ message['role'] }}]{{ message['content'] }}{% endfor %}"
_LATER_ENDS = "{% for m in messages %}{{ '[later]' if loop.index > 4 else '[' }}{{ m.content }}</s>{% endfor %}"
_CONTROLS = {name: number for number, name in enumerate(("<s>", "</s>", "<|im_end|>", "<|end|>", "<end_of_turn>"))}


def _gguf_metadata(template: Any) -> dict[str, Any]:
    return {
        "tokenizer.chat_template": template,
        "tokenizer.ggml.tokens": [*_CONTROLS, "<|assistant|>", "<|user|>"],
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 1,
    }


def _parts(template: str) -> TemplateParts:
    return chat.split_template_within_limits(_gguf_metadata(template))


def _roles(parts: TemplateParts, draw: random.Random) -> list[str]:
    """Return the roles of a conversation that the parts support."""
    roles = ["system"] * draw.randrange(2) if "system" in parts.formats else []
    if parts.alternates:
        return [*roles, "user", *["assistant", "user"] * draw.randrange(5)]
    roles += draw.choices(["user", "assistant"], k=draw.randrange(0 if roles else 1, 7))
    return [*roles, "user"] if parts.ends_with_user else roles


def _content(draw: random.Random, role: str, needs_text: bool) -> str:
    words = ["a", "b c", "\n", " ", "\u3000", "\u00a0\n", "\t", "\u2028", "é", "👩", "{{ d }}"]
    words += ["<think>\nc\n</think>\n\n"] if role == "assistant" else []
    content = "".join(draw.choices(words, k=draw.randrange(6)))
    return f"{content}." if needs_text and not content.strip() else content


def _assert_texts_agree(parts: TemplateParts, template: str, draw: random.Random, count: int) -> None:
    render = renderer(_gguf_metadata(template))
    for _ in range(count):
        messages: list[Message] = []
        for role in _roles(parts, draw):
            is_first_user = role == "user" and messages and messages[-1][0] == "system"
            needs_text = parts.formats["first_user" if is_first_user else role].needs_text
            messages.append((role, _content(draw, role, needs_text)))
        assert parts.text(messages, True) == render(messages, True)


@pytest.mark.parametrize("family", SUPPORTED)
def test_parts_give_the_text_of_the_template(family: str) -> None:
    _assert_texts_agree(_parts(SUPPORTED[family]), SUPPORTED[family], random.Random(8), 300)


def _damaged(template: str, draw: random.Random) -> str:
    """Remove, repeat or replace a few characters."""
    start, size = draw.randrange(len(template)), draw.randrange(1, 9)
    middle = draw.choice(("", template[start : start + size] * 2, template[draw.randrange(len(template)) :][:size]))
    return template[:start] + middle + template[start + size :]


def test_damaged_templates_give_an_error_or_their_text() -> None:
    draw = random.Random(2)
    accepted = 0
    for template in SUPPORTED.values():
        for damaged in [_damaged(template, draw) for _ in range(10)]:
            try:
                parts = _parts(damaged)
            except ValueError:  # names what is not supported
                continue
            accepted += 1
            _assert_texts_agree(parts, damaged, draw, 10)
    assert 20 < accepted < 10 * len(SUPPORTED)


def test_text_around_chat_messages_is_extracted() -> None:
    parts = _parts(CHATML)
    assert parts.opening == "<|im_start|>system\nHelp.<|im_end|>\n"
    for role in ("system", "user", "assistant"):
        assert (parts.formats[role].before, parts.formats[role].after) == (f"<|im_start|>{role}\n", "<|im_end|>\n")
    assert parts.answer == "<|im_start|>assistant\n"
    assert not parts.alternates and not parts.ends_with_user and not parts.drops_thoughts


def test_template_for_completion_adds_no_text_to_messages() -> None:
    template = Path(__file__).with_name("completion.jinja").read_text()
    parts = _parts(template)
    _assert_texts_agree(parts, template, random.Random(1), 100)
    assert parts.text([("user", "Once upon"), ("assistant", " a time")], True) == "<s>Once upon a time"


def test_conversation_starts_with_the_templates_prefix() -> None:
    parts = _parts(_HEADED)
    texts = [parts.opening, parts.formats["system"].before, parts.formats["user"].before]
    assert texts == ["<s>", "<s>[system]", "[user]"]
    assert {(each.start, each.end) for each in parts.formats.values()} == {(Trim.SPACES, Trim.SPACES)}


def test_template_that_refuses_system_messages_has_no_system_format() -> None:
    parts = _parts(GEMMA2)
    assert "system" not in parts.formats and parts.alternates and parts.ends_with_user
    assert parts.formats["assistant"].before == "<start_of_turn>model\n"


def test_system_message_can_be_part_of_the_first_user_message() -> None:
    gemma, llama = _parts(GEMMA3), _parts(LLAMA2)
    assert (gemma.formats["system"].after, gemma.formats["first_user"].before) == ("\n\n", "")
    assert gemma.formats["system"].start == Trim.NONE and gemma.formats["first_user"].start == Trim.SPACES
    assert llama.formats["system"].before == "<s>[INST] <<SYS>>\n"
    assert llama.formats["first_user"].needs_text and not llama.formats["user"].needs_text
    assert (llama.answer, llama.formats["assistant"].before, llama.formats["assistant"].after) == ("", " ", " </s>")


def test_system_message_in_the_last_user_message_is_not_supported() -> None:
    assert "system" not in _parts(MISTRAL_LAST).formats


def test_thoughts_of_earlier_answers_are_dropped() -> None:
    parts = _parts(QWEN3)
    assert parts.drops_thoughts and parts.ends_with_user and not parts.alternates
    messages = [("user", "a"), ("assistant", "<think>\nb\n</think>\n\nc"), ("user", "d")]
    assert "<|im_start|>assistant\nc<|im_end|>" in parts.text(messages, True)
    assert _parts(testing_templates.QWEN3_WITHOUT_THINKING).answer.endswith("<think>\n\n</think>\n\n")


def test_text_after_the_last_message_is_not_a_part() -> None:
    assert (_parts(PHI3).formats["assistant"].after, _parts(PHI3).answer) == ("<|end|>\n", "<|assistant|>\n")
    assert (_parts(OLMO2).formats["assistant"].after, _parts(OLMO2).formats["user"].before) == ("</s>\n", "<|user|>\n")


def test_date_is_that_of_the_template() -> None:
    assert "26 Jul 2024" in _parts(testing_templates.LLAMA3).opening
    assert "Today is 26 July 2024." in _parts(testing_templates.GRANITE_WITH_DATE).opening


def test_control_tokens_are_separate_from_text() -> None:
    source = chat.source(_gguf_metadata(CHATML), {"<|im_start|>": 0, "<|im_end|>": 1}, "small_chat")
    assert 'after_user[] = {TOKEN(1), TEXT("\\012")};' in source


def test_longest_control_token_is_taken() -> None:
    source = chat.source(_gguf_metadata(CHATML), {"<|im_end|>": 1, "<|im_end|>\n": 3}, "small_chat")
    assert "after_user[] = {TOKEN(3)};" in source


def test_rules_of_the_template_are_fields() -> None:
    source = chat.source(_gguf_metadata(LLAMA2), _CONTROLS, "small_chat")
    assert "{{NULL, 0}, PARTS(after_first_user), ET_CHAT_KEEP, ET_CHAT_TRIM_SPACES, true}," in source
    assert ".has_system = true" in source and ".alternates = true" in source
    assert ".has_system = false" in chat.source(_gguf_metadata(GEMMA2), _CONTROLS, "small_chat")
    assert ".thought = ET_CHAT_TRIM_NEWLINES" in chat.source(_gguf_metadata(QWEN3), _CONTROLS, "small_chat")


@pytest.mark.parametrize(
    ("template", "added", "stops"),
    [
        (CHATML, {}, "1, 2"),
        (PHI3, {}, "1, 3"),
        (GEMMA3, {}, "1, 4"),
        (LLAMA2, {}, "1"),
        (CHATML.replace("im_end", "stop"), {"<|stop|>": 9}, "1, 9"),
    ],
)
def test_token_after_an_answer_ends_answers(template: str, added: dict[str, int], stops: str) -> None:
    assert f"stops[] = {{{stops}}};" in chat.source(_gguf_metadata(template), _CONTROLS, "small_chat", added)


def test_end_of_turn_of_the_file_ends_answers() -> None:
    metadata = _gguf_metadata(CHATML) | {"tokenizer.ggml.eot_token_id": 4}
    assert "stops[] = {1, 2, 4};" in chat.source(metadata, _CONTROLS, "small_chat")


_NO_SEQUENCE = "the chat template does not write each message once, in the order of the conversation"
_NESTED = "{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (_COUNTED, "the chat template is not a plain sequence of messages"),
        (_COUNTED_ANSWER, "the chat template is not a plain sequence of messages"),
        (_LATER_ENDS, "the parts do not give the template's text for the roles user, assistant, user, assistant, user"),
        (_REVERSED, _NO_SEQUENCE),
        ("nothing of the messages", _NO_SEQUENCE),
        (_HEADED.replace("| trim", "| replace(' ', '_')"), "changes the text of system messages, other than"),
        (_HEADED.replace("| trim", "| replace('</think>', '')"), "changes assistant messages with '</think>'"),
        (None, "there is no chat template; set 'chat_template' to .* or to @rules_executorch//text:completion.jinja"),
        (3, "'tokenizer.chat_template' is not a string"),
        ("{% for m in messages %}", "the chat template is not valid: Unexpected end of template"),
        ("{{ raise_exception('no messages') }}", "the chat template refuses a conversation: no messages"),
        ("{{ messages[7].content }}", "cannot be rendered: UndefinedError"),
        ("{{ messages.__class__.__mro__ }}", "cannot be rendered: SecurityError"),
        (testing_templates.GRANITE, "needs the date of today \\('strftime_now'\\).*set 'chat_template'"),
        ("{% set x = 'a' * (1024 ** 4) %}", "the chat template allocates more than 512 MiB"),
        ("{{ 9 ** (9 ** 9) }}", "the chat template runs for more than 1 s"),
        (
            "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
            "the chat template runs for more than 1 s",
        ),
        (_NESTED, "cannot be rendered: RecursionError"),
        ("{{ " + "(" * 100_000 + ")" * 100_000 + " }}", "the chat template is not valid"),
        ("{% if 1 %}" * 5_000 + "{% endif %}" * 5_000, "the chat template is not valid"),
        ("{% include 'other' %}", "cannot be rendered"),
    ],
)
def test_unsupported_chat_template_is_refused(template: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        chat.split_template_within_limits(_gguf_metadata(template), seconds=1, memory=512 << 20)


def test_template_that_doubles_a_text_is_stopped() -> None:
    template = "{% set ns = namespace(t='a') %}{% for a in range(60) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}"
    with pytest.raises(ValueError, match="the chat template allocates more than 512 MiB"):
        chat.split_template_within_limits(_gguf_metadata(template), memory=512 << 20)


def test_template_that_hangs_on_some_conversations_is_stopped() -> None:
    endless = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    template = CHATML + "{% if messages | length > 8 %}" + endless + "{% endif %}"
    with pytest.raises(ValueError, match="runs for more than 1 s"):
        chat.split_template_within_limits(_gguf_metadata(template), seconds=1)


def test_templates_without_a_default_are_listed() -> None:
    metadata = _gguf_metadata(CHATML)
    metadata["tokenizer.chat_template.tool_use"] = metadata.pop("tokenizer.chat_template")
    with pytest.raises(ValueError, match="only the named ones tool_use; store the one to use as"):
        renderer(metadata)


def test_default_template_is_chosen_among_several() -> None:
    metadata = _gguf_metadata(CHATML) | {
        "tokenizer.chat_templates": ["tool_use"],
        "tokenizer.chat_template.tool_use": _COUNTED,
    }
    assert split_template(renderer(metadata)).answer == "<|im_start|>assistant\n"

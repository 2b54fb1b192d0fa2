"""Chat templates as parts: what stands before and behind a message of each role."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from text.generate.arrays import literal

Message = tuple[str, str]
_ROLES = ("system", "user", "assistant")

# Messages to try a template with. No template has these letters.
_MARKS = tuple(chr(0xE000 + i) for i in range(5))

# Tokens at which an answer ends, beside the one that the file names.
_ENDS = ("<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<|end_of_text|>")


@dataclass(frozen=True)
class Parts:
    """A template taken apart. before, behind: by role; opening: of a conversation that the user begins; answer: what an answer begins with."""

    before: Mapping[str, str]
    behind: Mapping[str, str]
    opening: str
    answer: str

    def text(self, messages: Sequence[Message], asks: bool) -> str:
        """What the template makes of these messages, with the beginning of an answer behind them."""
        whole = "" if messages[0][0] == "system" else self.opening
        for role, content in messages:
            whole += self.before[role] + content + self.behind[role]
        return whole + (self.answer if asks else "")


Render = Callable[[Sequence[Message], bool], str]


def take_apart(render: Render) -> Parts:
    """The parts of a template. Raises `ValueError` when it is no sequence of messages."""
    marks = list(zip(("system", "user", "assistant", "user", "assistant"), _MARKS, strict=True))
    around = _split(render(marks, False))
    behind_user = _split(render(marks[:2], False))[2]
    before_user = around[3].removeprefix(around[5])
    parts = Parts(
        before={"system": around[0], "user": before_user, "assistant": around[2].removeprefix(behind_user)},
        behind={"system": around[1].removesuffix(before_user), "user": behind_user, "assistant": around[5]},
        opening=_split(render(marks[1:2], False))[0].removesuffix(before_user),
        answer=_split(render(marks[:2], True))[2].removeprefix(behind_user),
    )
    for messages in (marks, marks[:2], marks[1:], marks[1:2], marks[:4]):
        for asks in (False, True):
            if parts.text(messages, asks) != render(messages, asks):
                raise ValueError(
                    "its chat template is more than messages one after another, each between texts of its role"
                )
    return parts


def _split(text: str) -> list[str]:
    return re.split(f"[{''.join(_MARKS)}]", text)


def renderer(metadata: Mapping[str, Any]) -> Render:
    """What the template of a file makes of messages. Raises `ValueError` for a file without one."""
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    template = metadata.get("tokenizer.chat_template")
    if template is None:
        raise ValueError("it has no chat template")
    tokens = metadata["tokenizer.ggml.tokens"]
    names = {f"{key}_token": tokens[metadata[f"tokenizer.ggml.{key}_token_id"]] for key in _named(metadata)}
    compiled = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True).from_string(template)

    def render(messages: Sequence[Message], asks: bool) -> str:
        listed = [{"role": role, "content": content} for role, content in messages]
        return compiled.render(messages=listed, add_generation_prompt=asks, **names)

    return render


def _named(metadata: Mapping[str, Any]) -> list[str]:
    return [key for key in ("bos", "eos") if f"tokenizer.ggml.{key}_token_id" in metadata]


def source(metadata: Mapping[str, Any], controls: Mapping[str, int], name: str) -> str:
    """C that defines the `et_chat_template` of that name."""
    parts = take_apart(renderer(metadata))
    fields = {
        **{f"before_{role}": parts.before[role] for role in _ROLES},
        **{f"behind_{role}": parts.behind[role] for role in _ROLES},
        "opening": parts.opening,
        "answer": parts.answer,
    }
    arrays = "".join(_array(key, text, controls) for key, text in fields.items() if text)
    references = [f"PARTS({key})" if text else "{NULL, 0}" for key, text in fields.items()]
    stops = sorted({controls[end] for end in _ENDS if end in controls} | {metadata["tokenizer.ggml.eos_token_id"]})
    return (
        f"{arrays}static const int64_t stops[] = {{{', '.join(map(str, stops))}}};\n\n"
        f"const et_chat_template {name} = {{\n"
        f"    {{{', '.join(references[:3])}}},\n    {{{', '.join(references[3:6])}}},\n"
        f"    {references[6]}, {references[7]}, stops, {len(stops)},\n}};"
    )


def _array(name: str, text: str, controls: Mapping[str, int]) -> str:
    pattern = "|".join(re.escape(each) for each in sorted(controls, key=len, reverse=True))
    pieces = [piece for piece in re.split(f"({pattern})", text) if piece]
    items = [f"TOKEN({controls[piece]})" if piece in controls else f"TEXT({literal(piece)})" for piece in pieces]
    return f"static const et_chat_part {name}[] = {{{', '.join(items)}}};\n\n"

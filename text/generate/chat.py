"""Split chat templates into the fixed texts before and after each role's messages."""

from __future__ import annotations

import multiprocessing
import re
import resource
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from text.generate.arrays import literal

Message = tuple[str, str]
_ROLES = ("system", "user", "assistant")

# Message contents that probe a template. No template contains these private-use characters.
_PROBES = tuple(chr(0xE000 + i) for i in range(5))

_NOT_A_SEQUENCE = (
    "the chat template is not a plain sequence of messages, each between fixed texts of its role; such templates are"
    " not supported"
)

# Limits of rendering a template.
_SECONDS = 20.0
_MEMORY = 4 << 30

# Tokens that end an answer, in addition to the file's end-of-sequence token.
_ENDS = ("<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<|end_of_text|>")


@dataclass(frozen=True)
class TemplateParts:
    """The fixed texts of a template.

    `before` and `after` are the texts around a message, by role. `opening` precedes a conversation
    that does not start with a system message. `answer` starts an answer.
    """

    before: Mapping[str, str]
    after: Mapping[str, str]
    opening: str
    answer: str

    def text(self, messages: Sequence[Message], asks: bool) -> str:
        """Return the text for messages, with the start of an answer if `asks` is true."""
        whole = "" if messages[0][0] == "system" else self.opening
        for role, content in messages:
            whole += self.before[role] + content + self.after[role]
        return whole + (self.answer if asks else "")


_MACROS = """\
extern const et_chat_template {name};

#define TEXT(literal) {{literal, sizeof literal - 1, -1}}
#define TOKEN(number) {{"", 0, number}}
#define PARTS(array) {{array, sizeof array / sizeof *array}}

"""

Render = Callable[[Sequence[Message], bool], str]


def split_template(render: Render) -> TemplateParts:
    """Split a template into parts.

    Raises `ValueError` if it is not a sequence of messages.

    The parts are derived from a few conversations, and tested on others.
    """
    marks = list(zip(("system", "user", "assistant", "user", "assistant"), _PROBES, strict=True))
    around = _split_contents(render(marks, False), 6)
    after_user = _split_contents(render(marks[:2], False), 3)[2]
    before_user = around[3].removeprefix(around[5])
    parts = TemplateParts(
        before={"system": around[0], "user": before_user, "assistant": around[2].removeprefix(after_user)},
        after={"system": around[1].removesuffix(before_user), "user": after_user, "assistant": around[5]},
        opening=_split_contents(render(marks[1:2], False), 2)[0].removesuffix(before_user),
        answer=_split_contents(render(marks[:2], True), 3)[2].removeprefix(after_user),
    )
    for messages in (marks, marks[:2], marks[1:], marks[1:2], marks[:4]):
        for asks in (False, True):
            if parts.text(messages, asks) != render(messages, asks):
                raise ValueError(_NOT_A_SEQUENCE)
    return parts


def _split_contents(text: str, count: int) -> list[str]:
    """Return the `count` texts around message contents."""
    found = re.split(f"[{''.join(_PROBES)}]", text)
    if len(found) != count:
        raise ValueError(_NOT_A_SEQUENCE)
    return found


def renderer(metadata: Mapping[str, Any]) -> Render:
    """Return a function that renders the file's template.

    Raises `ValueError` without one.
    """
    from jinja2 import TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def raise_exception(message: object) -> None:
        raise TemplateError(str(message))

    template = _default_template(metadata)
    tokens = metadata["tokenizer.ggml.tokens"]
    names = {f"{key}_token": tokens[token] for key in ("bos", "eos") if (token := _token_id(metadata, key)) is not None}
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.globals["raise_exception"] = raise_exception
    try:
        compiled = environment.from_string(template)
    except (TemplateError, RecursionError, ValueError) as error:
        raise ValueError(f"the chat template is not valid: {error}") from error

    def render(messages: Sequence[Message], asks: bool) -> str:
        message_dicts = [{"role": role, "content": content} for role, content in messages]
        return compiled.render(messages=message_dicts, add_generation_prompt=asks, **names)

    return render


def _default_template(metadata: Mapping[str, Any]) -> str:
    template = metadata.get("tokenizer.chat_template")
    if isinstance(template, str):
        return template
    if template is not None:
        raise ValueError("'tokenizer.chat_template' is not a string")
    prefix = "tokenizer.chat_template."
    others = sorted(key.removeprefix(prefix) for key in metadata if key.startswith(prefix))
    if others:
        raise ValueError(
            f"there is no default chat template, only the named ones {', '.join(others)}; store the one to use as"
            " 'tokenizer.chat_template'"
        )
    raise ValueError("there is no chat template; store one as 'tokenizer.chat_template'")


def _token_id(metadata: Mapping[str, Any], role: str) -> int | None:
    """Return the file's `bos` or `eos` token. Raise `ValueError` if it is not a token."""
    key = f"tokenizer.ggml.{role}_token_id"
    if key not in metadata:
        return None
    token = metadata[key]
    count = len(metadata["tokenizer.ggml.tokens"])
    if type(token) is not int or not 0 <= token < count:
        raise ValueError(f"'{key}' is {token!r}, not one of the {count} tokens")
    return token


def split_template_within_limits(
    metadata: Mapping[str, Any], seconds: float = _SECONDS, memory: int = _MEMORY
) -> TemplateParts:
    """Split the file's template in a child process.

    A template is code that may loop forever or allocate without limit. `seconds` limits wall time,
    `memory` the bytes of address space. Raises `ValueError`, also if a limit is exceeded.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_split_in_child, args=(metadata, memory, sender))
    child.start()
    sender.close()
    try:
        if not receiver.poll(seconds):
            raise ValueError(f"the chat template runs for more than {seconds:g} s; simplify it")
        result = receiver.recv()
    except EOFError:
        raise ValueError("the chat template ends the process that renders it; simplify it") from None
    finally:
        child.kill()
        child.join()
    if isinstance(result, str):
        raise ValueError(result)
    return result


def _split_in_child(metadata: Mapping[str, Any], memory: int, sender: Any) -> None:
    """Send the parts, or an error message."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    result: TemplateParts | str
    try:
        result = split_template(renderer(metadata))
    except ValueError as error:
        result = str(error)
    except MemoryError:
        result = f"the chat template allocates more than {memory >> 20} MiB; simplify it"
    except Exception as error:  # a template can raise anything
        result = f"the chat template cannot be rendered: {type(error).__name__}: {error}"
    sender.send(result)


def source(metadata: Mapping[str, Any], controls: Mapping[str, int], name: str) -> str:
    """Return C code that defines the `et_chat_template` `name`."""
    parts = split_template_within_limits(metadata)
    fields = {
        **{f"before_{role}": parts.before[role] for role in _ROLES},
        **{f"after_{role}": parts.after[role] for role in _ROLES},
        "opening": parts.opening,
        "answer": parts.answer,
    }
    arrays = "".join(_part_array(key, text, controls) for key, text in fields.items() if text)
    references = [f"PARTS({key})" if text else "{NULL, 0}" for key, text in fields.items()]
    stops = sorted({controls[end] for end in _ENDS if end in controls} | _eos_tokens(metadata))
    if not stops:
        raise ValueError("no token ends an answer: 'tokenizer.ggml.eos_token_id' is missing")
    return (
        f"{_MACROS.format(name=name)}{arrays}static const int64_t stops[] = {{{', '.join(map(str, stops))}}};\n\n"
        f"const et_chat_template {name} = {{\n"
        f"    {{{', '.join(references[:3])}}},\n    {{{', '.join(references[3:6])}}},\n"
        f"    {references[6]}, {references[7]}, stops, {len(stops)},\n}};"
    )


def _eos_tokens(metadata: Mapping[str, Any]) -> set[int]:
    token = _token_id(metadata, "eos")
    return set() if token is None else {token}


def _part_array(name: str, text: str, controls: Mapping[str, int]) -> str:
    pattern = "|".join(re.escape(control) for control in sorted(controls, key=len, reverse=True) if control)
    pieces = [piece for piece in re.split(f"({pattern})", text) if piece] if pattern else [text]
    items = [f"TOKEN({controls[piece]})" if piece in controls else f"TEXT({literal(piece)})" for piece in pieces]
    return f"static const et_chat_part {name}[] = {{{', '.join(items)}}};\n\n"

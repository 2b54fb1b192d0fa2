"""Split a chat template into the texts around messages.

A template is a program, which can also change the text of messages. Its parts are derived from a few conversations, and tested on others.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Literal

Message = tuple[str, str]
# Renders messages, with the start of an answer if the second argument is true.
Render = Callable[[Sequence[Message], bool], str]

# Formats of messages. A template can format the first user message after a system message
# differently: it can put the system message into the user message.
FORMATS = ("system", "user", "assistant", "first_user")
THOUGHT_END = "</think>"

# Contents that probe a template. No template contains these private-use characters.
_PROBES = tuple(chr(0xE000 + i) for i in range(6))
_SYSTEM, _USER, _ANSWER, _USER2, _ANSWER2, _USER3 = _PROBES

# Whitespace before a text; reversed, after it. Newlines are outside, so that removing only
# newlines differs from removing all whitespace.
_PADDING = "\n\n \u3000\n\t\u00a0"
_BLANKS = ("", " \n")


class RefusedError(ValueError):
    """The template calls `raise_exception`."""


class Trim(IntEnum):
    """The whitespace that a template removes from one side of a text."""

    NONE = 0
    NEWLINES = 1
    SPACES = 2


@dataclass(frozen=True)
class Format:
    """The texts around the messages of a role.

    `start` and `end` state what is removed from both sides of a message. If `needs_text` is true,
    the template formats blank messages differently.
    """

    before: str
    after: str
    start: Trim = Trim.NONE
    end: Trim = Trim.NONE
    needs_text: bool = False

    def text(self, content: str) -> str:
        """Return the text for a message."""
        return self.before + trimmed(trimmed(content, self.start, "start"), self.end, "end") + self.after


@dataclass(frozen=True)
class TemplateParts:
    """The parts of a template.

    `formats` has no system format if the template does not support system messages. `opening`
    precedes a conversation that does not start with a system message. `answer` starts an answer.

    - `alternates`: after an optional system message, the messages must be of user and assistant in
      turn, from the user on.
    - `ends_with_user`: an answer must follow a message of the user.
    - `drops_thoughts`: the text of an assistant's message starts after its last `</think>`.
    """

    formats: Mapping[str, Format]
    opening: str
    answer: str
    alternates: bool = False
    ends_with_user: bool = False
    drops_thoughts: bool = False
    thought: Trim = Trim.NONE

    def text(self, messages: Sequence[Message], asks: bool) -> str:
        """Return the text for messages, with the start of an answer if `asks` is true."""
        whole = "" if messages[0][0] == "system" else self.opening
        previous = ""
        for role, content in messages:
            if role == "assistant" and self.drops_thoughts and THOUGHT_END in content:
                content = trimmed(content.rpartition(THOUGHT_END)[2], self.thought, "start")
            key = "first_user" if (previous, role) == ("system", "user") else role
            whole += self.formats[key].text(content)
            previous = role
        return whole + (self.answer if asks else "")


def trimmed(text: str, trim: Trim, side: Literal["start", "end"]) -> str:
    """Return a text without whitespace on one side."""
    characters = {Trim.NONE: "", Trim.NEWLINES: "\n", Trim.SPACES: None}[trim]
    return text.lstrip(characters) if side == "start" else text.rstrip(characters)


def split_template(render: Render, tokens: Sequence[str] = ()) -> TemplateParts:
    """Split a template into parts.

    `tokens` are the names of tokens, which are never split. Raises `ValueError` if the template is not a sequence of messages.
    """
    parts = _with_system(_split_texts(render, _splitter(tokens)), render)
    _check_conversations(parts, render, lambda content: content)
    for key in parts.formats:
        parts = _with_trims(parts, render, key)
    parts = _with_thoughts(parts, render)
    for key in parts.formats:
        parts = _with_blanks(parts, render, key)
    _check_conversations(parts, render, lambda content: f" \n{content}\n\n")
    _check_conversations(parts, render, lambda content: f"{content}\n# A\n\n* b {{{{ c }}}}  d\t{content} äöü 👩")
    return replace(
        parts,
        alternates=not _agrees_on_roles(parts, render, ("uu", "au", "uaau", "suu", "sau")),
        ends_with_user=not _agrees_on_roles(parts, render, ("a", "ua", "s", "sa", "sua")),
    )


def _check_conversations(parts: TemplateParts, render: Render, change: Callable[[str], str]) -> None:
    """Check conversations that every supported template can render."""
    starts = [[], [("system", _SYSTEM)]] if "system" in parts.formats else [[]]
    turns = [("user", _USER), ("assistant", _ANSWER), ("user", _USER2), ("assistant", _ANSWER2)] * 3
    for start, count in itertools.product(starts, (1, 3, 5, 9)):
        messages = [(role, change(content)) for role, content in [*start, *turns[:count]]]
        if not _agrees(parts, render, messages):
            raise ValueError(
                f"the chat template is not a plain sequence of messages, each between fixed texts of its role: the"
                f" parts do not give the template's text for the roles {', '.join(role for role, _ in messages)};"
                " use a simpler template"
            )


def _agrees_on_roles(parts: TemplateParts, render: Render, conversations: Sequence[str]) -> bool:
    """Return true if the parts give the template's text for all conversations.

    `conversations` have the first letters of the roles.
    """
    names = {"s": "system", "u": "user", "a": "assistant"}
    for roles in conversations:
        messages = [(names[role], probe) for role, probe in zip(roles, _PROBES, strict=False)]
        if (roles[0] != "s" or "system" in parts.formats) and not _agrees(parts, render, messages):
            return False
    return True


def _texts_around(text: str, contents: str) -> list[str]:
    """Return the texts around message contents, which are characters.

    Raises `ValueError` if these are not the text's contents.
    """
    found = re.split(f"([{''.join(_PROBES)}])", text)
    if "".join(found[1::2]) != contents:
        raise ValueError(
            "the chat template does not write each message once, in the order of the conversation; such templates are"
            " not supported"
        )
    return found[::2]


def _splitter(tokens: Sequence[str]) -> Callable[[str], list[str]]:
    """Return a function that splits text into tokens and characters."""
    names = sorted((re.escape(token) for token in tokens if token), key=len, reverse=True)
    return re.compile("|".join([*names, "."]), re.DOTALL).findall


def _common(*texts: Sequence[str]) -> int:
    """Return the number of items with which all texts start."""
    alike = itertools.takewhile(lambda items: len(set(items)) == 1, zip(*texts, strict=False))
    return sum(1 for _ in alike)


def _split_texts(render: Render, split: Callable[[str], list[str]]) -> TemplateParts:
    """Split the template of a conversation without a system message.

    Only concatenations are known: the text between two messages ends the first and begins the
    second. Conversations without the start of an answer show where one ends. They can have
    more text, so the texts after them are not parts.
    """
    messages = [("user", _USER), ("assistant", _ANSWER), ("user", _USER2)]
    first, user_answer, answer_user, last = map(split, _texts_around(render(messages, True), _USER + _ANSWER + _USER2))
    user_end = split(_texts_around(render(messages[:1], False), _USER)[1])
    try:
        answer_end = split(_texts_around(render(messages[:2], False), _USER + _ANSWER)[2])
    except RefusedError:
        answer_end = []
    user_after = _common(user_answer, last, user_end)
    # The second user message's text begins at the latest where that of the first does.
    shared = _common(first[::-1], answer_user[::-1])
    start = max(_common(answer_user, answer_end), len(answer_user) - shared)
    before_user = answer_user[start:]
    return TemplateParts(
        formats={
            "user": Format("".join(before_user), "".join(last[:user_after])),
            "assistant": Format("".join(user_answer[user_after:]), "".join(answer_user[:start])),
        },
        opening="".join(first[: len(first) - len(before_user)]),
        answer="".join(last[user_after:]),
    )


def _with_system(parts: TemplateParts, render: Render) -> TemplateParts:
    """Return the parts with a system format, if the template supports one."""
    user = parts.formats["user"]
    messages = [("system", _SYSTEM), ("user", _USER), ("assistant", _ANSWER), ("user", _USER2)]
    try:
        before, after, *_ = _texts_around(render(messages, True), _SYSTEM + _USER + _ANSWER + _USER2)
        _texts_around(render(messages[:2], True), _SYSTEM + _USER)
    except ValueError:  # it refuses system messages, does not write them, or writes them elsewhere
        return parts
    is_joined = not after.endswith(user.before)
    first_user = replace(user, before="") if is_joined else user
    system = Format(before, after if is_joined else after.removesuffix(user.before))
    return replace(parts, formats={"system": system, **parts.formats, "first_user": first_user})


def _probed(key: str, content: str) -> list[list[Message]]:
    """Return conversations with a message in a format."""
    user, answer = ("user", _USER), ("assistant", _ANSWER)
    return {
        "system": [[("system", content), user]],
        "user": [[("user", content)], [user, answer, ("user", content)]],
        "assistant": [[user, ("assistant", content), user]],
        "first_user": [
            [("system", _SYSTEM), ("user", content)],
            [("system", _SYSTEM), ("user", content), answer, user],
        ],
    }[key]


def _agrees(parts: TemplateParts, render: Render, messages: Sequence[Message]) -> bool:
    """Return true if the parts give the text of the template, which can fail."""
    try:
        return parts.text(messages, True) == render(messages, True)
    except MemoryError:
        raise
    except Exception:
        return False


def _with_thoughts(parts: TemplateParts, render: Render) -> TemplateParts:
    """Return the parts with the template's changes of thoughts in answers."""
    thoughts = f"{_PADDING}<think>{_SYSTEM}{THOUGHT_END}{_USER3}{THOUGHT_END}"
    contents = [f"{thoughts}{_ANSWER}", f"{thoughts}{_PADDING}{_ANSWER}{_PADDING[::-1]}"]
    conversations = [messages for content in contents for messages in _probed("assistant", content)]
    choices = [parts, *(replace(parts, drops_thoughts=True, thought=trim) for trim in Trim)]
    for choice in choices:
        if all(_agrees(choice, render, messages) for messages in conversations):
            return choice
    raise ValueError(
        f"the chat template changes assistant messages with {THOUGHT_END!r}, other than by removing the text before"
        " it; such templates are not supported"
    )


def _with_trims(parts: TemplateParts, render: Render, key: str) -> TemplateParts:
    """Return the parts with the whitespace that a format removes."""
    contents = [_PADDING + _ANSWER2, _ANSWER2 + _PADDING[::-1], f"{_PADDING}{_ANSWER2} \n {_ANSWER2}{_PADDING[::-1]}"]
    conversations = [messages for content in contents for messages in _probed(key, content)]
    for start, end in itertools.product(Trim, Trim):
        choice = replace(parts, formats={**parts.formats, key: replace(parts.formats[key], start=start, end=end)})
        if all(_agrees(choice, render, messages) for messages in conversations):
            return choice
    role = "user" if key == "first_user" else key
    raise ValueError(
        f"the chat template changes the text of {role} messages, other than by removing whitespace around it; such"
        " templates are not supported"
    )


def _with_blanks(parts: TemplateParts, render: Render, key: str) -> TemplateParts:
    """Return the parts with whether a format needs text."""
    conversations = [messages for content in _BLANKS for messages in _probed(key, content)]
    agrees = all(_agrees(parts, render, messages) for messages in conversations)
    return replace(parts, formats={**parts.formats, key: replace(parts.formats[key], needs_text=not agrees)})

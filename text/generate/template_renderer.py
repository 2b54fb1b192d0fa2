"""Render chat templates, which are written in Jinja."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from text.generate.template_parts import Message, RefusedError, Render

TEMPLATE_ADVICE = (
    "set 'chat_template' to the chat_template.jinja of the model, or to @rules_executorch//text:completion.jinja if"
    " the model completes texts and is not trained for chats"
)


def renderer(metadata: Mapping[str, Any]) -> Render:
    """Return a function that renders the file's template.

    Raises `ValueError` without one.

    The function gives the same text as the package transformers, without tools and documents. Only
    `strftime_now` is missing, because a build must not depend on the date.
    """
    from jinja2 import TemplateError

    template = _default_template(metadata)
    tokens = metadata["tokenizer.ggml.tokens"]
    names = {f"{key}_token": tokens[token] for key in ("bos", "eos") if (token := token_id(metadata, key)) is not None}
    try:
        compiled = _environment().from_string(template)
    except (TemplateError, RecursionError, ValueError) as error:
        raise ValueError(f"the chat template is not valid: {error}") from error

    def render(messages: Sequence[Message], asks: bool) -> str:
        message_dicts = [{"role": role, "content": content} for role, content in messages]
        return compiled.render(messages=message_dicts, tools=None, documents=None, add_generation_prompt=asks, **names)

    return render


def _environment() -> Any:
    from jinja2.ext import Extension
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class GenerationExtension(Extension):
        """Ignores the tags `generation`, which mark answers for training."""

        tags = {"generation"}  # noqa: RUF012 (the base class declares it)

        def parse(self, parser: Any) -> Any:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    def raise_exception(message: object) -> None:
        raise RefusedError(f"the chat template refuses a conversation: {message}")

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationExtension, "jinja2.ext.loopcontrols"]
    )
    environment.globals["raise_exception"] = raise_exception
    environment.filters["tojson"] = lambda value, indent=None: json.dumps(value, ensure_ascii=False, indent=indent)
    return environment


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
    raise ValueError(f"there is no chat template; {TEMPLATE_ADVICE}")


def token_id(metadata: Mapping[str, Any], role: str) -> int | None:
    """Return the file's `bos`, `eos` or `eot` token.

    Raises `ValueError` if it is not a token.
    """
    key = f"tokenizer.ggml.{role}_token_id"
    if key not in metadata:
        return None
    token = metadata[key]
    count = len(metadata["tokenizer.ggml.tokens"])
    if type(token) is not int or not 0 <= token < count:
        raise ValueError(f"'{key}' is {token!r}, not one of the {count} tokens")
    return token

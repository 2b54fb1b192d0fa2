"""Requests and responses of OpenAI's chat completions, for one model.

https://platform.openai.com/docs/api-reference/chat describes the fields.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from executorch_runtime.llm import Generation, Stats
from llm.grammar.compile import Grammar, GrammarError, compile_schema

_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}

_MAX_STOPS = 4
_MAX_SEED = 2**64 - 1
_MAX_TOKENS = 2**31 - 1
_MOST_SCHEMA_CHARACTERS = 1 << 16

# Fields that would change the answer, with the values that have no effect.
_UNSUPPORTED: Mapping[str, tuple[Any, ...]] = {
    "audio": (None,),
    "function_call": (None, "none"),
    "functions": (None, []),
    "logprobs": (None, False),
    "modalities": (None, ["text"]),
    "n": (None, 1),
    "tool_choice": (None, "none", "auto"),
    "tools": (None, []),
}

_FINISH_REASONS = {"stop": "stop", "stop_string": "stop", "length": "length", "context": "length", "grammar": "stop"}


class RequestError(ValueError):
    """The request is not valid. `field` is the name of the wrong field, or None."""

    def __init__(self, field: str | None, message: str) -> None:
        super().__init__(message if field is None else f"'{field}' {message}")
        self.field = field


@dataclass(frozen=True)
class Request:
    """A request for an answer.

    model: the requested model, or None.
    messages: pairs of role and text.
    streams: whether to send parts of the answer as soon as they are known.
    counts: whether to send the number of tokens at the end of a stream.
    """

    model: str | None
    messages: Sequence[tuple[str, str]]
    options: Generation
    streams: bool
    counts: bool


def parse_request(body: bytes) -> Request:
    """Parse the JSON of a request. Raises `RequestError`. Unknown fields are ignored."""
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RequestError(None, f"the request is not valid JSON: {error}") from error
    if not isinstance(fields, dict):
        raise RequestError(None, "the request must be a JSON object")
    for name, harmless in _UNSUPPORTED.items():
        if fields.get(name) not in harmless:
            raise RequestError(name, f"is not supported; remove it, or use one of: {_listed(harmless)}")
    stream_options = _field(fields, "stream_options", dict, {})
    return Request(
        _field(fields, "model", str, None),
        _messages(_field(fields, "messages", list, [])),
        _options(fields),
        _field(fields, "stream", bool, False),
        _field(stream_options, "include_usage", bool, False),
    )


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(json.dumps(value) for value in values)


def _field(fields: Mapping[str, Any], name: str, kind: type, default: Any) -> Any:
    value = fields.get(name)
    if value is None:
        return default
    if type(value) is not kind:
        raise RequestError(name, f"must be {_JSON_NAMES[kind]}, got {json.dumps(value)[:100]}")
    return value


_JSON_NAMES = {dict: "a JSON object", list: "a list", str: "a string", bool: "a boolean", int: "an integer"}


def _messages(items: list[Any]) -> list[tuple[str, str]]:
    if not items:
        raise RequestError("messages", "must have at least one message")
    return [_message(item, f"messages[{i}]") for i, item in enumerate(items)]


def _message(item: Any, field: str) -> tuple[str, str]:
    if not isinstance(item, dict):
        raise RequestError(field, "must be a JSON object with 'role' and 'content'")
    role, content = item.get("role"), item.get("content")
    if not isinstance(role, str) or role not in _ROLES:
        raise RequestError(f"{field}.role", f"must be one of: {', '.join(_ROLES)}")
    return _ROLES[role], _text(content, f"{field}.content")


def _text(content: Any, field: str) -> str:
    """Return a string, or the joined texts of a list of parts."""
    if isinstance(content, list):
        return "".join(_part(part, f"{field}[{i}]") for i, part in enumerate(content))
    if not isinstance(content, str):
        raise RequestError(field, "must be a string, or a list of text parts")
    if not _is_unicode(content):
        raise RequestError(field, "has half of a surrogate pair, which is not valid Unicode")
    return content


def _part(part: Any, field: str) -> str:
    if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
        raise RequestError(field, 'must be {"type": "text", "text": "…"}; only text is supported')
    return _text(part["text"], f"{field}.text")


def _options(fields: Mapping[str, Any]) -> Generation:
    limit = "max_completion_tokens" if fields.get("max_completion_tokens") is not None else "max_tokens"
    return Generation(
        temperature=_number(fields, "temperature", 0, 2),
        top_p=_number(fields, "top_p", 0, 1),
        presence=_number(fields, "presence_penalty", -2, 2),
        frequency=_number(fields, "frequency_penalty", -2, 2),
        seed=_whole_number(fields, "seed", 0, _MAX_SEED),
        max_tokens=_whole_number(fields, limit, 1, _MAX_TOKENS),
        stops=_stops(fields.get("stop")),
        biases=_biases(_field(fields, "logit_bias", dict, {})),
        grammar=_grammar(_field(fields, "response_format", dict, {"type": "text"})),
    )


def _grammar(response_format: Mapping[str, Any]) -> Grammar | None:
    """Return the grammar of the answer. Raises `RequestError`."""
    kind = response_format.get("type")
    if kind == "text":
        return None
    if kind == "json_object":
        return _compiled('{"type": "object"}')
    if kind != "json_schema":
        raise RequestError("response_format.type", "must be one of: text, json_object, json_schema")
    described = _field(response_format, "json_schema", dict, {})
    if "schema" not in described:
        raise RequestError("response_format.json_schema.schema", "is missing")
    try:
        text = json.dumps(described["schema"])
        if len(text) > _MOST_SCHEMA_CHARACTERS:
            raise GrammarError(f"#: has more than {_MOST_SCHEMA_CHARACTERS} characters")
        return _compiled(text)
    except (GrammarError, RecursionError) as error:
        raise RequestError("response_format.json_schema.schema", f"is not supported: {error}") from error


@functools.lru_cache(maxsize=16)
def _compiled(schema: str) -> Grammar:
    return compile_schema(json.loads(schema))


def _number(fields: Mapping[str, Any], name: str, minimum: float, maximum: float) -> float:
    """Return a number, or 0 if it is missing."""
    value = fields.get(name)
    if value is None:
        return 0.0
    if type(value) not in (int, float) or not minimum <= value <= maximum:
        raise RequestError(name, f"must be a number from {minimum} to {maximum}")
    return float(value)


def _whole_number(fields: Mapping[str, Any], name: str, minimum: int, maximum: int) -> int:
    """Return an integer, or 0 if it is missing."""
    value = _field(fields, name, int, 0)
    if value != 0 and not minimum <= value <= maximum:
        raise RequestError(name, f"must be an integer from {minimum} to {maximum}")
    return int(value)


def _stops(value: Any) -> list[str]:
    stops = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(stops, list) or len(stops) > _MAX_STOPS or not all(_is_stop(stop) for stop in stops):
        raise RequestError("stop", f"must be a string, or a list of at most {_MAX_STOPS} strings")
    return stops


def _is_stop(value: Any) -> bool:
    # The runner receives C strings.
    return isinstance(value, str) and value != "" and "\0" not in value and _is_unicode(value)


def _is_unicode(text: str) -> bool:
    """Return whether the text has no half of a surrogate pair, which JSON can contain."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _biases(fields: Mapping[str, Any]) -> dict[int, float]:
    for token in fields:
        if not token.isascii() or not token.isdigit() or len(token) > 18:
            raise RequestError("logit_bias", f"must have numbers of tokens as keys, got {json.dumps(token)[:100]}")
    named = {f"logit_bias[{token}]": bias for token, bias in fields.items()}
    numbers = [_number(named, name, -100, 100) for name in named]
    return {int(token): number for token, number in zip(fields, numbers, strict=True)}


@dataclass(frozen=True)
class Response:
    """Creates the JSON objects of one answer.

    number: distinguishes the server's answers.
    created: seconds since 1970.
    """

    number: int
    created: int
    model: str

    def answer(self, text: str, stats: Stats) -> dict[str, Any]:
        """Return the whole answer."""
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "logprobs": None}
        choice["finish_reason"] = _FINISH_REASONS.get(stats.finish)
        return self._object("chat.completion", [choice]) | {"usage": _usage(stats)}

    def part(self, delta: Mapping[str, str], stats: Stats | None = None) -> dict[str, Any]:
        """Return a part of a stream. `stats` is set in the last part, which has no text."""
        reason = None if stats is None else _FINISH_REASONS.get(stats.finish)
        return self._object("chat.completion.chunk", [{"index": 0, "delta": delta, "finish_reason": reason}])

    def usage_part(self, stats: Stats) -> dict[str, Any]:
        """Return the part of a stream that has the number of tokens."""
        return self._object("chat.completion.chunk", []) | {"usage": _usage(stats)}

    def _object(self, kind: str, choices: list[Any]) -> dict[str, Any]:
        name = f"chatcmpl-{self.number}"
        return {"id": name, "object": kind, "created": self.created, "model": self.model, "choices": choices}


def _usage(stats: Stats) -> dict[str, Any]:
    return {
        "prompt_tokens": stats.prompt_tokens,
        "completion_tokens": stats.generated_tokens,
        "total_tokens": stats.prompt_tokens + stats.generated_tokens,
        "prompt_tokens_details": {"cached_tokens": stats.reused_tokens},
    }


def error_object(message: str, field: str | None, kind: str = "invalid_request_error") -> dict[str, Any]:
    """Return the JSON object of an error."""
    return {"error": {"message": message, "type": kind, "param": field, "code": None}}

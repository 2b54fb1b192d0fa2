"""Tests of the requests of chat completions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from executorch_runtime.llm import Generation
from llm.server.completions import RequestError, parse_request

_HELLO = [{"role": "user", "content": "Hello!"}]


def _body(**fields: Any) -> bytes:
    return json.dumps({"model": "any", "messages": _HELLO} | fields).encode()


def test_messages_and_options_are_read() -> None:
    messages = [
        {"role": "developer", "content": "Be short."},
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
    ]
    request = parse_request(
        _body(
            messages=messages,
            temperature=0.5,
            top_p=0.9,
            presence_penalty=-1,
            frequency_penalty=1.5,
            seed=7,
            stop="\n\nUser:",
            max_tokens=5,
            max_completion_tokens=6,
            logit_bias={"12": -100},
            stream=True,
            stream_options={"include_usage": True},
            user="ignored",
        )
    )
    assert request.messages == [("system", "Be short."), ("user", "ab")]
    assert request.options == Generation(
        temperature=0.5,
        top_p=0.9,
        presence=-1.0,
        frequency=1.5,
        seed=7,
        stops=["\n\nUser:"],
        max_tokens=6,
        biases={12: -100.0},
    )
    assert request.streams and request.counts


def test_null_fields_are_defaults() -> None:
    names = ("temperature", "top_p", "seed", "stop", "max_tokens", "logit_bias", "stream", "tools", "n")
    request = parse_request(_body(**dict.fromkeys(names)))
    assert request.options == Generation(stops=[])
    assert not request.streams


@pytest.mark.parametrize(
    ("fields", "wrong", "message"),
    [
        ({"messages": []}, "messages", "at least one message"),
        ({"messages": "Hello!"}, "messages", "must be a list"),
        ({"messages": [1]}, "messages[0]", "'role' and 'content'"),
        ({"messages": [{"role": "tool", "content": ""}]}, "messages[0].role", "one of: system"),
        ({"messages": [{"role": [], "content": ""}]}, "messages[0].role", "one of: system"),
        ({"messages": [{"role": "user"}]}, "messages[0].content", "must be a string"),
        ({"messages": [{"role": "user", "content": "\ud800"}]}, "messages[0].content", "surrogate"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
            "messages[0].content[0]",
            "only text",
        ),
        ({"temperature": 2.5}, "temperature", "from 0 to 2"),
        ({"temperature": "hot"}, "temperature", "from 0 to 2"),
        ({"top_p": float("nan")}, "top_p", "from 0 to 1"),
        ({"seed": -1}, "seed", "an integer"),
        ({"seed": 2**64}, "seed", "an integer"),
        ({"max_tokens": 0.5}, "max_tokens", "an integer"),
        ({"max_tokens": -3}, "max_tokens", "an integer"),
        ({"stop": ["a", ""]}, "stop", "at most 4 strings"),
        ({"stop": "a\0b"}, "stop", "at most 4 strings"),
        ({"stop": ["a"] * 5}, "stop", "at most 4 strings"),
        ({"logit_bias": {"the": 1}}, "logit_bias", "numbers of tokens"),
        ({"logit_bias": {"1": 1000}}, "logit_bias[1]", "from -100 to 100"),
        ({"n": 2}, "n", "not supported"),
        ({"tools": [{"type": "function"}]}, "tools", "not supported"),
        ({"response_format": {"type": "xml"}}, "response_format.type", "must be one of: text, json_object"),
        ({"response_format": {"type": "json_schema"}}, "response_format.json_schema.schema", "is missing"),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"schema": {"not": {}}}}},
            "response_format.json_schema.schema",
            "is not supported: #/not: is not supported",
        ),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"schema": {"enum": ["a" * 70000]}}}},
            "response_format.json_schema.schema",
            "more than 65536 characters",
        ),
        ({"stream": "yes"}, "stream", "must be a boolean"),
    ],
)
def test_wrong_fields_are_named(fields: dict[str, Any], wrong: str, message: str) -> None:
    with pytest.raises(RequestError, match=message) as caught:
        parse_request(_body(**fields))
    assert caught.value.field == wrong
    assert str(caught.value).startswith(f"'{wrong}' ")


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[]", b"1" * 5000, b"[" * 100000])
def test_bodies_without_an_object_are_refused(body: bytes) -> None:
    with pytest.raises(RequestError, match="JSON"):
        parse_request(body)

"""Tests of the server over HTTP, with a small model with random weights."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import socket
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from executorch_runtime.llm import Generation, Llm
from llm.server.main import LlmServer

_LIBRARY = os.environ["LIBRARY"]
_HELLO = [{"role": "user", "content": "Hello!"}]
_PATH = "/v1/chat/completions"
_JSON = {"Content-Type": "application/json"}


@contextlib.contextmanager
def _serving(library: str, model: str) -> Iterator[int]:
    """Serve a model, and yield the port."""
    with Llm(library) as llm, LlmServer(("127.0.0.1", 0), llm, model) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with _serving(_LIBRARY, "small") as number:
        yield number


def _send(port: int, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    answer = response.status, response.read()
    connection.close()
    return answer


def _ask(port: int, **fields: Any) -> tuple[int, Any]:
    body = {"model": "small", "messages": _HELLO, "max_tokens": 20} | fields
    status, answer = _send(port, "POST", _PATH, json.dumps(body).encode(), _JSON)
    return status, json.loads(answer)


def _events(port: int, **fields: Any) -> list[Any]:
    body = {"messages": _HELLO, "max_tokens": 20, "stream": True} | fields
    status, answer = _send(port, "POST", _PATH, json.dumps(body).encode(), _JSON)
    assert status == 200
    *events, end, rest = answer.decode().split("\n\n")
    assert (end, rest) == ("data: [DONE]", "")
    return [json.loads(event.removeprefix("data: ")) for event in events]


def _expected(options: Generation) -> str:
    with Llm(_LIBRARY) as llm:
        return "".join(llm.generate([("user", "Hello!")], options))


def test_answer_is_that_of_the_model(port: int) -> None:
    status, answer = _ask(port)
    assert status == 200
    (choice,) = answer["choices"]
    assert choice["message"] == {"role": "assistant", "content": _expected(Generation(max_tokens=20))}
    assert choice["finish_reason"] == "length"
    assert answer["usage"]["completion_tokens"] == 20
    assert answer["usage"]["total_tokens"] == answer["usage"]["prompt_tokens"] + 20
    assert (answer["object"], answer["model"]) == ("chat.completion", "small")


def test_model_selects_an_adapter() -> None:
    options = Generation(max_tokens=20)
    library = os.environ["ADAPTED_LIBRARY"]
    with Llm(library) as llm:
        expected = {"adapted": "".join(llm.generate([("user", "Hello!")], options))}
        for adapter in llm.adapters:
            llm.set_adapter(adapter)
            expected[adapter] = "".join(llm.generate([("user", "Hello!")], options))
    assert len(set(expected.values())) == 3
    with _serving(library, "adapted") as port:
        for name in ("legal", "support", "adapted", "legal"):
            status, answer = _ask(port, model=name)
            assert (status, answer["model"]) == (200, name)
            assert answer["choices"][0]["message"]["content"] == expected[name]
        assert _ask(port, model=None)[1]["choices"][0]["message"]["content"] == expected["adapted"]
        status, answer = _ask(port, model="sales")
        assert (status, answer["error"]["param"]) == (400, "model")
        assert answer["error"]["message"] == "'model' must be one of: adapted, legal, support"
        models = json.loads(_send(port, "GET", "/v1/models", None, {})[1])["data"]
        assert [model["id"] for model in models] == ["adapted", "legal", "support"]


def test_options_reach_the_model(port: int) -> None:
    sampled = Generation(max_tokens=20, temperature=1.5, seed=3)
    assert _ask(port, temperature=1.5, seed=3)[1]["choices"][0]["message"]["content"] == _expected(sampled)
    stop = _expected(Generation(max_tokens=20))[4:6]
    (choice,) = _ask(port, stop=[stop])[1]["choices"]
    assert choice["finish_reason"] == "stop"
    assert stop not in choice["message"]["content"]


def test_response_format_constrains_the_answer(port: int) -> None:
    schema = {"type": "object", "properties": {"yes": {"type": "boolean"}}, "required": ["yes"]}
    described = {"name": "answer", "strict": True, "schema": schema}
    for form in ({"type": "json_schema", "json_schema": described}, {"type": "json_object"}):
        (choice,) = _ask(port, response_format=form, temperature=1.5, seed=2, max_tokens=150)[1]["choices"]
        if form["type"] == "json_schema":
            assert json.loads(choice["message"]["content"]) in ({"yes": True}, {"yes": False})
            assert choice["finish_reason"] == "stop"
        assert choice["message"]["content"].startswith("{")


def test_stream_has_the_parts_of_the_answer(port: int) -> None:
    first, *parts, last, usage = _events(port, stream_options={"include_usage": True})
    assert first["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    texts = [part["choices"][0]["delta"]["content"] for part in parts]
    assert "".join(texts) == _expected(Generation(max_tokens=20))
    assert len(texts) > 3
    assert last["choices"][0] == {"index": 0, "delta": {}, "finish_reason": "length"}
    assert (usage["choices"], usage["usage"]["completion_tokens"]) == ([], 20)
    assert len({event["id"] for event in (first, *parts, last, usage)}) == 1


def test_clients_that_leave_do_not_disturb_others(port: int) -> None:
    body = json.dumps({"messages": _HELLO, "stream": True}).encode()
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", port)) as client:
            head = f"POST {_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            client.recv(100)
    answer = _ask(port)[1]["choices"][0]["message"]["content"]
    assert answer == _expected(Generation(max_tokens=20))


def test_concurrent_requests_have_independent_answers(port: int) -> None:
    alone = [_ask(port, messages=[{"role": "user", "content": text}]) for text in "abc"]
    together: list[Any] = [None] * 3

    def ask(i: int) -> None:
        together[i] = _ask(port, messages=[{"role": "user", "content": "abc"[i]}])

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer["choices"] for _, answer in together] == [answer["choices"] for _, answer in alone]


def test_models_are_listed(port: int) -> None:
    status, answer = _send(port, "GET", "/v1/models", None, {})
    assert (status, [model["id"] for model in json.loads(answer)["data"]]) == (200, ["small"])


def test_target_of_the_rule_serves_the_model() -> None:
    command = [os.environ["SERVE"], _LIBRARY, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.fullmatch(r"small: http://127\.0\.0\.1:(\d+)/v1\n", process.stdout.readline())
        try:
            assert found
            assert _ask(int(found[1]))[0] == 200
        finally:
            process.terminate()


def test_long_prompt_is_an_error_of_the_request(port: int) -> None:
    status, answer = _ask(port, messages=[{"role": "user", "content": "word " * 2000}])
    assert status == 400
    assert "context" in answer["error"]["message"] or "messages[0]" in answer["error"]["message"]
    assert _ask(port)[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "expected", "message"),
    [
        ("GET", "/", None, {}, 404, "there is no /"),
        ("POST", "/v1/completions", b"{}", _JSON, 404, "use /v1/chat/completions"),
        ("POST", _PATH, b"{}", {"Content-Type": "text/plain"}, 415, "application/json"),
        ("POST", _PATH, b"{", _JSON, 400, "not valid JSON"),
        ("POST", _PATH, b"{}", _JSON, 400, "'messages' must have at least one message"),
        ("POST", _PATH, b"{}", _JSON | {"Content-Length": "99999999"}, 413, "16 MiB"),
        ("POST", _PATH, b"{}", _JSON | {"Content-Length": "-5"}, 411, "Content-Length"),
        ("POST", _PATH, b"{}", _JSON | {"Host": "attacker.example:8000"}, 403, "attacker.example"),
        ("GET", "/v1/models", None, {"Host": "attacker.example"}, 403, "use one of: localhost"),
    ],
)
def test_wrong_requests_have_an_error(
    port: int, method: str, path: str, body: bytes | None, headers: dict[str, str], expected: int, message: str
) -> None:
    status, answer = _send(port, method, path, body, headers)
    assert status == expected
    assert message in json.loads(answer)["error"]["message"]

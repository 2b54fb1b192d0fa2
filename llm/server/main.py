"""Serve a language model over HTTP, with OpenAI's chat completions.

    main LIBRARY [--host HOST] [--port PORT] [--threads N]

LIBRARY is the shared library `<name>.so` of an `executorch_llm`. Requests are answered one after the
other, because the model has one conversation. It reuses the tokens before the first change.
"""

from __future__ import annotations

import argparse
import contextlib
import ipaddress
import itertools
import json
import socket
import threading
import time
from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from executorch_runtime import ExecutorchError
from executorch_runtime.llm import Llm
from llm.server.completions import Request, RequestError, Response, error_object, parse_request

_MAX_REQUEST_BYTES = 16 << 20
_SECONDS_OF_SILENCE = 60.0
_LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")


class LlmServer(ThreadingHTTPServer):
    """A server with one model.

    address: host and port; port 0 selects a free one.
    """

    daemon_threads = True

    def __init__(self, address: tuple[str, int], llm: Llm, model: str) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, _Handler)
        self.llm = llm
        self.model = model
        self.numbers = itertools.count(1)
        self.is_local = ipaddress.ip_address(address[0]).is_loopback
        self.lock = threading.Lock()


class _Handler(BaseHTTPRequestHandler):
    server: LlmServer
    protocol_version = "HTTP/1.1"
    timeout = _SECONDS_OF_SILENCE

    def do_GET(self) -> None:
        if not self._is_host_allowed():
            return
        if self.path != "/v1/models":
            self._send_error(HTTPStatus.NOT_FOUND, f"there is no {self.path}; use /v1/models")
            return
        names = (self.server.model, *self.server.llm.adapters)
        models = [{"id": name, "object": "model", "created": 0, "owned_by": "executorch"} for name in names]
        self._send_object(HTTPStatus.OK, {"object": "list", "data": models})

    def do_POST(self) -> None:
        body = self._read_body() if self._is_host_allowed() else None
        if body is None:
            return
        if self.path != "/v1/chat/completions":
            self._send_error(HTTPStatus.NOT_FOUND, f"there is no {self.path}; use /v1/chat/completions")
            return
        try:
            request = parse_request(body)
            adapter = self._adapter_of(request)
            response = Response(next(self.server.numbers), int(time.time()), adapter or self.server.model)
            with self.server.lock:
                self.server.llm.set_adapter(adapter)
                self._answer(request, response)
        except RequestError as error:
            self._send_error(HTTPStatus.BAD_REQUEST, str(error), error.field)

    def _adapter_of(self, request: Request) -> str | None:
        """Return the adapter that the request names as its model.

        Without adapters, every name is the model's.
        """
        adapters = self.server.llm.adapters
        if not adapters or request.model in (None, self.server.model):
            return None
        if request.model not in adapters:
            raise RequestError("model", f"must be one of: {', '.join((self.server.model, *adapters))}")
        return request.model

    def _is_host_allowed(self) -> bool:
        """Refuse other host names: pages could use them to reach a local server.

        That is known as DNS rebinding.
        """
        host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
        if not self.server.is_local or host.lower() in _LOCAL_NAMES:
            return True
        self._send_error(HTTPStatus.FORBIDDEN, f"the host is {host!r}; use one of: {', '.join(_LOCAL_NAMES)}")
        return False

    def _read_body(self) -> bytes | None:
        """Return the body. Send an error and return None if it is missing or too large."""
        length = self.headers.get("Content-Length", "")
        # Browsers send this type to another origin only if it permits it, and this server does not.
        if self.headers.get_content_type() != "application/json":
            self._send_error(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "set the header 'Content-Type: application/json'")
        elif not (length.isascii() and length.isdigit()):
            self._send_error(HTTPStatus.LENGTH_REQUIRED, "the header 'Content-Length' is missing or not a number")
        elif len(length) > 9 or int(length) > _MAX_REQUEST_BYTES:
            self._send_error(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the request has more than {_MAX_REQUEST_BYTES >> 20} MiB"
            )
        else:
            return self.rfile.read(int(length))
        return None

    def _answer(self, request: Request, response: Response) -> None:
        pieces = self.server.llm.generate(request.messages, request.options)
        try:
            # Errors of the request are known with the first piece, before the answer begins.
            first = next(pieces, "")
        except ExecutorchError as error:
            is_wrong_request = error.status == "INVALID_ARGUMENT"
            status = HTTPStatus.BAD_REQUEST if is_wrong_request else HTTPStatus.INTERNAL_SERVER_ERROR
            self._send_error(status, error.message)
            return
        if request.streams:
            self._stream(itertools.chain([first], pieces), request, response)
        else:
            text = first + "".join(pieces)
            self._send_object(HTTPStatus.OK, response.answer(text, self.server.llm.stats()))

    def _stream(self, pieces: Iterator[str], request: Request, response: Response) -> None:
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Connection", "close")
        self.end_headers()
        self._send_event(response.part({"role": "assistant", "content": ""}))
        try:
            for text in pieces:
                self._send_event(response.part({"content": text}))
        except ExecutorchError as error:
            self._send_event(error_object(error.message, None, "server_error"))
            return
        stats = self.server.llm.stats()
        self._send_event(response.part({}, stats))
        if request.counts:
            self._send_event(response.usage_part(stats))
        self.wfile.write(b"data: [DONE]\n\n")

    def _send_event(self, event: dict[str, Any]) -> None:
        self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")

    def _send_object(self, status: HTTPStatus, value: dict[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _send_error(self, status: HTTPStatus, message: str, field: str | None = None) -> None:
        # The rest of the request may be unread.
        self.close_connection = True
        kind = "server_error" if status >= 500 else "invalid_request_error"
        self._send_object(status, error_object(message, field, kind))

    def handle(self) -> None:
        try:
            super().handle()
        except (ConnectionError, TimeoutError):
            self.close_connection = True  # the client is gone, which ends the answer


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a language model with OpenAI's chat completions.")
    parser.add_argument("library", help="shared library of an executorch_llm")
    parser.add_argument("--host", default="127.0.0.1", help="IP address to listen on; default: only this machine")
    parser.add_argument("--port", type=int, default=8000, help="default: 8000; 0 selects a free port")
    parser.add_argument("--threads", type=int, default=2, help="threads of the model; default: 2")
    options = parser.parse_args()
    model = Path(options.library).stem
    with (
        Llm(options.library, options.threads) as llm,
        LlmServer((options.host, options.port), llm, model) as server,
        contextlib.suppress(KeyboardInterrupt),
    ):
        print(f"{model}: http://{options.host}:{server.server_port}/v1", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()

"""Local servers that answer like the Hugging Face hub and its storage."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import threading
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPO = "acme/tiny"
_RESOLVE = re.compile(r"/(?P<repo>[^/]+/[^/]+|datasets/[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)")
_API = re.compile(r"/api/(?P<repo>models/[^/]+/[^/]+|datasets/[^/]+/[^/]+)/revision/(?P<revision>[^/]+)")


@dataclass(frozen=True)
class Request:
    """A request that a server has received."""

    server: str  # "hub" or "storage"
    path: str
    headers: Mapping[str, str]


@dataclass
class Hub:
    """Contents and faults of the servers, and their requests.

    A file in `large` is in Git LFS: the hub redirects to the storage server.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    large: set[str] = field(default_factory=set)
    repo: str = REPO
    branches: dict[str, str] = field(default_factory=lambda: {"main": COMMIT, "refs/pr/1": COMMIT})
    token: str = ""  # of a private repository
    is_gated: bool = False
    renamed_from: str = ""  # the hub redirects to the new name
    interruptions: list[int] = field(default_factory=list)  # bytes after which connections end
    statuses: list[int] = field(default_factory=list)  # of the next answers with a file
    storage_statuses: list[int] = field(default_factory=list)
    stored_bytes: Callable[[bytes], bytes] = lambda data: data  # what the storage server has
    ignores_ranges: bool = False
    omits_length: bool = False
    omits_hashes: bool = False  # in the description of the repository
    stall: int | None = None  # bytes after which an answer with a file waits for `released`
    released: threading.Event = field(default_factory=threading.Event)
    requests: list[Request] = field(default_factory=list)
    url: str = ""
    storage_url: str = ""

    def of(self, server: str) -> list[Request]:
        """Return the requests to one of the servers."""
        return [request for request in self.requests if request.server == server]

    def hashes(self) -> dict[str, str]:
        return {path: hashlib.sha256(data).hexdigest() for path, data in self.files.items()}


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    name: str

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.hub.requests.append(Request(self.name, self.path, dict(self.headers.items())))
        url = urllib.parse.urlsplit(self.path)
        if self.name == "storage":
            self._send_stored(urllib.parse.unquote(url.path).lstrip("/"))
        elif found := _API.fullmatch(url.path):
            self._send_description(found["repo"].removeprefix("models/"), found["revision"])
        elif found := _RESOLVE.fullmatch(url.path):
            self._send_file(found["repo"], found["revision"], urllib.parse.unquote(found["path"]))
        else:
            self._refuse(404, "RepoNotFound")

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def _allows(self, repo: str, revision: str) -> str:
        """Return the commit, or "" after a refusal."""
        commit = self.hub.branches.get(urllib.parse.unquote(revision), revision)
        authorization = self.headers.get("Authorization")
        if authorization not in (None, f"Bearer {self.hub.token}") or repo != self.hub.repo:
            self._refuse(401, "RepoNotFound" if authorization is None else "")
        elif self.hub.token and authorization is None:
            self._refuse(401, "RepoNotFound")
        elif self.hub.is_gated:
            self._refuse(403, "GatedRepo")
        elif commit not in self.hub.branches.values():
            self._refuse(404, "RevisionNotFound")
        else:
            return commit
        return ""

    def _send_description(self, repo: str, revision: str) -> None:
        if commit := self._allows(repo, revision):
            body = json.dumps({"id": repo, "sha": commit, "siblings": list(self._siblings())}).encode()
            self._send_body(200, {"Content-Type": "application/json"}, body)

    def _siblings(self) -> Iterator[dict[str, Any]]:
        for path, data in self.hub.files.items():
            lfs = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}
            has_lfs = path in self.hub.large and not self.hub.omits_hashes
            yield {"rfilename": path, "size": len(data), **({"lfs": lfs} if has_lfs else {})}

    def _send_file(self, repo: str, revision: str, path: str) -> None:
        if repo == self.hub.renamed_from:
            self._redirect(self.path.replace(repo, self.hub.repo, 1))
            return
        commit = self._allows(repo, revision)
        if not commit:
            return
        if self.hub.statuses:
            self._refuse(self.hub.statuses.pop(0))
        elif path not in self.hub.files:
            self._refuse(404, "EntryNotFound")
        elif path in self.hub.large:
            data = self.hub.files[path]
            digest = hashlib.sha256(data).hexdigest()
            about = {"X-Repo-Commit": commit, "X-Linked-Size": str(len(data)), "X-Linked-Etag": f'"{digest}"'}
            self._redirect(f"{self.hub.storage_url}/{urllib.parse.quote(path)}?Signature=secret", about)
        else:
            self._send_range(self.hub.files[path], {"X-Repo-Commit": commit, "ETag": f'"{len(path)}"'})

    def _send_stored(self, path: str) -> None:
        if self.hub.storage_statuses:
            self._refuse(self.hub.storage_statuses.pop(0))
            return
        data = self.hub.stored_bytes(self.hub.files[path])
        self._send_range(data, {"ETag": f'"{hashlib.sha256(data).hexdigest()}"'})

    def _send_range(self, data: bytes, headers: Mapping[str, str]) -> None:
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if wanted is None or self.hub.ignores_ranges:
            self._send_body(200, headers, data)
        elif int(wanted[1]) >= len(data):
            self._send_body(416, {"Content-Range": f"bytes */{len(data)}"}, b"")
        else:
            sent = {"Content-Range": f"bytes {wanted[1]}-{len(data) - 1}/{len(data)}", **headers}
            self._send_body(206, sent, data[int(wanted[1]) :])

    def _send_body(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        has_file = status in (200, 206) and self.command == "GET"
        if has_file and self.hub.stall == 0:
            self.hub.released.wait(30)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if not self.hub.omits_length:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if has_file and self.hub.interruptions:
            body = body[: self.hub.interruptions.pop(0)]
        if has_file and self.hub.stall:
            self.wfile.write(body[: self.hub.stall])
            self.hub.released.wait(30)
            body = body[self.hub.stall :]
        if self.command == "GET":
            with contextlib.suppress(OSError):  # the client has closed the connection
                self.wfile.write(body)

    def _redirect(self, location: str, headers: Mapping[str, str] | None = None) -> None:
        self._send_body(302, {"Location": location, **(headers or {})}, b"")

    def _refuse(self, status: int, code: str = "") -> None:
        self._send_body(status, {"X-Error-Code": code} if code else {}, b"refused")


@contextlib.contextmanager
def running(hub: Hub) -> Iterator[Hub]:
    """Run the servers of `hub` on free ports."""
    servers = []
    for name in ("hub", "storage"):
        handler = type(f"_{name}Handler", (_Handler,), {"hub": hub, "name": name})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
    hub.url, hub.storage_url = (f"http://127.0.0.1:{server.server_port}" for server in servers)
    try:
        yield hub
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()

"""Requests to the Hugging Face hub, and to mirrors with the same interface.

The token is sent only to the endpoint that the user selected, and only over HTTPS. Mirrors and hosts
that the hub redirects to do not receive it, and no message contains it.
"""

import http.client
import os
import re
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from http import HTTPStatus
from typing import IO, Self

from commands import BootstrapError

# The public hub. HF_ENDPOINT replaces it.
DEFAULT_ENDPOINT = "https://huggingface.co"
LISTING_COMMAND = "bazel run @rules_executorch//tools:huggingface_files --"
_LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")
_TIMEOUT = 30.0
_TEMPORARY = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)
_REPOSITORY = re.compile(r"((datasets|spaces)/)?[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")


class HubError(BootstrapError):
    """A failed request. `is_temporary` states whether a repetition can succeed."""

    def __init__(self, text: str, is_temporary: bool = False, status: int = 0):
        super().__init__(text)
        self.is_temporary = is_temporary
        self.status = status


@dataclass(frozen=True)
class Snapshot:
    """A repository of the hub at a revision, which is a commit, a branch or a tag."""

    repo: str  # organization/name, or datasets/organization/name
    revision: str

    def __str__(self) -> str:
        return f"{self.repo} at {self.revision}"

    def check(self, needs_commit: bool = True) -> None:
        """Raise `BootstrapError` if a name is malformed, or the revision is not a commit."""
        if not _REPOSITORY.fullmatch(self.repo):
            raise BootstrapError(f"repo '{self.repo}' is not the name of a repository; write organization/name")
        if needs_commit and not _COMMIT.fullmatch(self.revision):
            raise BootstrapError(
                f"{self.repo}: revision '{self.revision}' is not a commit hash of 40 lowercase hexadecimal digits; "
                f"`{LISTING_COMMAND} {self.repo}{f' {self.revision}' if self.revision else ''}` prints the commit "
                "of a branch or tag"
            )

    def file_path(self, path: str) -> str:
        """Return the path of a file at an endpoint."""
        return urllib.parse.quote(f"{self.repo}/resolve/") + self._quoted_revision() + "/" + urllib.parse.quote(path)

    def api_path(self) -> str:
        """Return the path of the description of the snapshot, with all files."""
        kind = "" if self.repo.startswith(("datasets/", "spaces/")) else "models/"
        return f"api/{kind}{self.repo}/revision/{self._quoted_revision()}?blobs=true"

    def _quoted_revision(self) -> str:
        return urllib.parse.quote(self.revision, safe="")


class Response:
    """The answer to a request: a stream, and the size that the hub states."""

    def __init__(self, stream: http.client.HTTPResponse, linked_size: int | None, where: str):
        self._stream = stream
        self.linked_size = linked_size
        self.where = where  # name of the host that answered
        self.is_partial = stream.status == HTTPStatus.PARTIAL_CONTENT
        self._missing = as_size(self.header("Content-Length")) or 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def header(self, name: str) -> str:
        return self._stream.headers.get(name, "")

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes; b"" at the end. Raise `HubError`."""
        try:
            data = self._stream.read(size)
        except TimeoutError:
            raise HubError(_timeout_text(self.where), is_temporary=True) from None
        except (OSError, http.client.HTTPException) as error:
            raise HubError(f"the connection to {self.where} failed ({error}); try again", is_temporary=True) from None
        self._missing -= len(data)
        if not data and self._missing > 0:
            raise HubError(
                f"the connection to {self.where} ended {self._missing} bytes before the end; try again",
                is_temporary=True,
            )
        return data


@dataclass(frozen=True)
class Endpoint:
    """The address of a hub, and the token that it receives."""

    url: str
    token: str = field(default="", repr=False)
    token_env: str = ""  # the variable of the token; "" for mirrors

    def open(self, path: str, snapshot: Snapshot, headers: Mapping[str, str] | None = None) -> Response:
        """Send a GET request. Raise `HubError` for all answers but 200 and 206."""
        request = urllib.request.Request(
            f"{self.url}/{path}", headers={"User-Agent": "rules_executorch", **(headers or {})}
        )
        if self._sends_token():
            request.add_unredirected_header("Authorization", f"Bearer {self.token}")
        redirects = _Redirects()
        handlers: list[urllib.request.BaseHandler] = [redirects]
        if self._is_loopback():
            handlers.append(urllib.request.ProxyHandler({}))
        try:
            stream = urllib.request.build_opener(*handlers).open(request, timeout=_timeout())
        except urllib.error.HTTPError as error:
            with error:
                raise self._status_error(error, snapshot) from None
        except (OSError, http.client.HTTPException) as error:
            raise _connection_error(error, redirects.host or self.host) from None
        return Response(stream, redirects.linked_size, redirects.host or self.host)

    @property
    def host(self) -> str:
        """The host and port, without user names."""
        return _host(self.url)

    def _is_loopback(self) -> bool:
        return urllib.parse.urlsplit(self.url).hostname in _LOOPBACK_HOSTS

    def _sends_token(self) -> bool:
        return bool(self.token) and (self.url.startswith("https:") or self._is_loopback())

    def _status_error(self, error: urllib.error.HTTPError, snapshot: Snapshot) -> HubError:
        answer = f"{_host(error.url)} answers {error.code}"
        if _host(error.url) != self.host:
            # A storage host. Its addresses expire, so a new request to the hub can succeed.
            return HubError(f"{answer}; run the build again, and check the proxy", is_temporary=True, status=error.code)
        if error.code in _TEMPORARY or error.code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return HubError(f"{answer}; run the build again later", is_temporary=True, status=error.code)
        reason = self._reason(error.code, error.headers.get("X-Error-Code", ""), snapshot)
        return HubError(f"{answer}{reason}", status=error.code)

    def _reason(self, status: int, code: str, snapshot: Snapshot) -> str:
        """Return the cause of a status and its remedy."""
        listing = f"`{LISTING_COMMAND} {snapshot.repo}"
        if code == "GatedRepo":
            return f": the repository is gated; accept its conditions on its page, then {self._token_advice()}"
        if code == "EntryNotFound":
            return f": the revision has no such file; {listing} {snapshot.revision}` lists its files"
        if code == "RevisionNotFound":
            return f": the repository has no such revision; {listing}` prints the newest commit"
        if status == HTTPStatus.UNAUTHORIZED and self._sends_token():
            return f": the token in {self.token_env} is invalid, or cannot read the repository; {self._token_advice()}"
        if status == HTTPStatus.FORBIDDEN and self._sends_token():
            return f": the token in {self.token_env} cannot read the repository; {self._token_advice()}"
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN) or code == "RepoNotFound":
            return f": the repository is private or does not exist; check its name, and {self._token_advice()}"
        if status == HTTPStatus.NOT_FOUND:
            return ": it has no such repository, revision or file; check their names"
        return "; check the names of the repository and the file, and HF_ENDPOINT"

    def _token_advice(self) -> str:
        if not self.token_env:
            return (
                "set token_env to the variable of a token, or use the mirror as HF_ENDPOINT; mirrors receive no token"
            )
        if self.token and not self._sends_token():
            return f"use an endpoint with HTTPS, because {self.token_env} is not sent without it"
        return f"set {self.token_env} to a token that can read it"


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, and records the size of the file that the hub links to.

    urllib does not send the token to the next address. This class adds it if the host is the same.
    """

    def __init__(self) -> None:
        self.linked_size: int | None = None
        self.host = ""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        if urllib.parse.urlsplit(newurl).scheme not in ("http", "https"):
            raise HubError(f"{_host(req.full_url)} redirects to an address without HTTP")
        following = super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]
        token = req.unredirected_hdrs.get("Authorization")
        if following is not None and token and _origin(newurl) == _origin(req.full_url):
            following.add_unredirected_header("Authorization", token)
        self.linked_size = as_size(headers.get("X-Linked-Size", "")) or self.linked_size
        self.host = _host(newurl)
        return following


def endpoints(token_env: str, mirrors: Sequence[str] = ()) -> list[Endpoint]:
    """Return HF_ENDPOINT or the public hub, then the mirrors. Raise `BootstrapError`."""
    token = os.environ.get(token_env, "").strip() if token_env else ""
    if not re.fullmatch(r"[\x21-\x7e]*", token):  # urllib's message for invalid headers contains them
        raise BootstrapError(f"{token_env} is not a token: it contains spaces, control or non-ASCII characters")
    first = _checked_url("HF_ENDPOINT", os.environ.get("HF_ENDPOINT") or DEFAULT_ENDPOINT)
    return [Endpoint(first, token, token_env), *(Endpoint(_checked_url("mirrors", url)) for url in mirrors)]


def as_size(text: str) -> int | None:
    """Return a number of bytes from a header, or None if it is absent or malformed."""
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else None


def _checked_url(origin: str, url: str) -> str:
    try:
        parts = urllib.parse.urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_valid = False
    # An invalid address is not printed, because it can contain a password.
    if not is_valid or parts.username is not None or parts.query or parts.fragment or re.search(r"\s", url):
        raise BootstrapError(
            f"{origin}: the address of a hub must be https://host/path, without a user name or a query; "
            "put credentials in the variable of token_env"
        )
    return url.rstrip("/")


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"https": 443, "http": 80}.get(parts.scheme)


def _host(url: str) -> str:
    return urllib.parse.urlsplit(url).netloc.rpartition("@")[2]


def _timeout() -> float:
    """Return the seconds without data after which a request fails.

    HF_HUB_DOWNLOAD_TIMEOUT is also the variable of the official client.
    """
    text = os.environ.get("HF_HUB_DOWNLOAD_TIMEOUT", "")
    return float(text) if re.fullmatch(r"[0-9]*[1-9][0-9]*", text) else _TIMEOUT


def _timeout_text(host: str) -> str:
    return (
        f"{host} sent nothing for {_timeout():g} s; check the network, HF_ENDPOINT and HTTPS_PROXY, or set "
        "HF_HUB_DOWNLOAD_TIMEOUT to more seconds"
    )


def _connection_error(error: Exception, host: str) -> HubError:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(reason, TimeoutError):
        return HubError(_timeout_text(host), is_temporary=True)
    if isinstance(reason, ssl.SSLCertVerificationError):
        return HubError(
            f"the certificate of {host} is not trusted ({reason.verify_message}); set SSL_CERT_FILE to a file with "
            "your certificate authorities"
        )
    return HubError(
        f"cannot connect to {host} ({reason}); check the network, HF_ENDPOINT and HTTPS_PROXY", is_temporary=True
    )

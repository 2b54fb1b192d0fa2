"""Tests that malformed attributes and variables of hub downloads are rejected."""

from __future__ import annotations

import ssl
import sys
import urllib.error
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).absolute().parents[2] / "rules/private/repository"))

import fetch_huggingface
import huggingface_client
from commands import BootstrapError
from huggingface_client import Snapshot, endpoints

from tests.huggingface.hub import COMMIT, REPO

_SNAPSHOT = Snapshot(REPO, COMMIT)
_TOKEN = "hf_verySecret"
_LISTING = "`bazel run @rules_executorch//tools:huggingface_files -- acme/tiny"


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "schlüssel"])
def test_malformed_token_is_not_printed(monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setenv("MY_TOKEN", token)
    with pytest.raises(BootstrapError) as caught:
        endpoints("MY_TOKEN")
    assert str(caught.value).startswith("MY_TOKEN is not a token: ")
    assert token not in str(caught.value)


def test_unknown_certificate_authority_is_reported_with_a_remedy() -> None:
    reason = ssl.SSLCertVerificationError("secret detail")
    reason.verify_message = "self-signed certificate"
    error = huggingface_client._connection_error(urllib.error.URLError(reason), "hub.acme.com")
    assert not error.is_temporary
    assert str(error) == (
        "the certificate of hub.acme.com is not trusted (self-signed certificate); set SSL_CERT_FILE to a file with "
        "your certificate authorities"
    )


@pytest.mark.parametrize(
    "url", ["hub.acme.com", "ftp://hub.acme.com", "https://me:secret@hub.acme.com", "https://hub?x=secret", "https://"]
)
def test_malformed_hub_address_is_rejected(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("HF_ENDPOINT", url)
    with pytest.raises(BootstrapError, match="HF_ENDPOINT: the address of a hub must be https://host/path") as caught:
        endpoints("HF_TOKEN")
    assert "secret" not in str(caught.value)


def test_token_is_not_sent_without_https(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", _TOKEN)
    for url, is_sent in (("http://hub.acme.com", False), ("https://hub.acme.com", True), ("http://localhost", True)):
        monkeypatch.setenv("HF_ENDPOINT", url)
        (endpoint,) = endpoints("HF_TOKEN")
        assert endpoint._sends_token() == is_sent
        assert _TOKEN not in repr(endpoint)


@pytest.mark.parametrize("revision", ["main", "v1.0", "0123abc", COMMIT.upper(), ""])
def test_revision_must_be_a_commit(revision: str, tmp_path: Path) -> None:
    with pytest.raises(BootstrapError) as caught:
        fetch_huggingface.take(Snapshot(REPO, revision), {}, [], tmp_path)
    assert str(caught.value) == (
        f"{REPO}: revision '{revision}' is not a commit hash of 40 lowercase hexadecimal digits; "
        f"{_LISTING} {revision}".rstrip()
        + "` prints the commit of a branch or tag"
    )


@pytest.mark.parametrize("repo", ["", "acme/", "../acme", "acme/../x", "a/b/c", "https://hub/acme/tiny", "acme/ti ny"])
def test_malformed_repository_name_is_rejected(repo: str, tmp_path: Path) -> None:
    with pytest.raises(BootstrapError, match="is not the name of a repository; write organization/name"):
        fetch_huggingface.take(Snapshot(repo, COMMIT), {}, [], tmp_path)


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "a//b", "./a", "", "a\\b", "a/"])
def test_path_outside_of_the_repository_is_rejected(path: str, tmp_path: Path) -> None:
    with pytest.raises(BootstrapError, match="files has a path that is not relative to the repository"):
        fetch_huggingface.take(_SNAPSHOT, {path: "0" * 64}, [], tmp_path / "out")


@pytest.mark.parametrize("path", ["BUILD", "sub/BUILD.bazel", "MODULE.bazel", "WORKSPACE", "files"])
def test_path_that_bazel_reserves_is_rejected(path: str, tmp_path: Path) -> None:
    with pytest.raises(BootstrapError, match="cannot be a label, because Bazel reserves the name"):
        fetch_huggingface.take(_SNAPSHOT, {path: "0" * 64}, [], tmp_path / "out")


def test_malformed_hash_and_missing_files_name_the_listing_command(tmp_path: Path) -> None:
    for files in ({}, {"config.json": "sha256:0"}):
        with pytest.raises(BootstrapError) as caught:
            fetch_huggingface.take(_SNAPSHOT, files, [], tmp_path / "out")
        assert f"{_LISTING} {COMMIT}` prints" in str(caught.value)

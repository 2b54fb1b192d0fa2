"""Tests the program that prints the files of a hub's repository with their hashes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).absolute().parents[2] / "rules/private/repository"))

from commands import BootstrapError
from huggingface_client import Snapshot, endpoints

from tests.huggingface.hub import COMMIT, REPO, Hub, running
from tools import huggingface_files

_FILES = {"model.safetensors": b"weights", "config.json": b"{}", "sub/vocab.txt": b"a\nb\n"}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    with running(Hub(files=_FILES, large={"model.safetensors"})) as created:
        monkeypatch.setenv("HF_ENDPOINT", created.url)
        yield created


def _printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    monkeypatch.setattr(sys, "argv", ["huggingface_files", *arguments])
    code = huggingface_files.main()
    captured = capsys.readouterr()
    return captured.out if code == 0 else captured.err


def test_listing_prints_the_attributes_of_the_rule(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = _printed(monkeypatch, capsys, REPO)
    assert eval(f"dict({printed})") == {"repo": REPO, "revision": COMMIT, "files": hub.hashes()}
    assert not hub.of("storage"), "the hub states the hashes of large files"


@pytest.mark.parametrize("revision", ["main", "refs/pr/1", COMMIT])
def test_listing_finds_the_commit_of_a_revision(hub: Hub, revision: str) -> None:
    commit, _ = huggingface_files.list_files(endpoints("")[0], Snapshot(REPO, revision))
    assert commit.revision == COMMIT


def test_listing_selects_files_by_patterns(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = _printed(monkeypatch, capsys, REPO, "main", "*.json", "sub/*")
    assert list(eval(f"dict({printed})")["files"]) == ["config.json", "sub/vocab.txt"]
    message = _printed(monkeypatch, capsys, REPO, "main", "*.gguf")
    assert message == (
        f"huggingface_files: {REPO} at {COMMIT}: no file matches '*.gguf'; its files: {', '.join(_FILES)}\n"
    )


def test_listing_hashes_large_files_if_the_hub_does_not(hub: Hub) -> None:
    hub.omits_hashes = True
    _, files = huggingface_files.list_files(endpoints("")[0], Snapshot(REPO, "main"))
    assert files == hub.hashes()


def test_listing_of_a_private_repository_needs_a_token(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.token = "hf_verySecret"
    assert "set ACME_TOKEN to a token that can read it" in _printed(
        monkeypatch, capsys, REPO, "--token-env", "ACME_TOKEN"
    )
    monkeypatch.setenv("ACME_TOKEN", hub.token)
    assert COMMIT in _printed(monkeypatch, capsys, REPO, "--token-env", "ACME_TOKEN")


def test_listing_of_a_dataset_uses_its_interface(hub: Hub) -> None:
    hub.repo = "datasets/acme/tiny"
    _, files = huggingface_files.list_files(endpoints("")[0], Snapshot(hub.repo, "main"), ["*.json"])
    assert list(files) == ["config.json"]


def test_listing_reports_unknown_names_and_interruptions(hub: Hub) -> None:
    (source,) = endpoints("")
    with pytest.raises(BootstrapError, match="acme/tiny at v9: .* answers 404: the repository has no such revision"):
        huggingface_files.list_files(source, Snapshot(REPO, "v9"))
    with pytest.raises(BootstrapError, match="answers 401: the repository is private or does not exist"):
        huggingface_files.list_files(source, Snapshot("acme/other", "main"))
    hub.interruptions = [10]
    with pytest.raises(BootstrapError, match="bytes before the end; try again"):
        huggingface_files.list_files(source, Snapshot(REPO, "main"))

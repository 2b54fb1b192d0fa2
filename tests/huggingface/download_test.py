"""Tests downloads from a hub.

They cover verification, the cache, interruptions, credentials, mirrors and errors.
"""

from __future__ import annotations

import hashlib
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).absolute().parents[2] / "rules/private/repository"))

import fetch_huggingface
from commands import BootstrapError
from huggingface_client import Snapshot, endpoints

from tests.huggingface.hub import COMMIT, REPO, Hub, running

_MODEL = "model.safetensors"
_SNAPSHOT = Snapshot(REPO, COMMIT)
_TOKEN = "hf_verySecret"
_LISTING = "`bazel run @rules_executorch//tools:huggingface_files -- acme/tiny"
_FILES = {
    _MODEL: bytes(range(256)) * 40_000,  # 10 MB, more than socket buffers
    "config.json": b"{}",
    "onnx/übung 1.onnx": b"onnx",
}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    """A hub with a large file on another server, and an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(fetch_huggingface, "_PAUSE", 0.0)
    with running(Hub(files=dict(_FILES), large={_MODEL})) as created:
        monkeypatch.setenv("HF_ENDPOINT", created.url)
        yield created


def _take(hub: Hub, folder: Path, *paths: str, mirrors: tuple[str, ...] = ()) -> None:
    hashes = hub.hashes()
    fetch_huggingface.take(_SNAPSHOT, {path: hashes[path] for path in paths}, endpoints("HF_TOKEN", mirrors), folder)


def _failure(hub: Hub, folder: Path, path: str = _MODEL, mirrors: tuple[str, ...] = ()) -> str:
    """Return the message of a failed download, which contains no secrets."""
    with pytest.raises(BootstrapError) as caught:
        _take(hub, folder, path, mirrors=mirrors)
    assert _TOKEN not in str(caught.value)
    assert "Signature" not in str(caught.value)
    return str(caught.value)


def _cached_files(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "cache").rglob("*") if path.is_file() and path.suffix != ".lock"]


def _only_partial_file(tmp_path: Path) -> Path:
    (partial,) = _cached_files(tmp_path)
    assert partial.suffix == ".partial"
    return partial


def _ranges(hub: Hub) -> list[str]:
    """Return the range of each request to the storage server; "" without a range."""
    return [request.headers.get("Range", "") for request in hub.of("storage")]


def test_small_and_large_files_of_a_hub_are_downloaded(hub: Hub, tmp_path: Path) -> None:
    _take(hub, tmp_path / "out", *_FILES)
    assert {path: (tmp_path / "out" / path).read_bytes() for path in _FILES} == _FILES
    assert len(hub.of("storage")) == 1
    assert hub.of("hub")[0].path == f"/{REPO}/resolve/{COMMIT}/{_MODEL}"


def test_second_hub_download_needs_no_network(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _take(hub, tmp_path / "first", *_FILES)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    _take(hub, tmp_path / "second", *_FILES)
    assert (tmp_path / "second" / _MODEL).samefile(tmp_path / "first" / _MODEL)
    assert len(hub.requests) == len(_FILES) + 1


def test_same_contents_of_another_repository_are_not_downloaded_again(hub: Hub, tmp_path: Path) -> None:
    _take(hub, tmp_path / "first", "config.json")
    renamed = Snapshot("other/name", "f" * 40)
    fetch_huggingface.take(renamed, {"renamed.json": hub.hashes()["config.json"]}, endpoints(""), tmp_path / "second")
    assert (tmp_path / "second" / "renamed.json").read_bytes() == b"{}"


def test_damaged_cached_hub_file_is_downloaded_again(hub: Hub, tmp_path: Path) -> None:
    _take(hub, tmp_path / "first", "config.json")
    (cached,) = _cached_files(tmp_path)
    cached.chmod(0o644)
    cached.write_bytes(b"damaged")
    _take(hub, tmp_path / "second", "config.json")
    assert (tmp_path / "second" / "config.json").read_bytes() == b"{}"


def test_disk_without_hard_links_gets_copies(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object) -> None:
        raise OSError("another disk")

    monkeypatch.setattr("os.link", refuse)
    _take(hub, tmp_path / "out", "config.json")
    assert (tmp_path / "out" / "config.json").read_bytes() == b"{}"


def test_concurrent_hub_downloads_share_one_request(hub: Hub, tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda index: _take(hub, tmp_path / f"out{index}", _MODEL), range(8)))
    assert all((tmp_path / f"out{index}" / _MODEL).read_bytes() == _FILES[_MODEL] for index in range(8))
    assert len(hub.of("storage")) == 1


def test_interrupted_connection_is_continued(hub: Hub, tmp_path: Path) -> None:
    hub.interruptions = [1_000_000, 0, 2_000_000]
    _take(hub, tmp_path / "out", _MODEL)
    assert (tmp_path / "out" / _MODEL).read_bytes() == _FILES[_MODEL]
    assert _ranges(hub) == ["", "bytes=1000000-", "bytes=1000000-", "bytes=3000000-"]


def test_connections_with_progress_are_not_limited(hub: Hub, tmp_path: Path) -> None:
    hub.interruptions = [1_000_000] * 9
    _take(hub, tmp_path / "out", _MODEL)
    assert (tmp_path / "out" / _MODEL).read_bytes() == _FILES[_MODEL]


def test_next_build_continues_an_interrupted_download(hub: Hub, tmp_path: Path) -> None:
    hub.interruptions = [5_000_000, 0, 0, 0]
    message = _failure(hub, tmp_path / "out")
    assert message.endswith("The next build continues the download after 5000000 bytes.")
    _take(hub, tmp_path / "out", _MODEL)
    assert (tmp_path / "out" / _MODEL).read_bytes() == _FILES[_MODEL]
    assert _ranges(hub)[-1] == "bytes=5000000-"
    assert len(_cached_files(tmp_path)) == 1


def test_download_of_a_killed_process_is_continued(hub: Hub, tmp_path: Path) -> None:
    hub.stall = 4_000_000
    sha256 = hub.hashes()[_MODEL]
    arguments = [REPO, COMMIT, "HF_TOKEN", "", str(tmp_path / "killed"), _MODEL, sha256]
    with subprocess.Popen([sys.executable, fetch_huggingface.__file__, *arguments]) as process:
        partial = tmp_path / "cache/rules_executorch/huggingface" / f".{sha256}.partial"
        _wait_for_bytes(partial, 3_000_000)
        process.kill()
    left = partial.stat().st_size
    hub.stall = None
    _take(hub, tmp_path / "out", _MODEL)
    assert (tmp_path / "out" / _MODEL).read_bytes() == _FILES[_MODEL]
    assert _ranges(hub) == ["", f"bytes={left}-"]
    assert not list(partial.parent.glob(".*.part*")), "no temporary files are left"


def _wait_for_bytes(file: Path, size: int) -> None:
    deadline = time.monotonic() + 30
    while not file.exists() or file.stat().st_size < size:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_full_disk_is_reported_with_a_remedy(hub: Hub, tmp_path: Path) -> None:
    arguments = [REPO, COMMIT, "HF_TOKEN", "", str(tmp_path / "out"), _MODEL, hub.hashes()[_MODEL]]
    result = subprocess.run(
        [sys.executable, fetch_huggingface.__file__, *arguments],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000)),
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert result.stderr == (
        f"{_MODEL} of {REPO} at {COMMIT}: cannot write to {tmp_path}/cache/rules_executorch/huggingface (File too "
        "large); free space, or set XDG_CACHE_HOME to a folder on another disk\n"
    )


def test_complete_partial_file_needs_no_request(hub: Hub, tmp_path: Path) -> None:
    hub.interruptions = [0, 0, 0, 0]
    _failure(hub, tmp_path / "out")
    _only_partial_file(tmp_path).write_bytes(_FILES[_MODEL])
    hub.requests.clear()
    _take(hub, tmp_path / "out", _MODEL)
    assert not hub.requests


@pytest.mark.parametrize("left", [b"x" * 1000, b"x" * 20_000_000], ids=["other bytes", "longer than the file"])
def test_unusable_partial_file_is_replaced(hub: Hub, left: bytes, tmp_path: Path) -> None:
    hub.interruptions = [0, 0, 0, 0]
    _failure(hub, tmp_path / "out")
    _only_partial_file(tmp_path).write_bytes(left)
    _take(hub, tmp_path / "out", _MODEL)
    assert (tmp_path / "out" / _MODEL).read_bytes() == _FILES[_MODEL]


def test_server_without_ranges_sends_the_whole_file_again(hub: Hub, tmp_path: Path) -> None:
    hub.ignores_ranges = True
    hub.interruptions = [1_000_000]
    _take(hub, tmp_path / "out", _MODEL)
    assert (tmp_path / "out" / _MODEL).read_bytes() == _FILES[_MODEL]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_temporary_status_is_retried(hub: Hub, status: int, tmp_path: Path) -> None:
    hub.statuses = [status] * 3
    _take(hub, tmp_path / "out", "config.json")
    assert len(hub.of("hub")) == 4


def test_permanent_server_failure_is_reported(hub: Hub, tmp_path: Path) -> None:
    hub.statuses = [503] * 4
    host = hub.url.removeprefix("http://")
    message = _failure(hub, tmp_path / "out")
    assert message == f"{_MODEL} of {REPO} at {COMMIT}: {host} answers 503; run the build again later"


def test_wrong_hub_hash_is_reported_and_leaves_no_file(hub: Hub, tmp_path: Path) -> None:
    files = {"config.json": "0" * 64}
    with pytest.raises(BootstrapError) as caught:
        fetch_huggingface.take(_SNAPSHOT, files, endpoints("HF_TOKEN"), tmp_path / "out")
    found = hashlib.sha256(b"{}").hexdigest()
    assert str(caught.value) == (
        f"config.json of {REPO} at {COMMIT}: {hub.url.removeprefix('http://')} has a file with the SHA-256 {found}, "
        f"but files states {'0' * 64}; correct it if this is the intended file"
    )
    assert not _cached_files(tmp_path)


def test_same_length_with_other_bytes_is_rejected(hub: Hub, tmp_path: Path) -> None:
    hub.stored_bytes = lambda data: b"x" * len(data)
    assert "has a file with the SHA-256" in _failure(hub, tmp_path / "out")


@pytest.mark.parametrize("interruptions", [[], [100]], ids=["at once", "in two parts"])
def test_wrong_length_of_the_storage_is_reported(hub: Hub, interruptions: list[int], tmp_path: Path) -> None:
    hub.stored_bytes = lambda data: data[:-1]
    hub.interruptions = interruptions
    size = len(_FILES[_MODEL])
    assert f"sends a file of {size - 1} bytes, but the hub states {size}; " in _failure(hub, tmp_path / "out")


@pytest.mark.parametrize(("change", "reason"), [(-1, "ended after"), (1, "sends more than the")])
def test_wrong_length_without_a_header_is_reported(hub: Hub, change: int, reason: str, tmp_path: Path) -> None:
    hub.omits_length = True
    hub.stored_bytes = lambda data: (data + b"x")[: len(data) + change]
    assert reason in _failure(hub, tmp_path / "out")


def test_file_without_a_length_is_downloaded(hub: Hub, tmp_path: Path) -> None:
    hub.omits_length = True
    _take(hub, tmp_path / "out", *_FILES)
    assert (tmp_path / "out" / _MODEL).read_bytes() == _FILES[_MODEL]


def test_token_is_sent_to_the_hub_but_not_to_its_storage(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hub.token = _TOKEN
    monkeypatch.setenv("HF_TOKEN", _TOKEN)
    _take(hub, tmp_path / "out", _MODEL)
    assert [request.headers.get("Authorization") for request in hub.requests] == [f"Bearer {_TOKEN}", None]
    assert all(_TOKEN.encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_token_follows_a_redirect_on_the_same_host(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hub.token = _TOKEN
    hub.renamed_from = "acme/old"
    monkeypatch.setenv("HF_TOKEN", _TOKEN)
    files = {_MODEL: hub.hashes()[_MODEL]}
    fetch_huggingface.take(Snapshot("acme/old", COMMIT), files, endpoints("HF_TOKEN"), tmp_path / "out")
    assert ["Authorization" in request.headers for request in hub.of("hub")] == [True, True]
    assert "Authorization" not in hub.of("storage")[0].headers


def test_expired_address_of_the_storage_is_requested_again(hub: Hub, tmp_path: Path) -> None:
    hub.storage_statuses = [403]
    _take(hub, tmp_path / "out", _MODEL)
    assert [request.server for request in hub.requests] == ["hub", "storage"] * 2


def test_redirects_that_lead_nowhere_are_reported(hub: Hub, tmp_path: Path) -> None:
    storage_url, hub.storage_url = hub.storage_url, "ftp://storage"
    assert "redirects to an address without HTTP" in _failure(hub, tmp_path / "out")
    hub.storage_url = storage_url
    hub.renamed_from = REPO
    assert "answers 302; check the names of the repository" in _failure(hub, tmp_path / "out")


def test_private_repository_names_the_token_variable(hub: Hub, tmp_path: Path) -> None:
    hub.token = _TOKEN
    assert _failure(hub, tmp_path / "out").endswith(
        "answers 401: the repository is private or does not exist; check its name, and set HF_TOKEN to a token that "
        "can read it"
    )


def test_invalid_token_is_reported_without_its_value(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hub.token = "hf_other"
    monkeypatch.setenv("HF_TOKEN", _TOKEN)
    assert "answers 401: the token in HF_TOKEN is invalid, or cannot read the repository; " in _failure(
        hub, tmp_path / "out"
    )


def test_gated_repository_is_explained(hub: Hub, tmp_path: Path) -> None:
    hub.is_gated = True
    assert "answers 403: the repository is gated; accept its conditions on its page" in _failure(hub, tmp_path / "out")


def test_missing_file_of_a_hub_is_reported_with_the_listing_command(hub: Hub, tmp_path: Path) -> None:
    files = {"model.bin": "0" * 64}
    with pytest.raises(BootstrapError) as caught:
        fetch_huggingface.take(_SNAPSHOT, files, endpoints(""), tmp_path / "out")
    assert str(caught.value).startswith(f"model.bin of {REPO} at {COMMIT}: ")
    assert f"answers 404: the revision has no such file; {_LISTING} {COMMIT}` lists its files" in str(caught.value)


def test_missing_revision_of_a_hub_is_reported(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(BootstrapError, match="answers 404: the repository has no such revision; "):
        fetch_huggingface.take(Snapshot(REPO, "f" * 40), hub.hashes(), endpoints(""), tmp_path / "out")


@pytest.mark.parametrize("stall", [0, 1000], ids=["at the start", "in the file"])
def test_silent_storage_is_reported(hub: Hub, stall: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_DOWNLOAD_TIMEOUT", "1")
    monkeypatch.setattr(fetch_huggingface, "_ATTEMPTS", 1)
    hub.stall = stall
    message = _failure(hub, tmp_path / "out")
    hub.released.set()
    host = hub.storage_url.removeprefix("http://")
    assert f"{host} sent nothing for 1 s; check the network, HF_ENDPOINT and HTTPS_PROXY" in message


def test_local_hub_is_contacted_without_a_proxy(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    _take(hub, tmp_path / "out", "config.json")


def test_unreachable_hub_is_reported(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{reserved.getsockname()[1]}")
        assert "cannot connect to 127.0.0.1:" in _failure(hub, tmp_path / "out")


def test_mirror_replaces_a_hub_that_fails(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_TOKEN", _TOKEN)
    with running(Hub(statuses=[500] * 4, files=hub.files, token=_TOKEN)) as failing:
        monkeypatch.setenv("HF_ENDPOINT", failing.url)
        _take(hub, tmp_path / "out", "config.json", mirrors=(hub.url,))
    assert (tmp_path / "out" / "config.json").read_bytes() == b"{}"
    assert all("Authorization" in request.headers for request in failing.requests)
    assert not any("Authorization" in request.headers for request in hub.requests)


def test_mirror_continues_the_download_of_the_hub(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with running(Hub(files=hub.files, interruptions=[1_000_000, 0, 0, 0])) as failing:
        monkeypatch.setenv("HF_ENDPOINT", failing.url)
        _take(hub, tmp_path / "out", _MODEL, mirrors=(hub.url,))
    assert (tmp_path / "out" / _MODEL).read_bytes() == _FILES[_MODEL]
    assert _ranges(hub) == ["bytes=1000000-"]


def test_mirror_with_other_contents_is_rejected(hub: Hub, tmp_path: Path) -> None:
    hub.statuses = [404]
    with running(Hub(files={"config.json": b"[]"})) as other:
        message = _failure(hub, tmp_path / "out", "config.json", mirrors=(other.url,))
    first, second = message.splitlines()
    assert "answers 404" in first
    assert "has a file with the SHA-256" in second


def test_program_prints_errors_of_the_hub(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments = [REPO, COMMIT, "HF_TOKEN", "", str(tmp_path / "out"), "config.json"]
    monkeypatch.setattr(sys, "argv", ["fetch_huggingface.py", *arguments, hub.hashes()["config.json"]])
    assert fetch_huggingface.main() == 0
    monkeypatch.setattr(sys, "argv", ["fetch_huggingface.py", *arguments, "0"])
    assert fetch_huggingface.main() == 1
    assert capsys.readouterr().err.startswith(f"config.json of {REPO} at {COMMIT}: '0' is not a SHA-256")

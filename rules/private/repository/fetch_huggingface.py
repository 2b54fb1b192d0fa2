"""Download files of a Hugging Face repository, and add them to a folder.

    python3 fetch_huggingface.py REPO REVISION TOKEN_ENV MIRRORS FOLDER [PATH SHA256]...    # MIRRORS: separated by spaces

The user's cache stores each file under its hash, which is verified at each use. An interrupted download
continues at its last byte. FOLDER gets the files at their paths in the repository.
"""

import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path, PurePosixPath

from commands import BootstrapError
from huggingface_client import LISTING_COMMAND, Endpoint, HubError, Response, Snapshot, as_size, endpoints
from user_cache import cache_root, publish

_FILE = "file"
_ATTEMPTS = 4  # without any new byte
_PAUSE = 1.0  # seconds before the second attempt; doubles
_CHUNK = 1 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}")
# Files that Bazel reads, and the target with all files.
_RESERVED = ("build", "build.bazel", "module.bazel", "repo.bazel", "workspace", "workspace.bazel")


@dataclass(frozen=True)
class HubFile:
    """A file of a snapshot, with the SHA-256 of its contents."""

    snapshot: Snapshot
    path: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.path} of {self.snapshot}"


def take(snapshot: Snapshot, files: Mapping[str, str], sources: Sequence[Endpoint], folder: Path) -> None:
    """Add the files, a mapping of paths to hashes, to `folder`.

    Raises `BootstrapError`.
    """
    snapshot.check()
    if not files:
        raise BootstrapError(
            f"{snapshot}: files is empty; `{LISTING_COMMAND} {snapshot.repo} {snapshot.revision}` prints it"
        )
    wanted = [HubFile(snapshot, path, sha256) for path, sha256 in files.items()]
    for file in wanted:
        _check(file)
    for file in wanted:
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        found = cached(file, sources)
        try:
            os.link(found, target)
        except OSError:  # another disk, or one without hard links
            shutil.copyfile(found, target)


def cached(file: HubFile, sources: Sequence[Endpoint]) -> Path:
    """Return the path of the file in the user's cache. Raise `BootstrapError`.

    A missing or damaged file is downloaded from the first source that has it.
    """
    entry = cache_root() / "huggingface" / file.sha256

    def make(folder: Path) -> None:
        partial = entry.parent / f".{file.sha256}.partial"
        _download(file, sources, partial)
        partial.rename(folder / _FILE)

    publish(entry, make, is_intact=lambda found: _digest(found / _FILE) == file.sha256)
    return entry / _FILE


def _check(file: HubFile) -> None:
    path = PurePosixPath(file.path)
    if path.is_absolute() or str(path) != file.path or not path.parts or ".." in path.parts or "\\" in file.path:
        raise BootstrapError(f"{file}: files has a path that is not relative to the repository; write folder/file")
    if path.name.lower() in _RESERVED or file.path == "files":
        raise BootstrapError(f"{file}: this path cannot be a label, because Bazel reserves the name; remove it")
    if not _SHA256.fullmatch(file.sha256):
        raise BootstrapError(
            f"{file}: '{file.sha256}' is not a SHA-256 of 64 lowercase hexadecimal digits; "
            f"`{LISTING_COMMAND} {file.snapshot.repo} {file.snapshot.revision}` prints the hashes"
        )


def _digest(file: Path) -> str:
    if not file.is_file():
        return ""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _download(file: HubFile, sources: Sequence[Endpoint], partial: Path) -> None:
    """Complete the file `partial`, which the caller has locked.

    Raises `BootstrapError`.
    """
    problems = []
    is_complete = _digest(partial) == file.sha256
    for source in () if is_complete else sources:
        try:
            _download_from(source, file, partial)
        except HubError as error:
            problems.append(f"{file}: {error}")
        else:
            is_complete = True
            break
    if not is_complete:
        size = _size(partial)
        rest = [f"The next build continues the download after {size} bytes."] if size else []
        raise BootstrapError("\n".join(problems + rest))
    partial.chmod(0o444)


def _download_from(source: Endpoint, file: HubFile, partial: Path) -> None:
    """Complete `partial`, over several connections if they end early.

    Raises `HubError`.
    """
    failures = 0
    was_restarted = False
    while True:
        start = _size(partial)
        try:
            _append(source, file, partial)
        except HubError as error:
            failures = 1 if _size(partial) > start else failures + 1
            if not error.is_temporary or failures == _ATTEMPTS:
                raise
            time.sleep(_PAUSE * 2 ** (failures - 1))
            continue
        found = _digest(partial)
        if found == file.sha256:
            return
        partial.unlink()
        if start == 0 or was_restarted:
            raise HubError(
                f"{source.host} has a file with the SHA-256 {found}, but files states {file.sha256}; correct it if "
                "this is the intended file"
            )
        was_restarted = True  # the bytes of an earlier connection do not belong to this file


def _append(source: Endpoint, file: HubFile, partial: Path) -> None:
    """Download the bytes that `partial` lacks.

    Raises `HubError`, also if the connection ends early.
    """
    start = _size(partial)
    headers = {"Range": f"bytes={start}-"} if start else {}
    try:
        response = source.open(file.snapshot.file_path(file.path), file.snapshot, headers)
    except HubError as error:
        if error.status != HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE or not start:
            raise
        partial.unlink()  # longer than the file
        response = source.open(file.snapshot.file_path(file.path), file.snapshot)
        start = 0
    with response:
        if not response.is_partial:
            start = 0  # the server ignores ranges
        total = _total(response, start)
        try:
            size = _copy(response, partial, start, total)
        except OSError as error:
            raise BootstrapError(
                f"{file}: cannot write to {partial.parent} ({error.strerror}); free space, or set XDG_CACHE_HOME to a "
                "folder on another disk"
            ) from None
    if total is not None and size < total:
        raise HubError(
            f"the connection to {response.where} ended after {size} of {total} bytes; try again",
            is_temporary=True,
        )


def _total(response: Response, start: int) -> int | None:
    """Return the size of the file, or None if no header states it. Raise `HubError`."""
    if response.is_partial:
        found = re.fullmatch(r"bytes ([0-9]{1,18})-[0-9]+/([0-9]{1,18}|\*)", response.header("Content-Range"))
        if found is None or int(found[1]) != start:
            raise HubError(f"{response.where} sends other bytes than requested; check the proxy")
        stated = as_size(found[2])
    else:
        stated = as_size(response.header("Content-Length"))
    if None not in (stated, response.linked_size) and stated != response.linked_size:
        raise HubError(
            f"{response.where} sends a file of {stated} bytes, but the hub states {response.linked_size}; check the "
            "proxy, or use another mirror"
        )
    return response.linked_size if stated is None else stated


def _copy(response: Response, partial: Path, start: int, total: int | None) -> int:
    """Write the bytes of the answer from `start` on, and return the size of the file.

    Raises `HubError`, and `OSError` if the disk is full.
    """
    size = start
    with partial.open("r+b" if partial.exists() else "wb") as output:
        output.truncate(start)
        output.seek(start)
        while data := response.read(_CHUNK):
            size += len(data)
            if total is not None and size > total:
                raise HubError(f"{response.where} sends more than the {total} bytes that it states; check the proxy")
            output.write(data)
    return size


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def main() -> int:
    repo, revision, token_env, mirrors, folder, *files = sys.argv[1:]
    try:
        sources = endpoints(token_env, mirrors.split())
        take(Snapshot(repo, revision), dict(zip(files[::2], files[1::2], strict=True)), sources, Path(folder))
    except (BootstrapError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

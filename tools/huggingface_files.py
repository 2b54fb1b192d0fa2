"""Print the files of a Hugging Face repository with their SHA-256."""

import argparse
import fnmatch
import hashlib
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).absolute().parents[1] / "rules/private/repository"))

from commands import BootstrapError
from huggingface_client import Endpoint, HubError, Snapshot, endpoints

_CHUNK = 1 << 20
_EXAMPLES = """\
The output is part of `executorch.huggingface`, or of `executorch_huggingface` in a WORKSPACE:

    bazel run @rules_executorch//tools:huggingface_files -- org/repo
    bazel run @rules_executorch//tools:huggingface_files -- org/repo v1.0 'config.json' '*.safetensors'

The hub states the hashes of large files. Small files are downloaded and hashed."""


def list_files(source: Endpoint, snapshot: Snapshot, patterns: Sequence[str] = ()) -> tuple[Snapshot, dict[str, str]]:
    """Return the commit of a snapshot, and the hashes of matching files.

    Without patterns, all files are returned. Raises `BootstrapError`.
    """
    snapshot.check(needs_commit=False)
    description = _description(source, snapshot)
    commit = Snapshot(snapshot.repo, str(description.get("sha")))
    commit.check()
    entries = {str(entry["rfilename"]): entry for entry in description.get("siblings", [])}
    unused = [pattern for pattern in patterns if not fnmatch.filter(entries, pattern)]
    if unused:
        raise BootstrapError(f"{commit}: no file matches '{unused[0]}'; its files: {', '.join(entries)}")
    wanted = [path for path in sorted(entries) if not patterns or _matches(path, patterns)]
    return commit, {path: _stated_hash(entries[path]) or _downloaded_hash(source, commit, path) for path in wanted}


def formatted(commit: Snapshot, files: Mapping[str, str]) -> str:
    """Return the attributes, as Starlark."""
    lines = [f"    {json.dumps(path)}: {json.dumps(sha256)}," for path, sha256 in files.items()]
    names = [f"repo = {json.dumps(commit.repo)},", f"revision = {json.dumps(commit.revision)},"]
    return "\n".join([*names, "files = {", *lines, "},"])


def _description(source: Endpoint, snapshot: Snapshot) -> dict[str, Any]:
    text = b"".join(_chunks(source, snapshot, snapshot.api_path(), str(snapshot)))
    try:
        description = json.loads(text)
    except ValueError:
        description = None
    if not isinstance(description, dict):
        raise BootstrapError(f"{snapshot}: {source.host} does not answer like the hub; check HF_ENDPOINT")
    return description


def _matches(path: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def _stated_hash(entry: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a file in Git LFS, or "" for other files."""
    sha256 = (entry.get("lfs") or {}).get("sha256", "")
    return sha256 if re.fullmatch(r"[0-9a-f]{64}", sha256) else ""


def _downloaded_hash(source: Endpoint, commit: Snapshot, path: str) -> str:
    digest = hashlib.sha256()
    for data in _chunks(source, commit, commit.file_path(path), f"{path} of {commit}"):
        digest.update(data)
    return digest.hexdigest()


def _chunks(source: Endpoint, snapshot: Snapshot, path: str, where: str) -> Iterator[bytes]:
    """Yield the bytes of an answer. Raise `BootstrapError`."""
    try:
        with source.open(path, snapshot) as response:
            while data := response.read(_CHUNK):
                yield data
    except HubError as error:
        raise BootstrapError(f"{where}: {error}") from None


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="huggingface_files",
        description=f"{__doc__}\n\n{_EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("repo", help="name of the repository: organization/name, or datasets/organization/name")
    parser.add_argument("revision", nargs="?", default="main", help="a branch, a tag or a commit; main by default")
    parser.add_argument("pattern", nargs="*", help="paths to print, such as '*.safetensors'; all by default")
    parser.add_argument(
        "--token-env",
        default="HF_TOKEN",
        metavar="NAME",
        help="environment variable with the access token; HF_TOKEN by default",
    )
    return parser.parse_args(arguments)


def main() -> int:
    options = parse_arguments(sys.argv[1:])
    try:
        source = endpoints(options.token_env)[0]
        commit, files = list_files(source, Snapshot(options.repo, options.revision), options.pattern)
    except BootstrapError as error:
        print(f"huggingface_files: {error}", file=sys.stderr)
        return 1
    print(formatted(commit, files))
    return 0


if __name__ == "__main__":
    sys.exit(main())

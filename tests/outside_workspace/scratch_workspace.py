"""A scratch workspace that uses the rules as an external project does."""

from __future__ import annotations

import json
import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

_BAZELRC = """\
import "{root}/tests/outside_workspace/scratch_workspace.bazelrc"
"""


def repository_root() -> Path:
    """Return the source tree, found from a file that the test target passes."""
    return Path(os.environ["WORKSPACE_FILE"]).resolve().parent


# The actions that compile one model: the compiler, and the runtime's verifier. Bazel 4 runs the
# verifier only with --experimental_run_validations.
COMPILES_A_MODEL = ("ExecutorchLower", "ExecutorchVerify")

# Actions that build the verifier, once for all models of a workspace.
BUILDS_THE_VERIFIER = frozenset({"CppCompile", "CppLink", "ExecutorchCodegen", "ExecutorchCompileObjects"})


def without_the_verifier(needed: Iterable[str]) -> tuple[str, ...]:
    """Return the sorted actions of a build, without those that build the verifier."""
    return tuple(sorted(name for name in needed if name not in BUILDS_THE_VERIFIER))


# The path of the rules in README and examples.
_RULES_OF_README = "../rules_executorch"
_RULES_OF_EXAMPLE = 'path = "../.."'
_SETTINGS_OF_EXAMPLE = "%workspace%/../../executorch.bazelrc"


@dataclass(frozen=True)
class Build:
    """A finished `bazel build`."""

    exit_code: int
    stderr: str
    mnemonics: tuple[str, ...]  # of executed actions, without cache hits, in order
    needed: tuple[str, ...]  # of all actions, including cache hits
    runners: frozenset[str]  # the execution strategies: sandboxes, workers, remote


class Workspace:
    """A folder with the README's MODULE.bazel and WORKSPACE, and rules from `root`.

    `inside` is a command prefix that runs Bazel in another environment, for example without a
    network. `cache` is a disk cache that workspaces share, mainly for the runtime and the kernels.
    """

    def __init__(self, folder: Path, root: Path, inside: Sequence[str] = (), cache: Path | None = None):
        self.folder = folder
        self._root = root
        self._inside = inside
        self._flags = os.environ.get("FLAGS_OF_BUILDS", "").split()
        self._log = folder.parent / "execution.json"
        self._output_base = folder.parent / "output_base"
        folder.mkdir()
        for file in ("MODULE.bazel", "WORKSPACE"):
            self.write(file, readme_block(f"# {file}").replace(_RULES_OF_README, str(root)))
        self.write_settings("", cache)

    def write(self, path: str, content: str) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
        return file

    def write_settings(self, settings: str, cache: Path | None) -> None:
        """Write the .bazelrc: the common settings, the cache, and `settings`."""
        of_cache = f"build --disk_cache={cache}\n" if cache else ""
        self.write(".bazelrc", _BAZELRC.format(root=self._root) + of_cache + settings)

    @property
    def output_base(self) -> Path:
        """The output base of the workspace's Bazel."""
        return self._output_base

    def build(self, *arguments: str) -> Build:
        """Build, and read the executed actions from the execution log."""
        self._log.unlink(missing_ok=True)
        result = self._run_bazel("build", f"--execution_log_json_file={self._log}", *arguments)
        entries = _json_objects(self._log.read_text(encoding="utf-8")) if self._log.exists() else []
        ran = [entry for entry in entries if not entry.get("cacheHit")]
        return Build(
            result.returncode,
            result.stderr,
            tuple(entry["mnemonic"] for entry in ran),
            tuple(entry["mnemonic"] for entry in entries),
            frozenset(entry["runner"] for entry in ran),
        )

    def run(
        self, target: str, *arguments: str, flags: Sequence[str] = (), text: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program, with `text` as its input."""
        return self._run_bazel("run", *flags, target, "--", *arguments, text=text)

    def test(self, *targets: str) -> subprocess.CompletedProcess[str]:
        return self._run_bazel("test", *targets)

    def query(self, expression: str, *flags: str) -> list[str]:
        """Return the lines of Bazel's output."""
        result = self._run_bazel("query", *flags, expression)
        assert result.returncode == 0, result.stderr
        return result.stdout.splitlines()

    def shutdown(self) -> None:
        self._run_bazel("shutdown")

    def _run_bazel(self, command: str, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        flags = self._flags if command in ("build", "run", "test") else []
        bazel = [*self._inside, str(self._root / "bazelw"), f"--output_base={self._output_base}"]
        return subprocess.run(
            [*bazel, command, *flags, *arguments],
            cwd=self.folder,
            env=users_environment(),
            capture_output=True,
            text=True,
            input=text,
            check=False,
        )


def users_environment() -> dict[str, str]:
    """Return the user's environment without the variables that a test sets."""
    user = pwd.getpwuid(os.getuid())
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("TEST_", "RUNFILES", "PYTHON"))}
    return {**inherited, "HOME": user.pw_dir, "USER": user.pw_name}


def new_workspace(factory: pytest.TempPathFactory) -> Workspace:
    """For a fixture: return a workspace that uses the source tree's rules and a cache."""
    return Workspace(factory.mktemp("scratch") / "workspace", repository_root(), cache=session_cache(factory))


def session_cache(factory: pytest.TempPathFactory) -> Path:
    """Return the disk cache of a pytest session; it is initially empty."""
    return factory.getbasetemp() / "disk_cache"


def new_example(factory: pytest.TempPathFactory, name: str) -> Workspace:
    """For a fixture: return a copy of an example, with the session's cache."""
    return example_workspace(factory.mktemp("scratch") / "workspace", name, cache=session_cache(factory))


def example_workspaces(factory: pytest.TempPathFactory, name: str) -> Iterator[Workspace]:
    """A fixture: yield `new_example`, then stop the processes that it started."""
    scratch = new_example(factory, name)
    yield scratch
    scratch.shutdown()


def example_workspace(
    folder: Path, name: str, root: Path | None = None, inside: Sequence[str] = (), cache: Path | None = None
) -> Workspace:
    """Return a copy of an example with the rules from `root`, or from the source tree."""
    root = root or repository_root()
    example = root / "examples" / name
    created = Workspace(folder, root, inside, cache)
    shutil.copytree(example, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".bazelrc", "bazel-*"))
    for file in ("MODULE.bazel", "WORKSPACE"):
        if not (example / file).exists():
            continue
        text = (example / file).read_text(encoding="utf-8")
        assert _RULES_OF_EXAMPLE in text
        created.write(file, text.replace(_RULES_OF_EXAMPLE, f'path = "{root}"'))
    settings = example / ".bazelrc"
    if settings.exists():
        text = settings.read_text(encoding="utf-8")
        created.write_settings(text.replace(_SETTINGS_OF_EXAMPLE, f'"{_settings_of_rules(created, root)}"'), cache)
    return created


def _settings_of_rules(workspace: Workspace, root: Path) -> Path:
    """Return executorch.bazelrc, or a copy without the flags that this Bazel rejects."""
    settings = root / "executorch.bazelrc"
    rejected = os.environ.get("REJECTED_FLAGS", "").split()
    if not rejected:
        return settings
    lines = [f"build {flag}\n" for flag in rejected]
    text = settings.read_text(encoding="utf-8").splitlines(keepends=True)
    assert set(lines) <= set(text), f"{settings} does not have all of {rejected}"
    return workspace.write("executorch.bazelrc", "".join(line for line in text if line not in lines))


def readme_block(beginning: str, page: str = "README.md") -> str:
    """Return a page's first Python block that starts with `beginning`."""
    readme = (repository_root() / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    return next(block for block in blocks if block.startswith(beginning))


def shown_files(page: str) -> list[tuple[str, str]]:
    """Return the path and text of each block of a page that starts with a file name."""
    text = (repository_root() / page).read_text(encoding="utf-8")
    return re.findall(r"```\w*\n(?:#|/\*) ([\w./-]+/[\w.-]+)[^\n]*\n(.*?)```", text, re.DOTALL)


def _json_objects(text: str) -> list[dict]:
    """Parse the log, which is a sequence of JSON objects without commas."""
    decoder, position, objects = json.JSONDecoder(), 0, []
    while position < len(text.rstrip()):
        value, position = decoder.raw_decode(text, position)
        objects.append(value)
        while position < len(text) and text[position].isspace():
            position += 1
    return objects

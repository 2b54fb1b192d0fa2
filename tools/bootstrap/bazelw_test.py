"""Tests of bazelw: choice of a Bazel, flags, and recovery from interruptions.

Each test runs a copy of bazelw in its own folder, with fake programs on the PATH.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

_ROOT = Path(__file__).absolute().parents[2]
_SYSTEM_PROGRAMS = (
    "sh",
    "dirname",
    "readlink",
    "head",
    "cat",
    "cut",
    "find",
    "timeout",
    "id",
    "env",
    "mkdir",
    "grep",
    "cksum",
    "sed",
    "mv",
)


@dataclass(frozen=True)
class Machine:
    """A workspace with bazelw, a PATH folder and a home folder, without a Bazel."""

    folder: Path

    @property
    def cache(self) -> Path:
        return self.folder / "home/.cache/rules_executorch"

    def program(self, name: str, script: str) -> Path:
        path = self.folder / "bin" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def bazel(self, name: str, version: str) -> Path:
        """Add a program that reports its version, and otherwise prints its arguments."""
        report = f'[ "$1" = --version ] && echo "bazel {version}" || echo "{name}" "$@"'
        return self.program(name, report)

    def prepared_bazel(self, version: str) -> None:
        entry = self.cache / "bazel-7.r1"
        entry.mkdir(parents=True)
        shutil.copy(self.bazel("prepared", version), entry / "bazel")
        (entry / "ready").write_text(f"{version}\n")

    def registry(self, answer: str) -> None:
        self.cache.mkdir(parents=True, exist_ok=True)
        (self.cache / "central-registry").write_text(f"{answer}\n")

    def run(self, *arguments: str, program: str = "bazelw", **environment: str) -> subprocess.CompletedProcess[str]:
        variables = {"HOME": str(self.folder / "home"), "PATH": str(self.folder / "bin"), "CC": "cc", **environment}
        variables.setdefault("SSL_CERT_FILE", "certificates.pem")
        command = [str(self.folder / "workspace" / program), *arguments]
        return subprocess.run(command, env=variables, capture_output=True, text=True, cwd=self.folder)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A writable folder outside /tmp, because bazelw adds a flag for folders in /tmp.

    Bazel runs tests in another folder, unless its cache is below /tmp. pytest alone uses /tmp. Sandboxes
    allow writing to /dev/shm.
    """
    if not tmp_path.is_relative_to("/tmp"):
        yield tmp_path
        return
    writable = next(folder for folder in ("/var/tmp", "/dev/shm") if os.access(folder, os.W_OK))
    with tempfile.TemporaryDirectory(dir=writable) as other:
        yield Path(other)


@pytest.fixture
def machine(folder: Path) -> Machine:
    return _machine(folder)


def _machine(folder: Path) -> Machine:
    workspace = folder / "workspace"
    (workspace / "tools").mkdir(parents=True)
    for name in ("bazelw", "tools/bazel"):
        shutil.copy(_ROOT / name, workspace / name)
    shutil.copytree(_ROOT / "tools/bootstrap", workspace / "tools/bootstrap")
    made = Machine(folder)
    for name in _SYSTEM_PROGRAMS:
        made.program(name, f'exec {shutil.which(name)} "$@"')
    made.program("python3", "exit 1")
    return made


def test_requested_bazel_has_priority(machine: Machine) -> None:
    machine.prepared_bazel("7.7.1")
    mine = machine.bazel("mine", "8.1.0")
    result = machine.run("build", "//...", BAZEL=str(mine))
    assert result.stdout == "mine build //...\n"
    assert "Bazel 8.1.0, from BAZEL" in result.stderr


def test_requested_bazel_that_does_not_exist_is_an_error(machine: Machine) -> None:
    machine.prepared_bazel("7.7.1")
    result = machine.run("build", BAZEL="/nowhere/bazel")
    assert result.returncode == 1
    assert "BAZEL=/nowhere/bazel is not a program" in result.stderr


def test_prepared_bazel_precedes_the_path(machine: Machine) -> None:
    machine.registry("yes")
    machine.prepared_bazel("7.7.1")
    machine.bazel("bazel", "7.4.0")
    assert machine.run("build").stdout == "prepared build\n"


def test_prepared_bazel_without_registry_gets_the_offline_config(machine: Machine) -> None:
    machine.registry("no")
    machine.prepared_bazel("7.7.1")
    result = machine.run("build")
    (rc_file,) = machine.cache.glob("offline-*.bazelrc")
    assert result.stdout == f"prepared --bazelrc={rc_file} build\n"
    assert "--config=offline" in result.stderr


def test_offline_config_applies_to_any_workspace(machine: Machine) -> None:
    machine.registry("no")
    machine.prepared_bazel("7.7.1")
    modules = machine.folder / "workspace/third_party/offline/modules"
    for name in ("protobuf", "zlib"):
        (modules / name).mkdir(parents=True)
    machine.run("build")
    machine.run("build")
    (rc_file,) = machine.cache.glob("offline-*")
    overrides = [line for line in rc_file.read_text().splitlines() if "override_module" in line]
    assert overrides == [f'common:offline "--override_module={name}={modules / name}"' for name in ("protobuf", "zlib")]
    registry = machine.folder / "workspace/third_party/offline/registry"
    assert f"common:offline --registry=file://{registry}" in rc_file.read_text().splitlines()


def test_interrupted_preparation_is_ignored(machine: Machine) -> None:
    machine.registry("yes")
    machine.prepared_bazel("7.7.1")
    (machine.cache / "bazel-7.r1/ready").unlink()
    machine.bazel("bazel", "7.4.0")
    assert machine.run("build").stdout == "bazel build\n"


def test_bazelisk_precedes_bazel_on_the_path(machine: Machine) -> None:
    machine.registry("yes")
    machine.bazel("bazel", "7.4.0")
    machine.bazel("bazelisk", "7.7.1")
    assert machine.run("build").stdout == "bazelisk build\n"


def test_broken_bazelisk_is_skipped(machine: Machine) -> None:
    machine.registry("yes")
    machine.program("bazelisk", "echo 'cannot download' >&2; exit 1")
    machine.bazel("bazel", "7.4.0")
    assert machine.run("build").stdout == "bazel build\n"


def test_release_on_the_path_is_skipped_without_registry(machine: Machine) -> None:
    machine.registry("no")
    machine.bazel("bazel", "7.4.0")
    assert machine.run("build").returncode == 1


def test_old_release_on_the_path_is_skipped(machine: Machine) -> None:
    machine.registry("yes")
    machine.bazel("bazel", "5.4.1")
    result = machine.run("build")
    assert result.returncode == 1
    assert "install bazelisk or Bazel 7, or set BAZEL" in result.stderr


def test_bazel_4_receives_its_flags(machine: Machine) -> None:
    result = machine.run("build", BAZEL=str(machine.bazel("bazel-4", "4.2.3")))
    rc_file = machine.folder / "workspace/third_party/offline/bazel4.bazelrc"
    assert result.stdout == f"bazel-4 --bazelrc={rc_file} build\n"


def test_debian_launcher_is_skipped(machine: Machine) -> None:
    machine.bazel("bazel-4", "4.2.3")
    launcher = machine.program("bazel", "exit 1")
    assert machine.run("build", BAZEL=str(launcher)).stdout.startswith("bazel-4 ")


def test_tools_bazel_delegates_to_bazelw(machine: Machine) -> None:
    found = machine.bazel("found", "7.7.1")
    result = machine.run("build", program="tools/bazel", BAZEL_REAL=str(found))
    assert result.stdout == "found build\n"


def test_rules_in_tmp_are_visible_in_sandboxes() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        machine = _machine(Path(folder))
        mine = machine.bazel("mine", "8.1.0")
        rc_file = machine.folder / "workspace/tools/bootstrap/below_tmp.bazelrc"
        assert machine.run("build", BAZEL=str(mine)).stdout == f"mine --bazelrc={rc_file} build\n"


def test_packages_in_tmp_are_visible_in_sandboxes(machine: Machine) -> None:
    mine = machine.bazel("mine", "8.1.0")
    result = machine.run("build", BAZEL=str(mine), XDG_CACHE_HOME="/tmp/cache")
    assert "below_tmp.bazelrc" in result.stdout


def test_missing_program_is_reported_with_its_package(machine: Machine) -> None:
    (machine.folder / "bin/python3").unlink()
    result = machine.run("build")
    assert result.returncode == 1
    assert "no 'python3'" in result.stderr and "apt-get install python3" in result.stderr


def test_standard_output_contains_only_bazels(machine: Machine) -> None:
    machine.prepared_bazel("7.7.1")
    machine.registry("yes")
    result = machine.run("info")
    assert result.stdout == "prepared info\n"
    assert len(result.stderr.splitlines()) == 1


def test_arguments_preserve_spaces_and_quotes(machine: Machine) -> None:
    mine = machine.program("mine", '[ "$1" = --version ] && echo bazel 7.0.0 || printf "<%s>" "$@"')
    assert machine.run("build", "--copt=-DX='a b'", BAZEL=str(mine)).stdout == "<build><--copt=-DX='a b'>"


def test_home_is_found_when_unset(machine: Machine) -> None:
    mine = machine.program("mine", '[ "$1" = --version ] && echo bazel 7.0.0 || echo "$HOME"')
    machine.program("getent", "echo 'user:x:1:1::/home/of/user:/bin/sh'")
    command = ["env", "-u", "HOME", str(machine.folder / "workspace/bazelw"), "info"]
    variables = {"PATH": f"{machine.folder}/bin", "BAZEL": str(mine), "CC": "cc", "SSL_CERT_FILE": os.devnull}
    result = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert result.stdout == "/home/of/user\n"

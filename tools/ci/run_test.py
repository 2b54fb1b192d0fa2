"""Every stage runs, whatever became of those before it, and one that fails fails the whole.

Each test runs a copy of the stages in a folder of its own, with programs that stand for the real ones.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

_ROOT = Path(__file__).absolute().parents[2]
_STAGES = ("tests", "sanitizers", "clang", "bazel4", "bazel4_outside", "cross", "check")


@dataclass(frozen=True)
class Checkout:
    """A checkout whose programs write down how they were called, and fail where a line has `failing` in it."""

    folder: Path

    def program(self, path: str, failing: str = "nothing") -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        line = f'"BAZEL=${{BAZEL:-}} {path} $*"'
        file.write_text(f'#!/bin/sh\necho {line} >>"{self.folder}/calls"\necho {line} | grep -q -v -e "{failing}"\n')
        file.chmod(0o755)

    def run(self) -> subprocess.CompletedProcess[str]:
        variables = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "HOME": str(self.folder / "home")}
        return subprocess.run(
            [str(self.folder / ".ci/run")], env=variables, capture_output=True, text=True, cwd=self.folder / "bin"
        )

    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().splitlines()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    for path in (".ci/run", "tools/ci/run"):
        (tmp_path / path).parent.mkdir(parents=True)
        shutil.copy(_ROOT / path, tmp_path / path)
    shutil.copytree(_ROOT / "tools/bootstrap", tmp_path / "tools/bootstrap")
    made = Checkout(tmp_path)
    for path in ("bazelw", "tools/check", "bin/clang"):
        made.program(path)
    packages = tmp_path / "bin/dpkg-query"
    packages.write_text("#!/bin/sh\necho /usr/share/doc/bazel\necho /usr/bin/bazel-4\n")
    packages.chmod(0o755)
    return made


def test_all_stages_pass(checkout: Checkout) -> None:
    result = checkout.run()
    assert result.returncode == 0, result.stderr
    summary = result.stdout.splitlines()
    assert [line.split(": ")[0] for line in summary[:-1]] == list(_STAGES)
    assert all(": passed in " in line for line in summary[:-1])
    assert summary[-1] == f"{len(_STAGES)} passed, 0 failed"


def test_the_first_stage_is_the_readmes_command(checkout: Checkout) -> None:
    checkout.run()
    assert checkout.calls()[0] == "BAZEL= bazelw test //..."


def test_bazel_4_is_debians_and_has_its_own_output(checkout: Checkout) -> None:
    checkout.run()
    (call,) = [line for line in checkout.calls() if "BAZEL=/usr/bin/bazel-4" in line]
    assert f"--output_user_root={checkout.folder}/home/.cache/rules_executorch/bazel4 test " in call


@pytest.mark.parametrize(
    "path, failing, stage",
    [
        ("bazelw", "test //...$", "tests"),
        ("bazelw", "config=asan", "sanitizers"),
        ("bazelw", "config=clang", "clang"),
        ("bazelw", "BAZEL=/usr", "bazel4"),
        ("bazelw", "scratch_workspace:bazel4", "bazel4_outside"),
        ("bazelw", "scratch_workspace:cross_test", "cross"),
        ("tools/check", "check", "check"),
    ],
)
def test_a_failing_stage_fails_the_whole_and_the_others_run(
    checkout: Checkout, path: str, failing: str, stage: str
) -> None:
    checkout.program(path, failing)
    result = checkout.run()
    assert result.returncode == 1
    assert len(checkout.calls()) == len(_STAGES)
    failed = [line.split(": ")[0] for line in result.stdout.splitlines() if "FAILED with exit code 1" in line]
    assert (failed, result.stdout.splitlines()[-1]) == ([stage], f"{len(_STAGES) - 1} passed, 1 failed")


def test_a_stage_whose_packages_cannot_be_had_is_left_out_with_the_reason(checkout: Checkout) -> None:
    for name in ("dpkg-query", "apt-get"):
        checkout.program(f"bin/{name}", "qemu-system-arm\\|update")
    result = checkout.run()
    assert result.returncode == 0, result.stderr
    assert "cross: left out, as Debian's qemu-system-arm cannot be installed" in result.stdout.splitlines()
    assert not [call for call in checkout.calls() if "cross_test" in call]

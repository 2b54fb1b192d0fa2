"""Tests that all stages run after a failure, which fails the whole run.

Each test runs a copy of the stages in its own folder, with fake programs.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

_ROOT = Path(__file__).absolute().parents[2]
_STAGES = (
    *("tests", "check", "slow_tests", "outside", "sanitizers", "clang"),
    *("bazel4", "threads", "offline", "docs", "sdk", "oracle"),
    *(
        "bazel4_outside",
        "cross",
        "cross_parts",
        "language_models",
        "wasm",
        "rust",
        "java",
        "aar",
        "kotlin",
        "rules_java",
        "web",
    ),
    *("web_types", "web_results", "web_app", "platforms", "windows", "wasm_model"),
    *("remote_cache", "remote_execution", "languages", "torch_hub", "torch_matrix"),
)
_TOOLS = ("tools/check", "tools/ci/platforms", "tools/torch_matrix")
_PREPARE = "tests/many_machines/prepare_servers.py"
_DPKG_QUERY = """\
case $* in
  --listfiles*) printf '%s\\n' /usr/share/doc/bazel /usr/bin/bazel-4 ;;
  *) if echo "$*" | grep -q -e '{missing}'; then echo {status}; else echo installed; fi ;;
esac"""


@dataclass(frozen=True)
class Checkout:
    """A checkout whose programs record their calls.

    A program fails if its call contains `failing`.
    """

    folder: Path

    def program(self, path: str, failing: str = "nothing") -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        line = f'"BAZEL=${{BAZEL:-}} {path} $*"'
        file.write_text(f'#!/bin/sh\necho {line} >>"{self.folder}/calls"\necho {line} | grep -q -v -e "{failing}"\n')
        file.chmod(0o755)

    def answer(self, name: str, commands: str) -> None:
        program = self.folder / "bin" / name
        program.write_text(f"#!/bin/sh\n{commands}\n")
        program.chmod(0o755)

    def packages(self, missing: str, status: str) -> None:
        """All Debian packages are installed, except those with `missing` in their names.

        The exceptions have the given dpkg status.
        """
        self.answer("dpkg-query", _DPKG_QUERY.format(missing=missing, status=status))

    def run(self, *options: str) -> subprocess.CompletedProcess[str]:
        """Run all stages, or those that `options` select."""
        variables = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "HOME": str(self.folder / "home")}
        command = [str(self.folder / ".ci/run"), *(options or ["--large-downloads"])]
        return subprocess.run(command, env=variables, capture_output=True, text=True, cwd=self.folder / "bin")

    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().splitlines()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return _checkout(tmp_path)


def _checkout(folder: Path) -> Checkout:
    for path in (".ci/run", "tools/ci/run"):
        (folder / path).parent.mkdir(parents=True)
        shutil.copy(_ROOT / path, folder / path)
    shutil.copytree(_ROOT / "tools/bootstrap", folder / "tools/bootstrap")
    made = Checkout(folder)
    for path in ("bazelw", *_TOOLS, "bin/clang", "bin/unshare"):
        made.program(path)
    servers = folder / _PREPARE
    servers.parent.mkdir(parents=True)
    servers.touch()
    # The stages always run as root, which can install packages, regardless of the test's user.
    made.answer("id", "echo 0")
    made.packages("nothing", "not-installed")
    return made


def test_passing_stages_pass_the_run(checkout: Checkout) -> None:
    result = checkout.run()
    assert result.returncode == 0, result.stderr
    summary = result.stdout.splitlines()
    assert [line.split(": ")[0] for line in summary[:-1]] == list(_STAGES)
    assert all(": passed in " in line for line in summary[:-1])
    assert summary[-1] == f"{len(_STAGES)} passed, 0 failed"


def test_large_downloads_are_optional(checkout: Checkout) -> None:
    result = checkout.run("")
    assert result.returncode == 0, result.stderr
    for stage in ("torch_hub", "torch_matrix"):
        assert f"{stage}: skipped, because it needs the option --large-downloads" in result.stdout
        assert not [call for call in checkout.calls() if stage in call]


def test_first_stage_runs_the_readmes_command(checkout: Checkout) -> None:
    checkout.run()
    assert checkout.calls()[0] == "BAZEL= bazelw test //..."


def test_bazel_4_stage_has_a_separate_output_root(checkout: Checkout) -> None:
    checkout.run()
    (call,) = [line for line in checkout.calls() if "BAZEL=/usr/bin/bazel-4" in line]
    assert f"--output_user_root={checkout.folder}/home/.cache/rules_executorch/bazel4 test " in call


def test_bazel_4_stage_is_skipped_for_unreadable_paths(tmp_path: Path) -> None:
    result = _checkout(tmp_path / "a clone").run()
    assert result.returncode == 0, result.stderr
    assert "\nbazel4: skipped, because Bazel 4 does not work in folders with a space in their names\n" in result.stdout
    assert result.stdout.splitlines()[-1] == f"{len(_STAGES) - 1} passed, 0 failed"


@pytest.mark.parametrize(
    "path, failing, stage",
    [
        ("bazelw", "test //...$", "tests"),
        ("bazelw", "tests:slow_tests", "slow_tests"),
        ("bazelw", "outside_workspace:more_outside_test", "outside"),
        ("bazelw", "config=asan", "sanitizers"),
        ("bazelw", "config=clang", "clang"),
        ("bazelw", "config=tsan", "threads"),
        ("bazelw", "BAZEL=/usr", "bazel4"),
        ("bazelw", "outside_workspace:offline_test", "offline"),
        ("bazelw", "docs:links_test", "docs"),
        ("bazelw", "tools/sdk:sdk_test", "sdk"),
        ("bazelw", "tests/oracle", "oracle"),
        ("bazelw", "outside_workspace:bazel4", "bazel4_outside"),
        ("bazelw", "outside_workspace:cross_test", "cross"),
        ("bazelw", "microkernels:neon_test", "cross_parts"),
        ("bazelw", "decoder:programs_test", "language_models"),
        ("bazelw", "microkernels:wasm_test", "wasm"),
        ("bazelw", "outside_workspace:rust_app_test", "rust"),
        ("bazelw", "outside_workspace:java_app_test", "java"),
        ("bazelw", "outside_workspace:aar_test", "aar"),
        ("bazelw", "outside_workspace:kotlin_app_test", "kotlin"),
        ("bazelw", "outside_workspace:rules_java_test", "rules_java"),
        ("bazelw", "web:calls_test", "web"),
        ("bazelw", "web:types_test", "web_types"),
        ("bazelw", "languages:web_results_test", "web_results"),
        ("bazelw", "outside_workspace:web_app_test", "web_app"),
        ("tools/ci/platforms", "linux_aarch64_musl wasm32_wasi", "platforms"),
        ("tools/ci/platforms", "windows_x86_64", "windows"),
        ("tools/ci/platforms", "wasm_relaxed_simd", "wasm_model"),
        ("bazelw", "many_machines:cache_test", "remote_cache"),
        ("bazelw", "many_machines:execution_test", "remote_execution"),
        ("bazelw", "languages:results_test", "languages"),
        ("bazelw", "outside_workspace:torch_hub_test", "torch_hub"),
        ("tools/torch_matrix", "torch_matrix", "torch_matrix"),
        ("tools/check", "check", "check"),
    ],
)
def test_failed_stage_fails_the_run_and_others_continue(
    checkout: Checkout, path: str, failing: str, stage: str
) -> None:
    checkout.program(path, failing)
    result = checkout.run()
    assert result.returncode == 1
    assert len(_stages_of(checkout)) == len(_STAGES)
    failed = [line.split(": ")[0] for line in result.stdout.splitlines() if "FAILED with exit code 1" in line]
    assert (failed, result.stdout.splitlines()[-1]) == ([stage], f"{len(_STAGES) - 1} passed, 1 failed")


def _stages_of(checkout: Checkout) -> list[str]:
    """Return the calls of stages, without calls of other programs."""
    return [call for call in checkout.calls() if " bin/" not in call]


def test_stages_with_unavailable_packages_are_skipped_with_the_reason(checkout: Checkout) -> None:
    checkout.packages("qemu-system-arm\\|python3-grpcio\\|wine64", "not-installed")
    checkout.program("bin/apt-get", "update")
    result = checkout.run()
    assert result.returncode == 0, result.stderr
    summary = result.stdout.splitlines()
    assert "cross: skipped, because Debian's qemu-system-arm cannot be installed" in summary
    assert "windows: skipped, because Debian's wine64 cannot be installed" in summary
    assert "remote_execution: skipped, because Debian's python3-grpcio cannot be installed" in summary
    assert not [call for call in checkout.calls() if "cross_test" in call or "execution_test" in call]


@pytest.mark.parametrize("status", ["not-installed", "config-files", "half-configured"])
def test_known_missing_package_is_installed(checkout: Checkout, status: str) -> None:
    """dpkg also lists packages that are only recommended by installed ones."""
    checkout.packages("libnewlib-arm-none-eabi", status)
    checkout.program("bin/apt-get")
    result = checkout.run()
    assert result.returncode == 0, result.stderr
    installed = [call for call in checkout.calls() if "apt-get" in call and " install " in call]
    assert installed and all(call.endswith(" libnewlib-arm-none-eabi") for call in installed)


@pytest.mark.parametrize(
    ("missing", "reasons"),
    [
        ("prepare", ["nginx cannot be prepared", "BuildBox cannot be prepared"]),
        ("unshare", ["this machine does not permit private networks"] * 2),
    ],
)
def test_multi_machine_tests_are_skipped_without_servers(missing: str, reasons: list[str], checkout: Checkout) -> None:
    if missing == "prepare":
        (checkout.folder / _PREPARE).unlink()
    else:
        checkout.program("bin/unshare", "net")
    result = checkout.run()
    assert result.returncode == 0, result.stderr
    skipped = [line.split(": skipped, because ")[1] for line in result.stdout.splitlines() if ": skipped, " in line]
    assert skipped == reasons


# Each call advances the time by some seconds.
_CLOCK = """\
last=$(cat "$0.last" 2>/dev/null || echo 0)
echo $((last + {seconds})) | tee "$0.last"\
"""


def _set_clock(checkout: Checkout, seconds: int) -> Path:
    """Replace `date`. Return the file with the time of the last call."""
    checkout.answer("date", _CLOCK.format(seconds=seconds))
    return checkout.folder / "bin/date.last"


def test_optional_stages_are_skipped_when_time_is_short(checkout: Checkout) -> None:
    _set_clock(checkout, 240)
    result = checkout.run()
    assert result.returncode == 0, result.stderr
    summary = result.stdout.splitlines()
    assert [line.split(": ")[0] for line in summary if "passed in" in line] == list(_STAGES[:4])
    assert "clang: skipped, because it may take 14 minutes and 64 have passed" in summary


def test_installation_time_counts(checkout: Checkout) -> None:
    last = _set_clock(checkout, 1)
    checkout.packages("clang", "not-installed")
    checkout.answer("apt-get", f"echo 4000 >'{last}'")
    summary = checkout.run().stdout.splitlines()
    assert "sanitizers: passed in 1 s of at most 1440" in summary
    assert "clang: skipped, because it may take 14 minutes and 66 have passed" in summary


def test_multi_machine_tests_are_skipped_without_time_for_the_servers(checkout: Checkout) -> None:
    last = _set_clock(checkout, 1)
    checkout.answer("../tools/ci/platforms", f"echo 3915 >'{last}'")  # 65 minutes and 15 seconds
    result = checkout.run()
    assert result.returncode == 0, result.stderr
    for stage in ("remote_cache", "remote_execution"):
        assert f"{stage}: skipped, because the time is too short to prepare its server" in result.stdout
    assert not [call for call in checkout.calls() if "many_machines" in call]


def test_mandatory_stages_finish_within_the_time_limit() -> None:
    """All mandatory stages, and a minute to stop each, fit in the time limit."""
    stages = re.findall(r"^stage \w+ (\d+) ", (_ROOT / "tools/ci/run").read_text(), re.MULTILINE)
    assert len(stages) == 2
    assert sum(int(minutes) + 1 for minutes in stages) < 72

"""Hubs of rules_python's `pip.parse` in a scratch workspace."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.outside_workspace.scratch_workspace import Workspace, users_environment

_EXTENSION = """
pip = use_extension("@rules_python//python/extensions:pip.bzl", "pip")
"""

# The locks are exact, so the machine's constraints must not apply.
_HUB = """
pip.parse(
    name = "{name}",
    environment = {{"PIP_CONSTRAINT": "/dev/null"}},
    extra_pip_args = ["--no-cache-dir"],
    incompatible_generate_aliases = True,
    isolated = False,
    python_interpreter = "python3.11",
    requirements_lock = "//:{name}.lock",
)
use_repo(pip, "{name}")
"""


def add_hubs(workspace: Workspace, locks: dict[str, str]) -> None:
    """Add hubs by name, each with the text of its lock file."""
    module = (workspace.folder / "MODULE.bazel").read_text(encoding="utf-8")
    for name, lock in locks.items():
        workspace.write(f"{name}.lock", lock)
    workspace.write("MODULE.bazel", module + _EXTENSION + "".join(_HUB.format(name=name) for name in locks))
    workspace.write("BUILD.bazel", "")


def download_tools(workspace: Workspace, folder: Path, *flags: str) -> None:
    """Download the tools of `pip.parse` with the machine's pip.

    rules_python itself downloads them from fixed addresses.
    """
    assert workspace.build(*flags, "--nobuild", "@rules_python//python:py_library_bzl").exit_code == 0
    (table,) = workspace.output_base.glob("external/rules_python*/python/pip_install/repositories.bzl")
    wheels = re.findall(r"/(\w+)-([\d.]+)-py[\w.]*-none-any\.whl", table.read_text(encoding="utf-8"))
    subprocess.run(
        ["python3.11", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", f"--dest={folder}"]
        + [f"{name}=={version}" for name, version in wheels],
        check=True,
        env=users_environment(),
    )
    with (workspace.folder / ".bazelrc").open("a", encoding="utf-8") as settings:
        print(f"common --distdir={folder}", file=settings)

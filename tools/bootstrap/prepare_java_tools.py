"""Prepare Debian's compiler tools for rules_java.

Debian's unreleased suites have the tools that rules_java otherwise downloads (`bazel-java-tools`). They
are unpacked into a private folder, which replaces the repository `remote_java_tools`. The system is not
changed, and root is not needed.

    PYTHONPATH=rules/private/repository python3 tools/bootstrap/prepare_java_tools.py FOLDER      # the
    cache entry to create
"""

import functools
import shutil
import sys
import tempfile
from pathlib import Path

from commands import BootstrapError
from debian_mirror import debian_mirror
from prepare_bazel7 import LIBRARIES, LOADER, PROVIDED, SUITES
from private_apt import PrivateApt
from relocate import Relocation, is_program, make_links_relative
from user_cache import publish

_PACKAGES = ("bazel-java-tools", "patchelf")
_TOOLS = f"{LIBRARIES}/bazel/java_tools"


def prepare(entry: Path) -> None:
    """Make `entry`, a folder with the repository in `java_tools`, unless it exists."""
    problems = []
    for suite in SUITES:
        try:
            publish(entry, functools.partial(_fill, home=entry, suite=suite))
            return
        except BootstrapError as error:
            problems.append(f"{suite}: {error}")
    raise BootstrapError("\n".join(problems))


def _fill(folder: Path, home: Path, suite: str) -> None:
    root = folder / "root"
    with tempfile.TemporaryDirectory(prefix="private-apt-", dir=folder) as scratch:
        apt = PrivateApt(Path(scratch), debian_mirror(), suite, "amd64", PROVIDED)
        apt.update()
        apt.unpack(_PACKAGES, root)
    make_links_relative(root)
    # The jars are links to another folder of the package.
    tools = Path(shutil.copytree(root / _TOOLS, folder / "java_tools"))
    relocation = Relocation(root, home / "root", LIBRARIES, LOADER)
    for program in filter(is_program, (tools / "bin").iterdir()):
        relocation.patch(program)


def main() -> int:
    try:
        prepare(Path(sys.argv[1]).absolute())
    except BootstrapError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

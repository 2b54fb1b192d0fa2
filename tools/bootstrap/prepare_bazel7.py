"""Prepare Debian's Bazel 7 in the user's cache folder and print its launcher.

Debian's unreleased suites have Bazel 7 (`bazel-bootstrap`), which needs a newer C library and Java than
Debian 12 has. It is unpacked with both into a private folder. The system is not changed, and root is not
needed.

    PYTHONPATH=rules/private/repository python3 tools/bootstrap/prepare_bazel7.py FOLDER      # the
    cache entry to create
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from commands import BootstrapError, run
from debian_mirror import debian_mirror
from java_classpath import closed_class_path
from java_truststore import trust_store
from private_apt import PrivateApt
from relocate import Relocation, is_program, make_links_relative
from user_cache import publish

READY = "ready"  # File of a verified entry, with the version of Bazel.
SUITES = ("forky", "sid")
_RUNTIMES = ("openjdk-25-jre-headless", "openjdk-21-jre-headless")
# The server loads libblake3-0, but the package does not depend on it.
_PACKAGES = ("bazel-bootstrap", "libblake3-0", "patchelf")
# Dependencies for graphics, printing, sound or packaging, and tools that the host has.
PROVIDED = (
    *("build-essential", "python3", "perl", "unzip", "zlib1g-dev", "debconf", "libc-bin", "util-linux"),
    *("default-jdk-headless", "default-jre-headless", "default-java", "java-common", "ca-certificates-java"),
    *("libcups2", "libcups2t64", "liblcms2-2", "libjpeg62-turbo", "libnss3", "libharfbuzz0b", "libpcsclite1"),
    *("libfontconfig1", "libfreetype6", "libasound2", "libasound2t64", "libdbus-1-3", "libgif7", "libpng16-16"),
    *("libgl1", "velocity-doc"),
)
LIBRARIES, LOADER = "usr/lib/x86_64-linux-gnu", "ld-linux-x86-64.so.2"
_JAVA_PROGRAMS = ("bin/java", "lib/jspawnhelper")
_INSTALL_BASE_PROGRAMS = ("build-runfiles", "daemonize", "linux-sandbox", "process-wrapper")
_CLASS_PATH = "bazel_classpath_debian_depends.txt"
# Modules that Debian includes with Bazel: name and folder in the install base.
_MODULES = {
    "bazel_features": "tools/features",
    "bazel_skylib": "tools/skylib",
    "platforms": "tools/platforms",
    "rules_cc": "rules/cc",
    "rules_java": "rules/java",
    "rules_license": "rules/license",
    "rules_proto": "rules/proto",
    "rules_python": "rules/python",
}


def prepare(entry: Path) -> None:
    """Make `entry`, a folder with a working `bazel`, unless it exists."""
    if os.uname().machine != "x86_64":
        raise BootstrapError(
            f"Debian's Bazel 7 can only be prepared on x86_64, and this machine is {os.uname().machine};"
            " set BAZEL to a Bazel program"
        )
    problems = []
    for suite in SUITES:
        try:
            return _prepare_from(suite, entry)
        except BootstrapError as error:
            problems.append(f"{suite}: {error}")
    raise BootstrapError("\n".join(problems))


def _prepare_from(suite: str, entry: Path) -> None:
    publish(entry, lambda folder: _fill(folder, entry, suite), _check_server_starts)


def _fill(folder: Path, home: Path, suite: str) -> None:
    root = folder / "root"
    _download(root, suite)
    make_links_relative(root)
    java_home = _java_home(root)
    install_base = folder / "install_base"
    shutil.copytree(root / "usr/share/bazel", install_base)
    _patch_programs(folder, home, java_home)
    _write_class_path(folder, home)
    _write_trust_store(java_home)
    _write_launcher(folder, home, home / java_home.relative_to(folder))


def _download(root: Path, suite: str) -> None:
    with tempfile.TemporaryDirectory(prefix="private-apt-", dir=root.parent) as scratch:
        apt = PrivateApt(Path(scratch), debian_mirror(), suite, "amd64", PROVIDED)
        apt.update()
        runtime = next(filter(apt.has, _RUNTIMES), None)
        if runtime is None:
            raise BootstrapError(
                f"no Java runtime is available (tried: {', '.join(_RUNTIMES)}); set BAZEL to a Bazel program"
            )
        apt.unpack([*_PACKAGES, runtime], root)


def _java_home(root: Path) -> Path:
    return next(path for path in sorted((root / "usr/lib/jvm").glob("java-*-openjdk-amd64")) if not path.is_symlink())


def _patch_programs(folder: Path, home: Path, java_home: Path) -> None:
    relocation = Relocation(folder / "root", home / "root", LIBRARIES, LOADER)
    install_base = folder / "install_base"
    client = Path(shutil.copy(folder / "root/usr/bin/bazel", folder / "bazel-client"))
    zipper = install_base / "embedded_tools/tools/zip/zipper/zipper"
    for program in (client, zipper, *(install_base / name for name in _INSTALL_BASE_PROGRAMS)):
        if is_program(program):
            relocation.patch(program)
    java_libraries = [str((java_home / name).relative_to(folder / "root")) for name in ("lib", "lib/server")]
    for name in _JAVA_PROGRAMS:
        relocation.patch(java_home / name, java_libraries)


def _write_class_path(folder: Path, home: Path) -> None:
    root = (folder / "root").resolve()
    listing = folder / "install_base" / _CLASS_PATH
    jars = closed_class_path(root, listing.read_text().split())
    listing.write_text("".join(f"{home / 'root' / jar.relative_to(root)}\n" for jar in jars))


def _write_trust_store(java_home: Path) -> None:
    """Write a trust store with the system's certificates, or an empty one."""
    bundle = Path(os.environ.get("SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt"))
    store = java_home / "lib/security/cacerts"
    store.unlink(missing_ok=True)
    store.write_bytes(trust_store(bundle.read_text(encoding="latin-1") if bundle.is_file() else ""))


def _write_launcher(folder: Path, home: Path, java_home: Path) -> None:
    install_base = home / "install_base"
    startup = {"install_base": install_base, "server_javabase": java_home}
    lines = [f"startup --{name}={value}" for name, value in startup.items()] + ["startup --trust_install_base"]
    lines += [f"common --override_module={name}={install_base / place}" for name, place in _MODULES.items()]
    (folder / "bazelrc").write_text("\n".join(lines) + "\n")
    launcher = folder / "bazel"
    # The system's rc file is for another version of Bazel.
    launcher.write_text(f'#!/bin/sh\nexec "{home}/bazel-client" --nosystem_rc "--bazelrc={home}/bazelrc" "$@"\n')
    launcher.chmod(0o755)


def _check_server_starts(entry: Path) -> None:
    """Check once that the server starts.

    Paths inside the entry are valid only at its final location, so this is the last step.
    """
    if (entry / READY).exists():
        return
    with tempfile.TemporaryDirectory(prefix="bazel-check-") as scratch:
        (Path(scratch) / "MODULE.bazel").touch()
        command = [str(entry / "bazel"), f"--output_user_root={scratch}/output", "--batch", "info", "release"]
        result = subprocess.run(command, cwd=scratch, capture_output=True, text=True)
        # Bazel makes the unpacked files read-only.
        subprocess.run(["chmod", "-R", "u+w", scratch], check=False)
    if result.returncode:
        raise BootstrapError(f"the prepared Bazel does not start:\n{result.stderr.strip()}")
    version = run([str(entry / "bazel"), "--version"]).removeprefix("bazel ")
    (entry / READY).write_text(version)


def main() -> int:
    try:
        prepare(Path(sys.argv[1]).absolute())
    except BootstrapError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

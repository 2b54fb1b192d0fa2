"""Run programs, and report what the machine lacks."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO


class BootstrapError(Exception):
    """The machine lacks a program, or rejects an operation.

    The message states the problem and a remedy.
    """

    EXIT_CODE = 1


def run(command: Sequence[str], stdin: IO[bytes] | None = None, env: Mapping[str, str] | None = None) -> str:
    """Run `command` and return its output.

    Raises BootstrapError if it is missing or fails.
    """
    try:
        result = subprocess.run(command, stdin=stdin, env=env, capture_output=True, text=True)
    except FileNotFoundError:
        raise BootstrapError(f"{command[0]} is not installed on this machine") from None
    if result.returncode:
        raise BootstrapError(f"`{' '.join(command)}` failed:\n{(result.stderr or result.stdout).strip()}")
    return result.stdout


def compile_byte_code(folder: Path) -> None:
    """Compile the sources of `folder` to unchecked-hash byte code.

    Without byte code, each sandboxed import would compile torch again. Byte code with unchecked hashes is
    never stale.
    """
    command = [sys.executable, "-m", "compileall", "-qq", "-j", "0", "--invalidation-mode", "unchecked-hash"]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    # The exit code is not checked: some files, such as templates, are not valid Python and are
    # never imported.
    subprocess.run([*command, "-s", str(folder), "-p", f"/{folder.name}", str(folder)], env=environment, check=False)

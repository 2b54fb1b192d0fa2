"""Run system programs and convert their failures to messages."""

import subprocess
from collections.abc import Sequence
from typing import IO

from errors import BootstrapError


def run(command: Sequence[str], stdin: IO[bytes] | None = None) -> str:
    """Run `command` and return its output.

    Raises BootstrapError if it is missing or fails.
    """
    try:
        result = subprocess.run(command, stdin=stdin, capture_output=True, text=True)
    except FileNotFoundError:
        raise BootstrapError(f"{command[0]} is not on this machine") from None
    if result.returncode:
        raise BootstrapError(f"`{' '.join(command)}` failed:\n{(result.stderr or result.stdout).strip()}")
    return result.stdout

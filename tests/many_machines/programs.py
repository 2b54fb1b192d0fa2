"""Finds the test servers that prepare_servers.py has unpacked."""

from __future__ import annotations

import os
import pwd
from pathlib import Path


def server_program(path: str) -> str:
    """Return a program by its path in the unpacked folder.

    The home folder is the user's, even if a test sets another one.
    """
    cache = os.environ.get("XDG_CACHE_HOME") or f"{pwd.getpwuid(os.getuid()).pw_dir}/.cache"
    found = Path(cache) / "rules_executorch/servers.r1" / path
    assert found.exists(), f"{found} is missing; run tests/many_machines/prepare_servers.py"
    return str(found)

"""Where the servers of the tests lie that prepare_servers.py has unpacked."""

from __future__ import annotations

import os
import pwd
from pathlib import Path


def program(path: str) -> str:
    """Of a path from the root of what was unpacked; the home folder is the user's, also in a test that has another."""
    cache = os.environ.get("XDG_CACHE_HOME") or f"{pwd.getpwuid(os.getuid()).pw_dir}/.cache"
    found = Path(cache) / "rules_executorch/servers.r1" / path
    assert found.exists(), f"{found} is missing: tests/many_machines/prepare_servers.py makes it"
    return str(found)

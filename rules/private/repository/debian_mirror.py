"""Find the Debian mirror that this machine uses.

Usage: `python3 debian_mirror.py` prints its base address.
"""

import re
import sys
from pathlib import Path

from commands import BootstrapError, run


def debian_mirror() -> str:
    """Return the base address of the mirror that serves the machine's own release."""
    # Works without root and before the first update; `apt-get indextargets` does not.
    listing = run(["apt-get", "update", "--print-uris"])
    match = re.search(rf"'(\S+)/dists/{re.escape(debian_codename())}/", listing)
    if not match:
        raise BootstrapError(
            "the apt sources have no mirror of this machine's release; see `apt-get update --print-uris`"
        )
    return match[1]


def debian_codename() -> str:
    """Return the machine's release, such as bookworm."""
    fields = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    return fields.get("VERSION_CODENAME", "unknown").strip('"')


def main() -> int:
    try:
        print(debian_mirror())
    except BootstrapError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

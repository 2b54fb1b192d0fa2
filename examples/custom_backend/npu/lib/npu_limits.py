"""A library in a separate import folder."""

import json
from pathlib import Path


def most_elements(limits: Path) -> int:
    return int(json.loads(limits.read_text())["elements"])

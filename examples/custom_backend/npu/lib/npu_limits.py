"""A library that is imported from a folder of its own."""

import json
from pathlib import Path


def most_elements(limits: Path) -> int:
    return int(json.loads(limits.read_text())["elements"])

"""Write the names of classes as a C table.

    python -m models.classify.labels NAMES.json LABELS.c

The JSON file maps each class index to its names, the most common one first: {"0": "tench, Tinca tinca", …}.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def table(names: dict[str, str]) -> str:
    """Return C code that defines `classify_labels`, indexed by class."""
    rows = "".join(f"    {json.dumps(names[str(number)].split(', ')[0])},\n" for number in range(len(names)))
    head = '/* Generated. */\n#include "models/classify/labels.h"\n\n'
    return f"{head}const char *const classify_labels[CLASSIFY_CLASSES] = {{\n{rows}}};\n"


if __name__ == "__main__":
    names_path, labels_path = map(Path, sys.argv[1:])
    labels_path.write_text(table(json.loads(names_path.read_text(encoding="utf-8"))), encoding="utf-8")

"""Files that a model, a pass or a backend reads while it is compiled."""

import os
import sys
from pathlib import Path

from exir.error import ModelError


def data_path(name: str) -> Path:
    """Return the path of a file that a target lists in its `data` or `tools`.

    `name` is its path from the root of its repository, such as "app/vocabulary.txt"; the build can
    generate the file. Raises `ModelError`.
    """
    candidates = (Path(os.path.abspath(root)) / name for root in sys.path)
    found = next((path for path in candidates if path.exists()), None)
    if found is None:
        raise ModelError(
            f"file '{name}' is not an input; add its label to 'data' of the model, its library or its "
            "backend"
        )
    return found

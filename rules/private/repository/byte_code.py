"""Compile the Python sources of a folder."""

import os
import subprocess
import sys
from pathlib import Path


def compile_byte_code(folder: Path) -> None:
    """Without byte code each sandboxed import would compile torch anew; without hashes checked it is never stale."""
    command = [sys.executable, "-m", "compileall", "-qq", "-j", "0", "--invalidation-mode", "unchecked-hash"]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    # Files that are no valid Python (templates) make the exit code non-zero; they are not imported either.
    subprocess.run([*command, "-s", str(folder), "-p", f"/{folder.name}", str(folder)], env=environment, check=False)

"""Compile the Python sources of a folder."""

import os
import subprocess
import sys
from pathlib import Path


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

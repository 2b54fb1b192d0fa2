"""Run `exir.cli.convert` under QEMU.

The compiler forks only if its process has one thread. QEMU has another thread, which does not hold
locks of the emulated program.
"""

import sys
from pathlib import Path

from exir.cli import convert
from exir.cli.worker import isolation
from exir.torch_versions import exit_process

if __name__ == "__main__":
    # Without a list of the process's threads, the compiler counts Python's own.
    isolation._THREADS = Path("/nonexistent")
    exit_process(convert.main(sys.argv[1:]))

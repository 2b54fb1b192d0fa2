"""Run one compilation without a worker, in the same kind of child process."""

import sys
import tempfile
from pathlib import Path

from exir.cli.arguments import expand_params_file
from exir.cli.one_shot import compile_command_line
from exir.cli.worker.attended import attend
from exir.cli.worker.network import block_network
from exir.error import ConfigError


def compile_once(argv: list[str], has_network: bool = False) -> int:
    """Run the compilation that the flags describe, and print its output.

    Returns the exit code.
    """
    with tempfile.TemporaryDirectory(prefix="executorch_home_") as home:
        outcome = attend(
            _expand_params_file(argv),
            lambda: _compile_in_process(argv, None if has_network else Path(home)),
        )
    sys.stderr.write(outcome.output)
    return outcome.exit_code


def _compile_in_process(argv: list[str], home: Path | None) -> int:
    """Run the compilation in the current process.

    home: the folder that replaces the user's home folder. None leaves the network accessible.
    """
    if home is not None:
        block_network(home)
    return compile_command_line(argv)


def _expand_params_file(argv: list[str]) -> list[str]:
    """Return the expanded flags, or `argv` if they cannot be read.

    Parsing reports the error later.
    """
    try:
        return expand_params_file(argv)
    except ConfigError:
        return argv

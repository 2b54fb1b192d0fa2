"""The compiler without a worker: one compilation, in a child as a worker's are."""

import sys
import tempfile
from pathlib import Path

from exir.cli.arguments import expand_params_file
from exir.cli.one_shot import compile_command_line
from exir.cli.worker.attended import attend
from exir.cli.worker.network import block_network
from exir.error import ConfigError


def compile_once(argv: list[str], has_network: bool = False) -> int:
    """Compile what the flags ask for; returns the exit code, prints what the compilation printed."""
    with tempfile.TemporaryDirectory(prefix="executorch_home_") as home:
        outcome = attend(_expanded(argv), lambda: _compile(argv, None if has_network else Path(home)))
    sys.stderr.write(outcome.output)
    return outcome.exit_code


def _compile(argv: list[str], home: Path | None) -> int:
    """home: the folder in place of the user's for a compilation without a network; None for one that has a network."""
    if home is not None:
        block_network(home)
    return compile_command_line(argv)


def _expanded(argv: list[str]) -> list[str]:
    """The flags as far as they can be read; what is wrong with them is said where they are parsed."""
    try:
        return expand_params_file(argv)
    except ConfigError:
        return argv

"""Compile a model without a target of its own.

    bazel run @rules_executorch//exir:convert -- net.py:model -o net.pte
    python -m exir.cli.convert net.py:model -o net.pte --config options.toml

Everything that stands behind is for the compiler (`exir/cli/lower.py`). Paths count from where `bazel run` was called.
"""

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from exir.cli.lower import main as lower

_ROOT = Path(__file__).absolute().parents[2]


@dataclass(frozen=True)
class Conversion:
    """What is compiled (`target`, as it was named, in `file`), and the compiler's flags for it."""

    target: str
    file: Path
    flags: list[str]


def conversion(argv: list[str]) -> Conversion:
    """What a command line asks for. Ends the process with a message when it is at fault."""
    parser = _parser()
    options, rest = parser.parse_known_args(argv)
    name, _, entry_point = options.model.partition(":")
    path = Path(name)
    if path.suffix != ".py" or not path.stem.isidentifier():
        parser.error(f"'{name}' is no Python source that could be imported")
    flags = [
        f"--target={options.model}",
        f"--module={path.stem}",
        f"--module-file={path}",
        f"--import-root={path.parent}",
        f"--entry-point={entry_point or 'model'}",
        f"--out-pte={options.output or path.with_suffix('.pte')}",
        *(f"--kernels={table}" for table in options.kernels),
        *rest,
    ]
    return Conversion(options.model, path, flags)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="convert", description="Compile a model to a .pte program.", allow_abbrev=False
    )
    parser.add_argument(
        "model",
        metavar="FILE.py[:FUNCTION]",
        help="what returns the model; FUNCTION is 'model' unless named",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE.pte",
        help="the program; beside the source unless named",
    )
    parser.add_argument(
        "--kernels",
        type=lambda text: _ROOT / text,
        action="append",
        default=[],
        metavar="PATH",
        help="table of kernels to check the program against, from the folder that `exir` lies in",
    )
    return parser


def main(argv: list[str]) -> int:
    wanted = conversion(argv)
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    if not wanted.file.is_file():
        print(f"error: {wanted.target}: there is no file {wanted.file} in {Path.cwd()}", file=sys.stderr)
        return 1
    return lower(wanted.flags)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Compile a model without a target of its own.

    bazel run @rules_executorch//exir:convert -- net.py:model -o net.pte
    python -m exir.cli.convert net.py:model -o net.pte --config options.toml

Everything that stands behind is for the compiler (`exir/cli/lower.py`). Paths count from where `bazel run` was called.
"""

import argparse
import os
import sys
from pathlib import Path

from exir.cli.lower import main as lower

_ROOT = Path(__file__).absolute().parents[2]


def compiler_flags(argv: list[str]) -> list[str]:
    """The flags of the compiler. Ends the process with a message when the command line is at fault."""
    options, rest = _parser().parse_known_args(argv)
    file, _, entry_point = options.model.partition(":")
    path = Path(file)
    if path.suffix != ".py" or not path.stem.isidentifier():
        _parser().error(f"'{file}' is no Python source that could be imported")
    return [
        f"--target={options.model}",
        f"--module={path.stem}",
        f"--module-file={path}",
        f"--import-root={path.parent}",
        f"--entry-point={entry_point or 'model'}",
        f"--out-pte={options.output or path.with_suffix('.pte')}",
        *(f"--kernels={table}" for table in options.kernels),
        *rest,
    ]


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
    flags = compiler_flags(argv)
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    model = _parser().parse_known_args(argv)[0].model
    if not Path(file := model.partition(":")[0]).is_file():
        print(f"error: {model}: there is no file {file} in {Path.cwd()}", file=sys.stderr)
        return 1
    return lower(flags)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

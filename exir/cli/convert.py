"""Compile a model that has no target.

    bazel run @rules_executorch//exir:convert -- net.py:model -o net.pte
    python -m exir.cli.convert net.py:model -o net.pte --config options.toml

The model can import workspace sources, relative to the workspace root or to its own folder. It can
also import the packages of the library that `--@rules_executorch//exir:packages=//app:net` names.
Flags after the file are passed to the compiler (`exir/cli/lower.py`). Paths are relative to the
folder of the `bazel run` command.
"""

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from exir.cli.lower import main as lower
from exir.torch_versions import exit_process

_ROOT = Path(__file__).absolute().parents[2]

# `bazel run` sets this variable to the root of the workspace.
_WORKSPACE = "BUILD_WORKSPACE_DIRECTORY"


@dataclass(frozen=True)
class Conversion:
    """A model to compile.

    target: the model as the user named it.
    file: its source file.
    flags: the flags for the compiler.
    """

    target: str
    file: Path
    flags: list[str]


def conversion(argv: list[str]) -> Conversion:
    """Parse a command line. Exits the process with a message if it is not valid."""
    parser = _convert_parser()
    options, rest = parser.parse_known_args(argv)
    name, _, entry_point = options.model.partition(":")
    path = Path(name)
    if path.suffix != ".py" or not path.stem.isidentifier():
        parser.error(
            f"'{name}' is not an importable Python source; pass a .py file whose name is an identifier"
        )
    module, roots = _module_and_roots(path)
    flags = [
        f"--target={options.model}",
        f"--module={module}",
        f"--module-file={path}",
        *(f"--import-root={root}" for root in roots),
        f"--entry-point={entry_point or 'model'}",
        f"--out-pte={options.output or path.with_suffix('.pte')}",
        *(f"--kernels={table}" for table in options.kernels),
        *rest,
    ]
    return Conversion(options.model, path, flags)


def _module_and_roots(path: Path) -> tuple[str, list[Path]]:
    """Return the module name of a file, and the folders to import from.

    The name is relative to the workspace root if the file is in the workspace.
    """
    workspace = os.environ.get(_WORKSPACE)
    absolute = path.absolute()
    if not workspace or not absolute.is_relative_to(workspace):
        return path.stem, [path.parent]
    module = ".".join(absolute.relative_to(workspace).with_suffix("").parts)
    return module, list(dict.fromkeys([Path(workspace), absolute.parent]))


def _convert_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="convert",
        description="Compile a PyTorch model to a .pte program, without a Bazel target.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "model",
        metavar="FILE.py[:FUNCTION]",
        help="file and function that return the model (default function: model)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE.pte",
        help="program to write (default: FILE.pte, next to the source)",
    )
    parser.add_argument(
        "--kernels",
        type=lambda text: _ROOT / text,
        action="append",
        default=[],
        metavar="PATH",
        help="table of kernels to check the program against, relative to the parent folder of `exir`; repeatable",
    )
    return parser


def main(argv: list[str]) -> int:
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    request = conversion(argv)
    if not request.file.is_file():
        print(f"error: {request.target}: {request.file} does not exist in {Path.cwd()}", file=sys.stderr)
        return 1
    return lower(request.flags, has_network=True)


if __name__ == "__main__":
    exit_process(main(sys.argv[1:]))

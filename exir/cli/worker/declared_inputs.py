"""The files that a request may read, and no others: what Bazel's sandbox gives, where a worker has none.

A model that reads what its target does not list would compile, and not be compiled again when that file changes.
"""

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

_OUTPUT_FLAG = "--out-"
_OUTPUTS = "bazel-out"
_ANY_CONFIGURATION = "cfg"


def enter_inputs_only(inputs: Iterable[str], folder: Path) -> None:
    """Fill `folder` with `inputs`, paths relative to the working directory, and make it the working directory.

    Python sources are copied, so that a model which resolves the links of its own `__file__` stays in the folder; what else there
    is are links.
    """
    root = Path.cwd()
    for path in sorted(_mapped(each, root) for each in inputs):
        _provide(root / path, folder / path)
    os.chdir(folder)


def with_absolute_outputs(arguments: Sequence[str]) -> list[str]:
    """The flags, with the files to be written named from the root: they do not go where the inputs are."""
    absolute = list(arguments)
    for index, argument in enumerate(arguments):
        flag, equals, value = argument.partition("=")
        if equals and flag.startswith(_OUTPUT_FLAG):
            absolute[index] = f"{flag}={os.path.abspath(value)}"
        elif index and arguments[index - 1].startswith(_OUTPUT_FLAG) and "=" not in arguments[index - 1]:
            absolute[index] = os.path.abspath(argument)
    return absolute


def _mapped(path: str, root: Path) -> str:
    """The name that a sandbox has a file by: with path mapping Bazel 7's requests still name the configuration of outputs, `bazel-out/k8-opt/…`."""
    folder, _, rest = path.partition("/")
    if folder != _OUTPUTS or (root / path).exists():
        return path
    return f"{_OUTPUTS}/{_ANY_CONFIGURATION}/{rest.partition('/')[2]}"


def _provide(source: Path, place: Path) -> None:
    if place.exists():  # in a folder that is an input itself
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    if source.suffix == ".py" and source.is_file():
        shutil.copyfile(source, place)
    else:
        place.symlink_to(source)

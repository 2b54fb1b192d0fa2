"""Restrict a request to its declared input files, as Bazel's sandbox does.

Without the restriction, a model could read a file that its target does not list. It would not be
recompiled when that file changes.
"""

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

_OUTPUT_FLAG = "--out-"
_OUTPUTS = "bazel-out"
_ANY_CONFIGURATION = "cfg"


def enter_inputs_only(inputs: Iterable[str], folder: Path, packages: Sequence[str] = ()) -> None:
    """Make `folder` the working directory, with only `inputs` in it.

    inputs: paths relative to the old working directory.
    packages: folders of installed packages, relative as well. Each becomes one link, because a
        torch package contains some 15,000 files.

    Python sources are copied, so that a model that resolves its own `__file__` stays in the folder.
    Other files are links.
    """
    root = Path.cwd()
    in_packages = tuple(f"{package}/" for package in packages)
    own = (_sandbox_path(input_, root) for input_ in inputs if not input_.startswith(in_packages))
    for path in sorted({*own, *packages}):
        _provide_input(root / path, folder / path)
    os.chdir(folder)


def package_folders() -> list[str]:
    """Return the folders of a build action's packages.

    They are relative to its working directory.
    """
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return [folder for folder in folders if folder and not os.path.isabs(folder)]


def with_absolute_outputs(arguments: Sequence[str]) -> list[str]:
    """Return the flags with absolute output paths.

    Outputs are not written to the folder of inputs.
    """
    absolute = list(arguments)
    for index, argument in enumerate(arguments):
        flag, equals, value = argument.partition("=")
        if equals and flag.startswith(_OUTPUT_FLAG):
            absolute[index] = f"{flag}={os.path.abspath(value)}"
        elif index and arguments[index - 1].startswith(_OUTPUT_FLAG) and "=" not in arguments[index - 1]:
            absolute[index] = os.path.abspath(argument)
    return absolute


def _sandbox_path(path: str, root: Path) -> str:
    """Return the name of a file in a sandbox.

    With path mapping, Bazel 7's requests still name the output configuration, `bazel-out/k8-opt/…`.
    """
    folder, _, rest = path.partition("/")
    if folder != _OUTPUTS or (root / path).exists():
        return path
    return f"{_OUTPUTS}/{_ANY_CONFIGURATION}/{rest.partition('/')[2]}"


def _provide_input(source: Path, place: Path) -> None:
    if place.exists():  # in a folder that is itself an input
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    if source.suffix == ".py" and source.is_file():
        shutil.copyfile(source, place)
    else:
        place.symlink_to(source)

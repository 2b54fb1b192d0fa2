"""Where user modules are imported from: the folders of a `py_binary`, although sources and generated files are in two trees."""

import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

# Generated files have the path of their package below `bazel-out/<configuration>/bin`.
_OUTPUTS = "bazel-out"
_DEPTH_OF_OUTPUTS = 3


class _MergedPackages(MetaPathFinder):
    """Imports a package whose files are in several trees as one package.

    Without it, a package is the tree that has its `__init__.py`.
    """

    def __init__(self, groups: Sequence[Sequence[str]]):
        self._groups = groups

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.submodule_search_locations is None or not spec.has_location:
            return spec
        for place in list(spec.submodule_search_locations):
            for other in self._counterparts(place):
                if other not in spec.submodule_search_locations:
                    spec.submodule_search_locations.append(other)
        return spec

    def _counterparts(self, place: str) -> Iterator[str]:
        """The folders of the same path in the other trees."""
        for group in self._groups:
            above = [root for root in group if place.startswith(root + os.sep)]
            if above:  # the tree of generated files is below that of sources
                below = place[len(max(above, key=len)) :]
                yield from (root + below for root in group if os.path.isdir(root + below))


def use_import_roots(roots: Sequence[Path]) -> None:
    """Let user modules be imported from `roots`, and from the same folders among generated files.

    They come last in `sys.path`, so that no user's file can take the place of a module that
    the compiler, or a warm worker, may have imported already.
    """
    sys.dont_write_bytecode = True
    groups = _groups(roots)
    sys.path += [place for group in groups for place in group if place not in sys.path]
    merged = [group for group in groups if len(group) > 1]
    if merged:
        sys.meta_path.insert(sys.meta_path.index(PathFinder), _MergedPackages(merged))
    importlib.invalidate_caches()


def _groups(roots: Sequence[Path]) -> list[list[str]]:
    """The absolute roots in their order; those of one folder, in sources and among generated files, are a group."""
    trees = list(dict.fromkeys(tree for tree, _ in map(_split, roots)))
    given = {os.path.abspath(root) for root in roots}
    groups: dict[str, list[str]] = {}
    for folder in dict.fromkeys(folder for _, folder in map(_split, roots)):
        places = [os.path.abspath(os.path.join(tree, folder)) for tree in trees]
        groups[folder] = [place for place in places if place in given or os.path.isdir(place)]
    return list(groups.values())


def _split(root: Path) -> tuple[str, str]:
    """The tree, '' for sources, and the folder in it."""
    parts = root.parts
    if _OUTPUTS not in parts:
        return "", os.path.normpath(root)
    end = parts.index(_OUTPUTS) + _DEPTH_OF_OUTPUTS
    return os.path.join(*parts[:end]), os.path.join(*parts[end:], "") or "."


def module_of_file(file: Path, roots: Sequence[Path], name: str) -> str:
    """The name that other modules import a source file by: from the first `imports` folder of a library above it.

    A file below no such folder has `name`, counted from the root of its repository, unless a folder's name has a dot.
    Then it is imported from below the last such folder, which is added to the path.
    """
    path = os.path.abspath(file)
    above = [
        (root, group) for group in _groups(roots) for root in group if path.startswith(root + os.sep)
    ]
    repository = next((root for root, _ in above if ".".join(_parts(path, root)) == name), None)
    for root, group in above:
        found = _name_below(root, path)
        is_below = repository is not None and len(root) > len(repository) and not _is_package(root)
        if is_below and found is not None and _is_found_below(found.partition(".")[0], group):
            return found
    if repository is None:
        return name
    return _name_below(repository, path) or _name_below_dotted_folder(repository, path) or name


def _is_package(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, "__init__.py"))


def _parts(path: str, root: str) -> list[str]:
    return os.path.relpath(path, root).removesuffix(".py").split(os.sep)


def _name_below(root: str, path: str) -> str | None:
    """The dotted name of a file counted from a folder, or None where a folder's name has a dot."""
    parts = _parts(path, root)
    if len(parts) > 1 and parts[-1] == "__init__":
        parts.pop()
    return None if any("." in part for part in parts) else ".".join(parts)


def _name_below_dotted_folder(root: str, path: str) -> str | None:
    folders = os.path.dirname(os.path.relpath(path, root)).split(os.sep)
    last = max((index for index, folder in enumerate(folders) if "." in folder), default=None)
    if last is None:
        return None
    added = os.path.join(root, *folders[: last + 1])
    sys.path.append(added)
    return _name_below(added, path)


def _is_found_below(name: str, roots: Sequence[str]) -> bool:
    """Whether a top-level module comes from one of the roots, and not from the compiler's packages or a library before them."""
    try:
        spec = importlib.util.find_spec(name)
    except ValueError:  # a module without a specification, such as __main__
        return False
    places = [] if spec is None else [*(spec.submodule_search_locations or ()), spec.origin or ""]
    return any(os.path.abspath(place).startswith(root + os.sep) for place in places for root in roots)

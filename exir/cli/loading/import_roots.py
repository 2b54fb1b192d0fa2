"""Configure the folders that user modules are imported from.

The result is the same as in a `py_binary`, although sources and generated files are in two trees.
"""

import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

# Generated files are in their package's folder below `bazel-out/<configuration>/bin`.
_OUTPUTS = "bazel-out"
_DEPTH_OF_OUTPUTS = 3


class _MergedPackages(MetaPathFinder):
    """Imports a package whose files are in several trees as one package.

    Without this finder, the package includes only the tree that contains its `__init__.py`.
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
            for other in self._counterpart_folders(place):
                if other not in spec.submodule_search_locations:
                    spec.submodule_search_locations.append(other)
        return spec

    def _counterpart_folders(self, place: str) -> Iterator[str]:
        """Yield the existing folders with the same relative path in the other trees."""
        for group in self._groups:
            above = [root for root in group if place.startswith(root + os.sep)]
            if above:  # the tree of generated files is below the tree of sources
                below = place[len(max(above, key=len)) :]
                yield from (root + below for root in group if os.path.isdir(root + below))


def use_import_roots(roots: Sequence[Path]) -> None:
    """Let user modules be imported from `roots` and their generated counterparts.

    The folders are appended to `sys.path`. A user's file therefore cannot replace a module that the
    compiler, or a warm worker, has already imported.
    """
    sys.dont_write_bytecode = True
    groups = _group_by_tree(roots)
    sys.path += [place for group in groups for place in group if place not in sys.path]
    merged = [group for group in groups if len(group) > 1]
    if merged:
        sys.meta_path.insert(sys.meta_path.index(PathFinder), _MergedPackages(merged))
    importlib.invalidate_caches()


def _group_by_tree(roots: Sequence[Path]) -> list[list[str]]:
    """Return the absolute roots in order, grouped by folder.

    The folders of a group have the same relative path in the trees of sources and generated files.
    """
    trees = list(dict.fromkeys(tree for tree, _ in map(_split_tree, roots)))
    absolute = {os.path.abspath(root) for root in roots}
    groups: dict[str, list[str]] = {}
    for folder in dict.fromkeys(folder for _, folder in map(_split_tree, roots)):
        places = [os.path.abspath(os.path.join(tree, folder)) for tree in trees]
        groups[folder] = [place for place in places if place in absolute or os.path.isdir(place)]
    return list(groups.values())


def _split_tree(root: Path) -> tuple[str, str]:
    """Return the tree of a root, "" for sources, and its folder within the tree."""
    parts = root.parts
    if _OUTPUTS not in parts:
        return "", os.path.normpath(root)
    end = parts.index(_OUTPUTS) + _DEPTH_OF_OUTPUTS
    return os.path.join(*parts[:end]), os.path.join(*parts[end:], "") or "."


def module_of_file(file: Path, roots: Sequence[Path], name: str) -> str:
    """Return the name that other modules import a source file by.

    The name is relative to the first `imports` folder of a library that contains the file.
    Otherwise, it is `name`, which is relative to the repository's root. If a folder's name contains
    a dot, the name is relative to the last such folder, which is added to the path.
    """
    path = os.path.abspath(file)
    above = [
        (root, group)
        for group in _group_by_tree(roots)
        for root in group
        if path.startswith(root + os.sep)
    ]
    repository = next((root for root, _ in above if ".".join(_relative_parts(path, root)) == name), None)
    for root, group in above:
        found = _module_name_in(root, path)
        is_below = repository is not None and len(root) > len(repository) and not _is_package(root)
        if is_below and found is not None and _is_importable_from(found.partition(".")[0], group):
            return found
    if repository is None:
        return name
    return _module_name_in(repository, path) or _name_in_dotted_folder(repository, path) or name


def _is_package(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, "__init__.py"))


def _relative_parts(path: str, root: str) -> list[str]:
    return os.path.relpath(path, root).removesuffix(".py").split(os.sep)


def _module_name_in(root: str, path: str) -> str | None:
    """Return a file's dotted name relative to `root`, or None if a folder has a dot."""
    parts = _relative_parts(path, root)
    if len(parts) > 1 and parts[-1] == "__init__":
        parts.pop()
    return None if any("." in name for name in parts) else ".".join(parts)


def _name_in_dotted_folder(root: str, path: str) -> str | None:
    folders = os.path.dirname(os.path.relpath(path, root)).split(os.sep)
    last = max((index for index, folder in enumerate(folders) if "." in folder), default=None)
    if last is None:
        return None
    added = os.path.join(root, *folders[: last + 1])
    sys.path.append(added)
    return _module_name_in(added, path)


def _is_importable_from(name: str, roots: Sequence[str]) -> bool:
    """Return whether a top-level module is imported from one of the roots.

    Packages of the compiler, and libraries that come earlier on the path, have priority.
    """
    try:
        spec = importlib.util.find_spec(name)
    except ValueError:  # a module without a spec, such as __main__
        return False
    places = [] if spec is None else [*(spec.submodule_search_locations or ()), spec.origin or ""]
    return any(os.path.abspath(place).startswith(root + os.sep) for place in places for root in roots)

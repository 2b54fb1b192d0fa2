"""Import modules from an archive next to a folder's other files.

    _executorch_modules.pack      sources and byte code of the modules below the folder
    _executorch_modules.py        this file
    torch/__init__.pyc            a stub that calls `load` for a top-level package (pack_modules.py)
    torch/lib/libtorch_cpu.so     a file that is not a module

An imported module has the same attributes as without the archive. Its `__file__` names a path in
the folder at which no file exists; `inspect` and `linecache` read the source through the loader.

The archive starts with a line with the length of its index. The index has a line for each module:
offset of the source, its size, size of the byte code after it, and the source's path. Offsets count
from the end of the index.

The interpreter imports this module at its start. Like `zipimport`, it therefore imports only modules
that are loaded anyway.
"""

import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import (
    BYTECODE_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
    SourcelessFileLoader,
    cache_from_source,
    spec_from_file_location,
)
from _imp import extension_suffixes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

_ARCHIVE = "_executorch_modules.pack"
_archives: "dict[str, _Archive]" = {}  # by root


class _Archive:
    """The modules below the folder `root`."""

    def __init__(self, root: str) -> None:
        self._path = os.path.join(root, _ARCHIVE)
        with open(self._path, "rb") as file:
            length = file.readline()
            lines = file.read(int(length)).decode().splitlines()
        self._start = len(length) + int(length)
        self._places = {f"{root}{os.sep}{path}": places for *places, path in (line.split(" ", 3) for line in lines)}

    def __contains__(self, path: str) -> bool:
        return path in self._places

    def source(self, path: str) -> bytes:
        offset, size, _ = map(int, self._places[path])
        return self._read(offset, size)

    def byte_code(self, path: str) -> bytes:
        """Return the byte code of the module with the source `path`."""
        offset, source_size, size = map(int, self._places[path])
        return self._read(offset + source_size, size)

    def _read(self, offset: int, size: int) -> bytes:
        # The file is not kept open or mapped: a process that forks may close its files.
        with open(self._path, "rb", buffering=0) as file:
            file.seek(self._start + offset)
            return file.read(size)

    def has_folder(self, folder: str) -> bool:
        """Return true if modules are below `folder`."""
        start = folder + os.sep
        return any(path.startswith(start) for path in self._places)

    def modules(self, folder: str) -> "Iterator[tuple[str, bool]]":
        """Yield the name of each module in `folder`, with true for packages."""
        for path in self._places:
            parent, name = os.path.split(path)
            is_package = name == "__init__.py"
            if is_package:
                parent, name = os.path.split(parent)
            if parent == folder:
                yield name.removesuffix(".py"), is_package


class _Loader(SourceFileLoader):
    """Loads a module of an archive."""

    def __init__(self, fullname: str, path: str, archive: _Archive) -> None:
        super().__init__(fullname, path)
        self._archive = archive

    def get_data(self, path: str) -> bytes:
        if path == self.path:
            return self._archive.source(path)
        if path == cache_from_source(self.path):
            return self._archive.byte_code(self.path)
        return super().get_data(path)

    def path_stats(self, path: str) -> dict[str, int]:
        return {"mtime": 0}  # without effect: the byte code is never compared with the source


class _Finder:
    """Finds the modules of one folder: in the archive, then among the folder's files."""

    def __init__(self, folder: str, archive: _Archive) -> None:
        self._folder = folder
        self._archive = archive
        self._files = FileFinder(
            folder,
            (ExtensionFileLoader, extension_suffixes()),
            (SourceFileLoader, SOURCE_SUFFIXES),
            (SourcelessFileLoader, BYTECODE_SUFFIXES),
        )

    def find_spec(self, fullname: str, target: "ModuleType | None" = None) -> ModuleSpec | None:
        base = os.path.join(self._folder, fullname.rpartition(".")[2])
        for path, folders in ((os.path.join(base, "__init__.py"), [base]), (base + ".py", None)):
            if path in self._archive:
                loader = _Loader(fullname, path, self._archive)
                return spec_from_file_location(fullname, path, loader=loader, submodule_search_locations=folders)
        spec = self._files.find_spec(fullname, target)
        if spec is None and self._archive.has_folder(base):
            spec = ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [base]
        return spec

    def iter_modules(self, prefix: str = "") -> "Iterator[tuple[str, bool]]":
        """Yield name and kind of each module, for `pkgutil`."""
        import pkgutil  # only pkgutil calls this function

        modules = dict(pkgutil.iter_importer_modules(self._files))  # type: ignore[attr-defined]
        modules.update(self._archive.modules(self._folder))
        for name, is_package in sorted(modules.items()):
            yield prefix + name, is_package

    def invalidate_caches(self) -> None:
        self._files.invalidate_caches()


def _find_folder(path: str) -> _Finder:
    """Return the finder of a folder below an archive's root.

    This function is a hook of `sys.path_hooks`.
    """
    for root, archive in _archives.items():
        if path == root or path.startswith(root + os.sep):
            return _Finder(path, archive)
    raise ImportError("not below a folder with an archive", path=path)


def install(root: str) -> None:
    """Import the modules below `root` from its archive from now on."""
    if root in _archives:
        return
    _archives[root] = _Archive(root)
    if _find_folder not in sys.path_hooks:
        sys.path_hooks.insert(0, _find_folder)
    for path in list(sys.path_importer_cache):
        if path == root or path.startswith(root + os.sep):
            del sys.path_importer_cache[path]


def load(name: str) -> None:
    """Replace the stub of a top-level module with the module.

    The stub calls this function.
    """
    module = sys.modules[name]
    path = str(module.__file__).removesuffix("c")  # the stub is byte code
    folder, file = os.path.split(path)
    root = os.path.dirname(folder) if file == "__init__.py" else folder
    install(root)
    loader = _Loader(name, path, _archives[root])
    spec = module.__spec__
    assert spec is not None, "an imported module has a specification"
    spec.loader, spec.origin, spec.cached = loader, path, cache_from_source(path)
    vars(module).update(__loader__=loader, __file__=path, __cached__=spec.cached)
    loader.exec_module(module)

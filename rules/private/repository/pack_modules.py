"""Pack the Python modules of a folder into one archive (packed_modules.py).

An environment has some 10,000 sources and byte code files. As inputs of each action, they would
take longer to check and to link than a small model takes to compile. Bazel does not track the
contents of a single directory. One archive and the remaining 400 files have neither problem.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import cache_from_source
from pathlib import Path

from commands import compile_byte_code

IMPORTER = "_executorch_modules"  # module name of packed_modules.py in a packed folder
IMPORTER_SOURCE = Path(__file__).with_name("packed_modules.py")
_STUB = f"from {IMPORTER} import load\nload(__name__)\n"
# Folders that torch lists to find modules. Their sources are in the archive and also files.
_LISTED = ("torch/_dynamo/backends", "torch/_export/db/examples", "torch/_higher_order_ops", "torch/_inductor/kernel")
# Files that no program reads.
_UNUSED = ("*.pyi", "py.typed", "*.dist-info/licenses/**/*")


def packing_recipe() -> str:
    """Return a digest that changes if the same packages could yield different files."""
    sources = Path(__file__), IMPORTER_SOURCE
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def pack_packages(site: Path, packed: Path) -> None:
    """Fill `packed` with the packages of `site`.

    It gets an archive, stubs, and links to other files. Modules of top-level namespace packages, which cannot have a stub, stay files.
    """
    tops = {path for path in site.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    sources = {path for path in site.rglob("*.py") if site / path.relative_to(site).parts[0] in tops}
    modules = pack_modules(site, packed, sources)
    stubs = [
        path.relative_to(site)
        for path in modules
        if path in tops or (path.name == "__init__.py" and path.parent in tops)
    ]
    _add_compiled(packed, dict.fromkeys(stubs, _STUB))
    for path in stubs:
        # Without a source next to it, `inspect` reads the source of the archive.
        _byte_code(packed / path).rename((packed / path).with_suffix(".pyc"))
        (packed / path).unlink()


def pack_modules(folder: Path, packed: Path, sources: Iterable[Path]) -> list[Path]:
    """Fill `packed` with an archive of modules of `folder`.

    It also gets the importer, and links to other files. Returns the packed modules: those of `sources` that have byte code.
    """
    modules = sorted(path for path in sources if _is_packable(path))
    omitted = {_byte_code(path) for path in modules}
    omitted.update(path for path in modules if not _is_listed(path.relative_to(folder)))
    omitted.update(path for pattern in _UNUSED for path in folder.rglob(pattern))
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path not in omitted:
            _link(path, packed / path.relative_to(folder))
    packed.mkdir(parents=True, exist_ok=True)
    _write_archive(packed / f"{IMPORTER}.pack", folder, modules)
    _add_compiled(packed, {Path(f"{IMPORTER}.py"): IMPORTER_SOURCE.read_text(encoding="utf-8")})
    return modules


def _add_compiled(folder: Path, sources: dict[Path, str]) -> None:
    """Add sources, by path in `folder`, and their byte code."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        root = Path(temporary, folder.name)  # byte code contains the name
        for path, text in sources.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        compile_byte_code(root)
        shutil.copytree(root, folder, dirs_exist_ok=True)


def _is_packable(path: Path) -> bool:
    """Return true for a module with byte code that no extension module replaces."""
    is_replaced = any(path.with_suffix(suffix).exists() for suffix in EXTENSION_SUFFIXES)
    return _byte_code(path).exists() and not is_replaced


def _byte_code(path: Path) -> Path:
    return Path(cache_from_source(str(path)))


def _is_listed(relative: Path) -> bool:
    return any(relative.is_relative_to(folder) for folder in _LISTED)


def _link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:  # a disk without hard links
        shutil.copy2(source, target)


def _write_archive(archive: Path, folder: Path, modules: list[Path]) -> None:
    lines = []
    offset = 0
    for path in modules:
        sizes = path.stat().st_size, _byte_code(path).stat().st_size
        lines.append(f"{offset} {sizes[0]} {sizes[1]} {path.relative_to(folder).as_posix()}\n")
        offset += sum(sizes)
    index = "".join(lines).encode()
    with open(archive, "wb") as file:
        file.write(b"%d\n" % len(index) + index)
        for path in modules:
            file.write(path.read_bytes() + _byte_code(path).read_bytes())

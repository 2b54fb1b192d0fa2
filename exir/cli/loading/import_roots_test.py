"""Tests that models are imported as in a `py_binary`, even with generated files."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from exir.cli.loading.import_roots import module_of_file, use_import_roots
from exir.cli.loading.load_model import import_user_module

_BIN = "bazel-out/k8-fastbuild/bin"


@pytest.fixture(autouse=True)
def _imports_as_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.chdir(tmp_path)
    before = dict(sys.modules)
    yield
    for name in sys.modules.keys() - before.keys():
        del sys.modules[name]


def _load_value(files: dict[str, str], roots: list[str], file: str, name: str) -> object:
    """Return the `VALUE` of the module in `file`."""
    for path, text in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    root_paths = tuple(map(Path, roots))
    use_import_roots(root_paths)
    module = import_user_module(module_of_file(Path(file), root_paths, name), root_paths)
    assert module.__file__ is not None and os.path.samefile(module.__file__, file)
    return module.VALUE


_ONE = "VALUE = 1\n"

# The files; the roots, first of repositories, then of `imports`; the model's file; its name
# relative to the repository's root.
_CASES: dict[str, tuple[dict[str, str], list[str], str, str]] = {
    "source beside a generated package": (
        {f"{_BIN}/app/__init__.py": "", "app/net.py": _ONE},
        [".", _BIN],
        "app/net.py",
        "app.net",
    ),
    "generated beside a package": (
        {"app/__init__.py": "", f"{_BIN}/app/net.py": _ONE},
        [".", _BIN],
        f"{_BIN}/app/net.py",
        "app.net",
    ),
    "generated module of a package of sources": (
        {
            "app/__init__.py": "",
            "app/net.py": "from app.made import VALUE\n",
            f"{_BIN}/app/made.py": _ONE,
        },
        [".", _BIN],
        "app/net.py",
        "app.net",
    ),
    "generated module by a relative import": (
        {"app/__init__.py": "", "app/net.py": "from .made import VALUE\n", f"{_BIN}/app/made.py": _ONE},
        [_BIN, "."],
        "app/net.py",
        "app.net",
    ),
    "generated subpackage": (
        {
            "app/__init__.py": "",
            "app/net.py": "from app.sub.made import VALUE\n",
            f"{_BIN}/app/sub/__init__.py": "",
            f"{_BIN}/app/sub/made.py": _ONE,
        },
        [".", _BIN],
        "app/net.py",
        "app.net",
    ),
    "generated below imports": (
        {"app/src/net.py": "from made import VALUE\n", f"{_BIN}/app/src/made.py": _ONE},
        [".", _BIN, "app/src"],
        "app/src/net.py",
        "app.src.net",
    ),
    "generated model below imports": (
        {"app/src/pkg/__init__.py": "", f"{_BIN}/app/src/pkg/net.py": _ONE},
        [".", _BIN, "app/src"],
        f"{_BIN}/app/src/pkg/net.py",
        "app.src.pkg.net",
    ),
    "all generated below imports": (
        {f"{_BIN}/app/src/net.py": "from made import VALUE\n", f"{_BIN}/app/src/made.py": _ONE},
        [_BIN, "app/src"],
        f"{_BIN}/app/src/net.py",
        "app.src.net",
    ),
    "generated in another repository": (
        {
            "external/x/lib/__init__.py": "",
            "external/x/lib/net.py": "from lib.made import VALUE\n",
            f"{_BIN}/external/x/lib/made.py": _ONE,
        },
        ["external/x", f"{_BIN}/external/x", "."],
        "external/x/lib/net.py",
        "lib.net",
    ),
    "relative import below imports": (
        {
            "app/src/pkg/__init__.py": "",
            "app/src/pkg/net.py": "from . import count\nimport pkg.count\nVALUE = count.VALUE\nassert count is pkg.count\n",
            "app/src/pkg/count.py": _ONE,
        },
        [".", "app/src"],
        "app/src/pkg/net.py",
        "app.src.pkg.net",
    ),
    "imports itself below imports": (
        {
            "app/src/net.py": "import helper\nVALUE = helper.value()\n",
            "app/src/helper.py": "import net\n\ndef value():\n    return len({m for m in __import__('sys').modules.values() if getattr(m, '__file__', '') == net.__file__})\n",
        },
        [".", "app/src"],
        "app/src/net.py",
        "app.src.net",
    ),
    "named as a module of Python below imports": (
        {"app/src/types.py": _ONE},
        [".", "app/src"],
        "app/src/types.py",
        "app.src.types",
    ),
    "folder with a dot": (
        {
            "third_party/net-1.2/net.py": "from layers.one import VALUE\n",
            "third_party/net-1.2/layers/one.py": _ONE,
        },
        ["."],
        "third_party/net-1.2/net.py",
        "third_party.net-1.2.net",
    ),
    "package below a folder with a dot": (
        {
            "v1.0/pkg/__init__.py": "",
            "v1.0/pkg/net.py": "from pkg.made import VALUE\n",
            f"{_BIN}/v1.0/pkg/made.py": _ONE,
        },
        [".", _BIN],
        "v1.0/pkg/net.py",
        "v1.0.pkg.net",
    ),
    "folder with a dot and imports": (
        {"v1.0/src/net.py": "import made\nVALUE = made.VALUE\n", "v1.0/src/made.py": _ONE},
        [".", "v1.0/src"],
        "v1.0/src/net.py",
        "v1.0.src.net",
    ),
    "package as the model": (
        {"app/__init__.py": "VALUE = __name__ == 'app'\n"},
        ["."],
        "app/__init__.py",
        "app.__init__",
    ),
    "namespace package": (
        {"app/net.py": "from app.made import VALUE\n", f"{_BIN}/app/made.py": _ONE},
        [".", _BIN],
        "app/net.py",
        "app.net",
    ),
}


@pytest.mark.parametrize("name", _CASES)
def test_model_is_imported_from_its_import_roots(name: str) -> None:
    assert _load_value(*_CASES[name]) == 1

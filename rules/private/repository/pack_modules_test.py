"""Tests that modules in an archive are imported and inspected like files."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).absolute().parent))

from commands import compile_byte_code
from pack_modules import pack_packages

_FILES = {
    "first/__init__.py": "from . import inner\n\n\ndef double(x):\n    return 2 * x\n",
    "first/inner.py": "VALUE = 3\n",
    "first/data.txt": "text\n",
    "first/py.typed": "",
    "first-1.dist-info/licenses/LICENSE": "MIT\n",
    "first/plain/module.py": "NAME = __name__\n",
    "first/broken.py": "a template {{\n",
    "single.py": "import first.inner\n",
    "spread/part.py": "VALUE = 4\n",
}
_PROGRAM = """
import importlib.resources, inspect, json, pkgutil
import single, spread.part, first.plain.module as plain
first = single.first
facts = dict(
    file=first.__file__, path=list(first.__path__), origin=first.__spec__.origin, cached=first.__cached__,
    code=first.double.__code__.co_filename, source=inspect.getsource(first.double), single=single.__file__,
    inner=first.inner.__file__, plain=[plain.NAME, plain.__file__], part=[spread.part.VALUE, spread.part.__file__],
    modules=[module.name for module in pkgutil.walk_packages(first.__path__, "first.")],
    data=importlib.resources.files("first").joinpath("data.txt").read_text(),
)
try:
    1 + first.missing
except AttributeError as error:
    facts["error"] = str(error)
print(json.dumps(facts).replace(ROOT, "ROOT"))
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of packages with byte code."""
    site = tmp_path / "unpacked/site"
    for name, text in _FILES.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    compile_byte_code(site)
    return site


def _facts(site: Path) -> dict[str, object]:
    program = _PROGRAM.replace("replace(ROOT", f"replace({str(site)!r}")
    result = subprocess.run(
        [sys.executable, "-B", "-c", program], env={"PYTHONPATH": str(site)}, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_packed_modules_have_the_attributes_of_files(site: Path, tmp_path: Path) -> None:
    pack_packages(site, tmp_path / "packed/site")
    assert _facts(tmp_path / "packed/site") == _facts(site)


def test_repeated_packing_yields_the_same_bytes(site: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        pack_packages(site, tmp_path / name / "site")
    assert _contents(tmp_path / "one/site") == _contents(tmp_path / "two/site")


def test_packed_folder_has_no_file_for_each_module(site: Path, tmp_path: Path) -> None:
    pack_packages(site, tmp_path / "packed/site")
    names = set(_contents(tmp_path / "packed/site"))
    importer = {name for name in names if "_executorch_modules" in name}
    spread = {name for name in names if name.startswith("spread/")}
    assert names - importer - spread == {"first/__init__.pyc", "first/broken.py", "first/data.txt", "single.pyc"}
    assert len(importer) == 3 and len(spread) == 2


def test_folders_that_torch_lists_have_sources(site: Path, tmp_path: Path) -> None:
    (site / "torch/_dynamo/backends").mkdir(parents=True)
    (site / "torch/__init__.py").touch()
    (site / "torch/_dynamo/backends/listed.py").touch()
    compile_byte_code(site)
    pack_packages(site, tmp_path / "packed/site")
    assert {name for name in _contents(tmp_path / "packed/site") if name.startswith("torch/")} == {
        "torch/__init__.pyc",
        "torch/_dynamo/backends/listed.py",
    }


def test_extension_modules_are_found(site: Path, tmp_path: Path) -> None:
    import importlib.machinery

    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    (site / f"first/native{suffix}").touch()
    pack_packages(site, tmp_path / "packed/site")
    code = "import importlib.util as u; print(u.find_spec('first.native').origin)"
    output = subprocess.run(
        [sys.executable, "-B", "-c", code], env={"PYTHONPATH": str(tmp_path / "packed/site")}, capture_output=True
    )
    assert output.stdout.decode().strip() == str(tmp_path / f"packed/site/first/native{suffix}")

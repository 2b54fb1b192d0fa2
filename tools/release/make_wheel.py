"""Write a wheel of the compiler and the runtime, for use without Bazel.

Usage: `./bazelw run //tools:wheel -- [FOLDER]` writes rules_executorch-0.1.0-py3-none-linux_x86_64.whl.
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import re
import runpy
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

_NAME = "rules_executorch"
# Folders of the packages. In the wheel, all packages are at the root.
_PACKAGES = ("backends", "bindings/python/executorch_runtime", "exir", "schema", "tools/report/executorch_report")
_KINDS = {".css", ".js", ".py", ".so", ".toml", ".typed"}
_COMMANDS = {
    "executorch_benchmark": "executorch_runtime.cli.benchmark:main",
    "executorch_diff": "executorch_report.diff:main",
    "executorch_inspect": "executorch_report.inspect_program:main",
    "executorch_run": "executorch_runtime.cli.run:main",
}
_NEEDS = ("flatbuffers", "numpy", 'tomli; python_version < "3.11"')
# Optional features: `pip install rules-executorch[torchao]` for quantization.
_EXTRAS = {"torchao": ("torchao==0.18.*",)}
_DATE = (1980, 1, 1, 0, 0, 0)  # fixed, so that equal sources produce an equal wheel


def contents(root: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the contents of every file of the packages."""
    for package in _PACKAGES:
        folder = root / package
        for path in sorted(folder.rglob("*")):
            if path.suffix in _KINDS and path.is_file():
                yield path.relative_to(folder.parent).as_posix(), path.read_bytes()


def version_of(module: str) -> str:
    """Return the version in the text of MODULE.bazel."""
    found = re.search(r'^ +version = "([^"]+)"', module, re.MULTILINE)
    assert found is not None, "MODULE.bazel has a version"
    return found[1]


def torch_requirement(root: Path) -> str:
    """Return the range of torch that the compiler supports."""
    requirement: str = runpy.run_path(str(root / "exir/torch_versions.py"))["TORCH_REQUIREMENT"]
    return requirement


def write_wheel(root: Path, folder: Path) -> Path:
    """Write the wheel of the sources below `root`. Return its path."""
    version = version_of((root / "MODULE.bazel").read_text(encoding="utf-8"))
    tag = f"py3-none-linux_{platform.machine()}"
    described = f"{_NAME}-{version}.dist-info"
    torch = torch_requirement(root)
    files = [*contents(root), *_description(described, version, tag, torch)]
    record = "".join(_record(name, content) for name, content in files) + f"{described}/RECORD,,\n"
    path = folder / f"{_NAME}-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in [*files, (f"{described}/RECORD", record.encode())]:
            information = zipfile.ZipInfo(name, _DATE)
            information.external_attr = 0o644 << 16
            wheel.writestr(information, content, zipfile.ZIP_DEFLATED)
    return path


def _description(folder: str, version: str, tag: str, torch: str) -> Iterator[tuple[str, bytes]]:
    needs = "".join(f"Requires-Dist: {need}\n" for need in (*_NEEDS, torch))
    for extra, packages in _EXTRAS.items():
        needs += f"Provides-Extra: {extra}\n"
        needs += "".join(f'Requires-Dist: {package}; extra == "{extra}"\n' for package in packages)
    summary = "PyTorch modules to ExecuTorch programs, and the runtime that runs, traces and explains them"
    head = f"Metadata-Version: 2.1\nName: {_NAME}\nVersion: {version}\nSummary: {summary}\n"
    yield f"{folder}/METADATA", f"{head}Requires-Python: >=3.10\n{needs}".encode()
    yield f"{folder}/WHEEL", f"Wheel-Version: 1.0\nGenerator: {_NAME}\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    commands = "".join(f"{name} = {function}\n" for name, function in _COMMANDS.items())
    yield f"{folder}/entry_points.txt", f"[console_scripts]\n{commands}".encode()


def _record(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    return f"{name},sha256={digest},{len(content)}\n"


def main(arguments: list[str]) -> None:
    folder = Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), *arguments[:1])
    folder.mkdir(parents=True, exist_ok=True)
    print(write_wheel(Path.cwd(), folder))


if __name__ == "__main__":
    main(sys.argv[1:])

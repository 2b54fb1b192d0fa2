"""Tests a web page in headless Chromium, and the documented program in Node."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.outside_workspace.scratch_workspace import (
    Workspace,
    example_workspaces,
    new_workspace,
    repository_root,
    shown_files,
)

_BROWSER_PAGE = "docs/how_to/use_in_browser.md"
_NODE_PAGE = "docs/how_to/use_in_node.md"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    yield from example_workspaces(tmp_path_factory, "web_app")


@pytest.fixture(scope="module")
def documented(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Yield a workspace with the files that the page shows."""
    scratch = new_workspace(tmp_path_factory)
    for path, text in shown_files(_BROWSER_PAGE):
        scratch.write(path, text)
    net = repository_root() / "examples/app_monorepo/app/net.py"
    scratch.write("app/net.py", net.read_text(encoding="utf-8"))
    yield scratch
    scratch.shutdown()


@contextmanager
def _served(example: Workspace) -> Iterator[str]:
    """Serve the page on a free port, as `bazel run //app` does, and yield its address."""
    folder = example.folder / "bazel-bin/app"
    with subprocess.Popen(
        [folder.resolve() / "app.sh", "0"], cwd=folder / "app.sh.runfiles/_main", stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def _drive(address: str, scenario: str) -> dict[str, Any]:
    """Run a scenario of page_driver.mjs. Screenshots are outputs of the test."""
    outputs = os.environ["TEST_UNDECLARED_OUTPUTS_DIR"]
    photo = Path("models/images/flower.ppm").absolute()
    driver = [os.environ["PAGE_DRIVER"], os.environ["PLAYWRIGHT"], address, scenario, outputs, str(photo)]
    result = subprocess.run(["node", *driver], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def address(example: Workspace) -> Iterator[str]:
    build = example.build("-c", "opt", "//app")
    assert build.exit_code == 0, build.stderr
    with _served(example) as address:
        yield address


@pytest.mark.parametrize("scenario", ["desktop", "phone", "dark"])
def test_page_classifies_a_photo(scenario: str, address: str) -> None:
    found = _drive(address, scenario)
    assert found["problems"] == []
    assert found["labels"][0] == "daisy" and len(found["labels"]) == 5
    assert found["status"] == "This is probably: daisy."
    assert re.fullmatch(r"\d+(\.\d)? ms", found["latency"])
    assert not found["scrolls_sideways"]


def test_page_works_with_the_keyboard(address: str) -> None:
    found = _drive(address, "keyboard")
    assert found["problems"] == []
    assert found["focused"] == ["file", "sample"]
    assert found["labels"][0] == "daisy"


def test_page_reports_a_file_that_is_not_a_photo(address: str) -> None:
    found = _drive(address, "unreadable")
    assert found["status"] == "notes.txt is not a photo that this browser can read."


def test_documented_program_runs_in_node(documented: Workspace) -> None:
    build = documented.build("-c", "opt", "--output_groups=npm", "//app:net_web")
    assert build.exit_code == 0, build.stderr
    page = (repository_root() / _NODE_PAGE).read_text(encoding="utf-8")
    ((path, program),) = re.findall(r"```js\n// (app/app.mjs)\n(.*?)```", page, re.DOTALL)
    documented.write(path, program)
    result = subprocess.run(["node", path], cwd=documented.folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert f"```\n{result.stdout}```" in page


def test_npm_package_is_installed(documented: Workspace, tmp_path: Path) -> None:
    build = documented.build("-c", "opt", "--output_groups=npm", "//app:net_web")
    assert build.exit_code == 0, build.stderr
    package = documented.folder / "bazel-bin/app/net_web_npm"
    (tmp_path / "package.json").write_text('{"name": "user", "type": "module"}', encoding="utf-8")
    command = ["npm", "pack", "--silent", "--offline", "--pack-destination", str(tmp_path), str(package.resolve())]
    packed = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert packed.returncode == 0, packed.stderr
    command = ["npm", "install", "--silent", "--offline", "--no-audit", str(tmp_path / packed.stdout.strip())]
    subprocess.run(command, check=True, cwd=tmp_path)
    program = 'import { Net } from "net_web"; console.log((await Net.load()).forward({ x: new Float32Array(4) }).output0.length)'
    result = subprocess.run(
        ["node", "--input-type=module", "--eval", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (result.stdout, result.stderr) == ("2\n", "")

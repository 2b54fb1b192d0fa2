"""Tests web pages in headless Chromium, and the documented program in Node."""

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

# The sentences that are most similar to "sleeping animals".
_CATS = ["The cat sleeps on the warm window sill.", "A kitten naps in the sunshine."]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    yield from example_workspaces(tmp_path_factory, "web_app")


@pytest.fixture(scope="module")
def documented(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Yield a workspace with the files that the page shows."""
    scratch = new_workspace(tmp_path_factory)
    page = (repository_root() / _BROWSER_PAGE).read_text(encoding="utf-8")
    files = re.findall(r"```(?:html|js)\n(?://|<!--) (app/[\w.]+)[^\n]*\n(.*?)```", page, re.DOTALL)
    for path, text in [*shown_files(_BROWSER_PAGE), *files]:
        scratch.write(path, text)
    net = repository_root() / "examples/app_monorepo/app/net.py"
    scratch.write("app/net.py", net.read_text(encoding="utf-8"))
    yield scratch
    scratch.shutdown()


@contextmanager
def _served(workspace: Workspace, name: str) -> Iterator[str]:
    """Serve the pages as `bazel run //app:NAME` does. Yield their address."""
    folder = workspace.folder / "bazel-bin/app"
    runfiles = folder / f"{name}.sh.runfiles/_main"
    with subprocess.Popen(
        [folder.resolve() / f"{name}.sh", "0"], cwd=runfiles, stdout=subprocess.PIPE, text=True
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
    with _served(example, "app") as address:
        yield address


def _check(found: dict[str, Any]) -> None:
    """Check what all scenarios with results have."""
    assert found["problems"] == []
    assert not found["scrolls_sideways"]
    assert re.fullmatch(r"\d+(\.\d)? ms", found["facts"]["latency"])
    assert all(re.fullmatch(r"[\d,]+ KB", found["facts"][name]) for name in ("code", "model"))
    assert found["numbers"] == sorted(found["numbers"], reverse=True)


@pytest.mark.parametrize("scenario", ["desktop", "phone", "dark"])
def test_page_classifies_a_photo(scenario: str, address: str) -> None:
    found = _drive(address, f"classifier/{scenario}")
    _check(found)
    assert found["labels"][0] == "daisy" and len(found["labels"]) == 5
    assert found["status"] == "This is probably: daisy."


def test_page_works_with_the_keyboard(address: str) -> None:
    found = _drive(address, "classifier/keyboard")
    assert found["problems"] == []
    assert found["focused"] == ["Photo classifier", "Sentence search", "file", "sample"]
    assert found["labels"][0] == "daisy"


def test_page_reports_a_file_that_is_not_a_photo(address: str) -> None:
    found = _drive(address, "classifier/unreadable")
    assert found["status"] == "notes.txt is not a photo that this browser can read."


def test_page_ranks_sentences_by_meaning(address: str) -> None:
    found = _drive(address, "search/desktop")
    _check(found)
    assert set(found["labels"][:2]) == set(_CATS)
    assert len(found["labels"]) == 10
    assert found["status"] == f"The most similar of 16: {found['labels'][0]}"


def test_page_ranks_edited_sentences_on_a_phone(address: str) -> None:
    found = _drive(address, "search/phone")
    _check(found)
    assert found["labels"] == ["I repair cars.", "The mechanic fixed the engine.", "The soup is hot."]


def test_page_searches_while_the_user_types(address: str) -> None:
    found = _drive(address, "search/dark")
    _check(found)
    assert "The garden needs rain after three dry weeks." in found["labels"][:3]


def test_page_searches_with_the_keyboard(address: str) -> None:
    found = _drive(address, "search/keyboard")
    _check(found)
    assert found["focused"] == ["Photo classifier", "Sentence search", "query", "search", "sentences", "file"]
    assert len(found["labels"]) == 10


def test_page_searches_a_text_file(address: str) -> None:
    found = _drive(address, "search/file")
    _check(found)
    assert found["status"] == "The most similar of 400: Whales sing in the ocean."


@pytest.mark.parametrize(
    ("scenario", "status"),
    [("binary", "photo.png is not a text in UTF-8."), ("empty", "Add at least one sentence.")],
)
def test_page_reports_unusable_sentences(scenario: str, status: str, address: str) -> None:
    found = _drive(address, f"search/{scenario}")
    assert (found["problems"], found["labels"], found["status"]) == ([], [], status)


def test_two_models_run_in_one_page(address: str) -> None:
    found = _drive(address, "search/two_models")
    assert found["problems"] == []
    returned = found["returned"]
    assert (returned["equal"], returned["unaffected"]) == (40, True)
    assert returned["error"] == "INVALID_STATE: Classifier is disposed; load it again"
    assert returned["bytes"] > 10_000_000


@pytest.mark.parametrize(("page", "first", "count"), [("classifier", ["daisy"], 5), ("search", _CATS, 10)])
def test_pages_work_in_firefox(page: str, first: list[str], count: int, address: str) -> None:
    driver = [os.environ["FIREFOX_DRIVER"], address, page, os.environ["TEST_UNDECLARED_OUTPUTS_DIR"]]
    flags = ["--experimental-websocket", "--preserve-symlinks", "--preserve-symlinks-main"]
    result = subprocess.run(["node", *flags, *driver], capture_output=True, text=True, check=False, timeout=600)
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    _check(found)
    assert set(found["labels"][: len(first)]) == set(first)
    assert len(found["labels"]) == count


def test_pages_link_to_each_other(address: str) -> None:
    found = _drive(address, "search/links")
    assert (found["problems"], found["status"]) == ([], "Type a query.")


def test_documented_page_runs_in_chromium(documented: Workspace) -> None:
    build = documented.build("-c", "opt", "//app:serve")
    assert build.exit_code == 0, build.stderr
    with _served(documented, "serve") as address:
        found = _drive(address, "documented/numbers")
    assert len([float(number) for number in found["returned"].split()]) == 2


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

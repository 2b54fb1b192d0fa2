"""Tests Rust programs with models, as separate workspaces.

Without the central registry, third_party/offline/registry replaces rules_rust.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import (
    Workspace,
    example_workspaces,
    new_workspace,
    repository_root,
    shown_files,
)

_MISUSE = """\

rust_binary(
    name = "misuse",
    srcs = ["misuse.rs"],
    deps = [
        ":net_rs",
        "@rules_executorch//bindings/rust:executorch",
    ],
)
"""
_PAGE = "docs/how_to/use_from_rust.md"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    yield from example_workspaces(tmp_path_factory, "rust_app")


@pytest.fixture(scope="module")
def documented(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Yield a workspace with the files that the page shows."""
    scratch = new_workspace(tmp_path_factory)
    module = re.search(r"```python\n# MODULE.bazel\n(.*?)```", _page(), re.DOTALL)
    assert module is not None
    scratch.write("MODULE.bazel", (scratch.folder / "MODULE.bazel").read_text(encoding="utf-8") + module[1])
    for path, text in shown_files(_PAGE) + re.findall(r"```rust\n// (app/main.rs)\n(.*?)```", _page(), re.DOTALL):
        scratch.write(path, text)
    net = repository_root() / "examples/app_monorepo/app/net.py"
    scratch.write("app/net.py", net.read_text(encoding="utf-8"))
    build_file = scratch.folder / "app/BUILD.bazel"
    scratch.write("app/BUILD.bazel", build_file.read_text(encoding="utf-8") + _MISUSE)
    yield scratch
    scratch.shutdown()


def _page() -> str:
    return (repository_root() / _PAGE).read_text(encoding="utf-8")


def test_example_classifies_a_photo(example: Workspace) -> None:
    result = example.run("//app")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "daisy\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file or directory"),
        ("P6\n2 2\n255\n0", "1 bytes of pixels for 2 x 2"),
        ("P5\n2 2\n255\n0000", "not a binary PPM file with 8 bits per channel"),
    ],
)
def test_example_reports_an_unusable_photo(content: str | None, message: str, example: Workspace) -> None:
    path = example.folder / "photo.ppm"
    path.unlink(missing_ok=True)
    if content is not None:
        path.write_text(content, encoding="ascii")
    result = example.run("//app", str(path))
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith(f"{path}: {message}")


def test_documented_program_runs(documented: Workspace) -> None:
    result = documented.run("//app")
    assert result.returncode == 0, result.stderr
    assert re.fullmatch(r"\[1, 2\]: \[\d\.\d+, \d\.\d+\]\n", result.stdout)


_PROGRAM = """\
use net_rs::Net;

fn check() -> executorch::Result<()> {{
    let x = [0.5; 4];
    let mut net = Net::load()?;
{statements}
    Ok(())
}}

fn main() {{
    check().unwrap();
}}
"""


@pytest.mark.parametrize(
    ("statements", "error"),
    [
        ("net.forward(&x)?;", ""),
        ("net.forward(&[0.5f64; 4])?;", "E0308"),
        ('let a = net.forward(&x)?; net.forward(&x)?; println!("{}", a.len());', "E0499"),
        ('let a = net.forward(&x)?; net.reset_state(); println!("{}", a.len());', "E0499"),
        ('let a = net.forward(&x)?; drop(net); println!("{}", a.len());', "E0505"),
        ("let moved = net; net.forward(&x)?; drop(moved);", "E0382"),
        ("fn sync<T: Sync>(_: &T) {} sync(&net);", "E0277"),
        ("fn send<T: Send>(_: &T) {} send(&net);", ""),
        ("net.backward(&x)?;", "E0599"),
    ],
)
def test_misuse_is_a_compile_error(statements: str, error: str, documented: Workspace) -> None:
    """An empty error means that the program compiles.

    The page of common mistakes shows each error.
    """
    documented.write("app/misuse.rs", _PROGRAM.format(statements=statements))
    build = documented.build("//app:misuse")
    assert (build.exit_code == 0) == (not error), build.stderr
    assert f"error[{error}]" in build.stderr or not error
    mistakes = (repository_root() / "docs/reference/common_mistakes.md").read_text(encoding="utf-8")
    assert f"`error[{error}]: " in mistakes or not error


def test_documented_options_run(documented: Workspace) -> None:
    options = _page().partition("\n## Options\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"```rust\n(.*?)```", options, re.DOTALL)
    assert len(blocks) == 2
    run = "let mut net = Net::load_with(&options)?; net.forward(&x)?;"
    documented.write("app/misuse.rs", _PROGRAM.format(statements="".join([*blocks, run])))
    result = documented.run("//app:misuse")
    assert result.returncode == 0, result.stderr
    assert re.search(r"^MethodLoad 0 forward: Ok\(\(\)\)$", result.stdout, re.MULTILINE)
    assert re.search(r"^Delegate \d+ CpuBackend: Ok\(\(\)\)$", result.stdout, re.MULTILINE)


def test_documented_program_runs_without_modules(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The rules of third_party/offline replace rules_rust."""
    scratch = new_workspace(tmp_path_factory)
    files = dict(shown_files(_PAGE) + re.findall(r"```rust\n// (app/main.rs)\n(.*?)```", _page(), re.DOTALL))
    for path in ("app/BUILD.bazel", "app/main.rs"):
        scratch.write(path, files[path])
    scratch.write("app/net.py", (repository_root() / "examples/app_monorepo/app/net.py").read_text(encoding="utf-8"))
    setup = re.search(r"```python\n# WORKSPACE\n(.*?)```", _page(), re.DOTALL)
    assert setup is not None
    before, declared, _ = (scratch.folder / "WORKSPACE").read_text(encoding="utf-8").partition("load(")
    assert declared
    rules = repository_root() / "third_party/offline/registry/sources/rules_rust"
    local = f'local_repository(name = "rules_rust", path = "{rules}")\n'
    scratch.write("WORKSPACE", before + local + setup[1])
    result = scratch.run("//app", flags=("--noenable_bzlmod", "--enable_workspace"))
    scratch.shutdown()
    assert result.returncode == 0, result.stderr
    assert re.fullmatch(r"\[1, 2\]: \[\d\.\d+, \d\.\d+\]\n", result.stdout)


def test_workspace_without_rust_rules_is_told_how_to_select_them(documented: Workspace) -> None:
    path = documented.folder / "MODULE.bazel"
    text = path.read_text(encoding="utf-8")
    selected = 'executorch.rust(rules = "@rules_rust//rust:defs.bzl")'
    assert selected in text
    path.write_text(text.replace(selected, ""), encoding="utf-8")
    build = documented.build("--nobuild", "//app:net_rs")
    path.write_text(text, encoding="utf-8")
    assert build.exit_code != 0
    assert (
        "executorch_rust_library(name = 'net_rs'): this workspace has not selected Rust rules; "
        'add executorch.rust(rules = "@rules_rust//rust:defs.bzl") to MODULE.bazel'
    ) in build.stderr

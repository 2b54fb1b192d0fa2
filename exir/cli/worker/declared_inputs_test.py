"""Tests that a compilation's folder contains only the declared inputs."""

from pathlib import Path

import pytest

from exir.cli.worker.declared_inputs import enter_inputs_only, package_folders


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder next to a workspace.

    The workspace contains a source, an undeclared file, and outputs with path mapping.
    """
    for name in ("app/net.py", "app/other.py", "bazel-out/cfg/bin/app/made.py"):
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    monkeypatch.chdir(tmp_path / "root")
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    return inputs


def _list_files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_undeclared_files_are_hidden(folder: Path) -> None:
    enter_inputs_only(["app/net.py"], folder)
    assert Path.cwd() == folder
    assert _list_files(folder) == ["app/net.py"]


def test_package_folders_are_one_link(folder: Path) -> None:
    package = Path("external/torch/site-packages")
    package.mkdir(parents=True)
    (package / "torch.py").write_text("")
    enter_inputs_only(["app/net.py", f"{package}/torch.py"], folder, [str(package)])
    assert (folder / package).is_symlink()
    assert _list_files(folder / package) == ["torch.py"]


def test_package_folders_are_those_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "external/pip/site:/usr/lib/python3")
    assert package_folders() == ["external/pip/site"]


def test_mapped_outputs_are_renamed(folder: Path) -> None:
    enter_inputs_only(["bazel-out/k8-opt/bin/app/made.py"], folder)
    assert _list_files(folder) == ["bazel-out/cfg/bin/app/made.py"]


def test_unmapped_outputs_keep_their_names(folder: Path) -> None:
    generated = Path("bazel-out/k8-opt/bin/app/made.py")
    generated.parent.mkdir(parents=True)
    generated.write_text("")
    enter_inputs_only([str(generated)], folder)
    assert _list_files(folder) == [str(generated)]

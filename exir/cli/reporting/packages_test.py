"""Tests that damage to the folder of packages is reported with a remedy."""

import sys
from pathlib import Path

import pytest

from exir.cli.reporting.packages import damage_note


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two files that is reached through a link, as in a sandbox."""
    folder = tmp_path / "repository" / "site"
    (folder / "torch").mkdir(parents=True)
    for name in ("torch/__init__.py", "torch/nn.py"):
        (folder / name).write_text("0")
    (folder.parent / "contents").write_text("1 torch/__init__.py\n1 torch/nn.py\n")
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.setattr(sys, "path", ["/nowhere", str(tmp_path / "link")])
    return folder


def test_package_folder_without_a_contents_list_is_not_reported(site: Path) -> None:
    assert damage_note() == ""
    (site.parent / "contents").unlink()  # installed by an earlier version
    (site / "torch/nn.py").unlink()
    assert damage_note() == ""


def test_missing_and_truncated_files_are_reported(site: Path) -> None:
    (site / "torch/nn.py").unlink()
    assert damage_note() == (
        f"the folder of Python packages {site} is damaged (torch/nn.py); run `bazel clean --expunge`"
        " and build again\n"
    )
    (site / "torch/__init__.py").write_text("")
    assert "(torch/__init__.py and 1 more)" in damage_note()

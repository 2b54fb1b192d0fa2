"""Tests that the files for the Bazel Central Registry match the module."""

import json
import re
from pathlib import Path

import yaml

_ROOT = Path(__file__).absolute().parents[2]
_MODULE = (_ROOT / "MODULE.bazel").read_text(encoding="utf-8")


def _template(name: str) -> dict:
    return json.loads((_ROOT / ".bcr" / f"{name}.template.json").read_text(encoding="utf-8"))


def test_registry_templates_have_required_keys() -> None:
    assert list(_template("metadata")) == ["homepage", "maintainers", "repository", "versions", "yanked_versions"]
    source = _template("source")
    assert list(source) == ["integrity", "strip_prefix", "url"]
    assert all(word in source["url"] for word in ("{OWNER}", "{REPO}", "{TAG}"))


def test_presubmit_builds_an_example_on_each_platform_with_each_bazel() -> None:
    presubmit = yaml.safe_load((_ROOT / ".bcr" / "presubmit.yml").read_text(encoding="utf-8"))
    module = presubmit["bcr_test_module"]
    assert module["module_path"].startswith("examples/")
    assert all(module["matrix"][axis] for axis in ("platform", "bazel"))
    for task in module["tasks"].values():
        assert (task["platform"], task["bazel"]) == ("${{ platform }}", "${{ bazel }}")
        assert task["build_targets"] == ["//..."]


def test_version_before_1_0_has_compatibility_level_0() -> None:
    (version,) = re.findall(r'version = "([\d.]+)",\n    bazel_compat', _MODULE)
    (level,) = re.findall(r"compatibility_level = (\d+)", _MODULE)
    assert int(level) == int(version.split(".")[0])

"""Tests that macros pass common attributes to all their targets.

Macros take the same arguments as their rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, new_workspace, repository_root

_MACROS = """\
load(
    "@rules_executorch//rules:defs.bzl",
    "executorch_budget_test",
    "executorch_cc_library",
    "executorch_compat_test",
    "executorch_config",
    "executorch_import",
    "executorch_model",
    "executorch_models",
    "executorch_parity_test",
    "executorch_report",
    "executorch_shared_library",
)
load("@rules_executorch//text:defs.bzl", "wordpiece_vocabulary")

def everything(**given):
    executorch_config(name = "config", options = {}, **given)
    executorch_model(name = "net_pte", module = ":net", **given)
    executorch_models(name = "nets", backends = {"plain": "@rules_executorch//backends/portable"}, module = ":net", **given)
    executorch_cc_library(name = "net_cc", model = ":net_pte", **given)
    executorch_import(name = "imported", pte = "net.pte", **given)
    executorch_parity_test(name = "net_parity_test", model = ":net_pte", **given)
    executorch_budget_test(name = "net_budget_test", model = ":net_pte", **given)
    executorch_compat_test(name = "net_compat_test", calls = "net.calls", pte = "net.pte", **given)
    executorch_report(name = "page", targets = [":net_pte"], **given)
    executorch_shared_library(name = "net_so", model = ":net_pte", **given)
    wordpiece_vocabulary(name = "words", vocabulary = "vocab.txt", **given)
"""

_BUILD = """\
load(":macros.bzl", "everything")

everything(
    tags = ["mine"],
    target_compatible_with = ["@platforms//os:linux"],
)
"""


# Attributes that need a value other than None or their default.
_VALUES = {"pte": "net.pte", "calls": "net.calls", "options": "options.toml", "vocabulary": "vocab.txt"}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = new_workspace(tmp_path_factory)
    scratch.write("macros.bzl", _MACROS)
    scratch.write("BUILD.bazel", _BUILD)
    yield scratch
    scratch.shutdown()


@pytest.mark.parametrize("attribute, value", [("tags", "mine"), ("target_compatible_with", "os:linux")])
def test_macro_attributes_reach_every_target(attribute: str, value: str, workspace: Workspace) -> None:
    assert workspace.query(f'//:all except attr({attribute}, "{value}", //:all)') == []


def test_macro_targets_have_documented_kinds(workspace: Workspace) -> None:
    kinds = {line.split()[0] for line in workspace.query("//:all", "--output=label_kind")}
    assert {kind for kind in kinds if kind.endswith("_rule")} == set()
    assert {
        "executorch_cc_library",
        "executorch_config",
        "executorch_import",
        "executorch_model",
        "executorch_model_group",
        "executorch_report",
        "executorch_shared_library",
    } <= kinds


def test_every_documented_attribute_is_accepted(workspace: Workspace) -> None:
    page = (repository_root() / "docs/reference/rules.md").read_text(encoding="utf-8")
    names: list[str] = []
    text = ""
    for file in ("//rules:defs.bzl", "//text:defs.bzl"):
        calls = dict(_documented_calls(page, file))
        names += calls
        text += f'load("@rules_executorch{file}", {", ".join(map(repr, sorted(calls)))})\n' + "".join(calls.values())
    assert len(names) >= 15
    workspace.write("all/BUILD.bazel", text)
    found = {line.split()[-1] for line in workspace.query("//all:all", "--output=label_kind")}
    assert {f"//all:{name}_target" for name in names} <= found


def _documented_calls(page: str, file: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each rule and macro of a file, and a call with all attributes."""
    section = page.split(f'`load("@rules_executorch{file}", …)`', 1)[1].split("\n## ", 1)[0]
    for name, body in re.findall(r"^### (\w+)\n(.*?)(?=^###|\Z)", section, re.DOTALL | re.MULTILINE):
        rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \| ([^|]*) \|", body, re.MULTILINE)
        values = {
            attribute: _value_of_attribute(attribute, kind.strip(), default.strip())
            for attribute, kind, default in rows
        }
        values["name"] = repr(f"{name}_target")
        if name in ("executorch_cc_library", "executorch_shared_library"):  # accepts only one of the two attributes
            del values["models"]
        if rows:
            yield name, f"{name}({', '.join(f'{key} = {value}' for key, value in values.items())})\n"


def _value_of_attribute(attribute: str, kind: str, default: str) -> str:
    if attribute in _VALUES:
        return repr(_VALUES[attribute])
    if default == "mandatory" or attribute == "model":
        return "[':given']" if kind == "label_list" else "':given'"
    return default.strip("`").replace("//", "@rules_executorch//") or "None"

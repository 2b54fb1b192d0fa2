"""What a target is given that every rule has reaches each target that a macro makes of it, and these are called as their rules are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.scratch_workspace.scratch import Workspace, new_workspace

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
)

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
"""

_BUILD = """\
load(":macros.bzl", "everything")

everything(
    tags = ["mine"],
    target_compatible_with = ["@platforms//os:linux"],
)
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = new_workspace(tmp_path_factory)
    scratch.write("macros.bzl", _MACROS)
    scratch.write("BUILD.bazel", _BUILD)
    yield scratch
    scratch.shutdown()


@pytest.mark.parametrize("attribute, value", [("tags", "mine"), ("target_compatible_with", "os:linux")])
def test_every_target_has_what_was_given(attribute: str, value: str, workspace: Workspace) -> None:
    assert workspace.query(f'//:all except attr({attribute}, "{value}", //:all)') == []


def test_targets_are_of_the_kinds_that_their_files_name(workspace: Workspace) -> None:
    kinds = {line.split()[0] for line in workspace.query("//:all", "--output=label_kind")}
    assert {kind for kind in kinds if kind.endswith("_rule")} == set()
    assert {
        "executorch_cc_library",
        "executorch_config",
        "executorch_import",
        "executorch_model",
        "executorch_model_group",
        "executorch_report",
    } <= kinds

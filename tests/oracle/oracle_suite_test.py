"""Runs the official compiler's tests on this compiler.

`not_held.toml` lists the tests that fail, with reasons.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from tests.oracle.suite import run_suite

_LIST = Path(__file__).with_name("not_held.toml")


def _listed() -> set[str]:
    return {test for group in tomllib.loads(_LIST.read_text())["reason"] for test in group["tests"]}


def test_official_tests_pass_except_listed_ones() -> None:
    results = run_suite()
    print(results.table())
    listed = _listed()
    unexpected = sorted(results.failed() - listed)
    assert not unexpected, f"fail and are not listed: {unexpected}: {[results.errors[test] for test in unexpected]}"
    for test in sorted(listed & {test for test, outcome in results.outcomes.items() if outcome == "passed"}):
        print(f"passes now; remove it from the list: {test}")


def test_every_exception_has_one_distinct_reason() -> None:
    reasons = [group["why"] for group in tomllib.loads(_LIST.read_text())["reason"]]
    assert len(set(reasons)) == len(reasons)
    assert all(len(reason) > 20 for reason in reasons)

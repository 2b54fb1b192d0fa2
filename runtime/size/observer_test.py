"""Test that only programs with an observer link the code for events."""

import os
import subprocess

# Defined in runtime/method/observe.c and runtime/program/load_observed.c.
_SYMBOLS = {"et_observation", "et_program_load_observed"}


def _symbols(variable: str) -> set[str]:
    listing = subprocess.run(["nm", os.environ[variable]], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in listing.splitlines()}


def _observer_symbols(variable: str) -> set[str]:
    return {name for name in _symbols(variable) if "observ" in name.lower() or "recorder" in name}


def test_program_with_an_observer_links_its_hooks() -> None:
    assert _observer_symbols("OBSERVED") >= _SYMBOLS


def test_program_without_an_observer_links_no_hooks() -> None:
    assert "et_method_execute" in _symbols("CORE")
    assert _observer_symbols("CORE") == set()

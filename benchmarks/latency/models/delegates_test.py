"""Tests that each vision model becomes one delegate of the CPU backend."""

import json
import os
from pathlib import Path

import pytest


@pytest.mark.parametrize("manifest", os.environ["MANIFESTS"].split())
def test_benchmark_network_is_one_delegate(manifest: str) -> None:
    (method,) = json.loads(Path(manifest).read_text(encoding="utf-8"))["methods"]
    assert [delegate["id"] for delegate in method["delegates"]] == ["CpuBackend"]
    assert (method["instructions"], method["operators"], method["not_delegated"]) == (1, [], [])

"""Tests of measuring XNNPACK programs and of formatting the results."""

from __future__ import annotations

import pytest

from benchmarks.xnnpack_programs import table
from benchmarks.xnnpack_programs.comparison import Comparison, Figures
from benchmarks.xnnpack_programs.memory import growth
from benchmarks.xnnpack_programs.roster import PROGRAMS

_MB = 1 << 20


def test_touched_and_held_memory_is_counted():
    held = growth(lambda: bytearray(b"x") * (64 * _MB))
    given_back = growth(lambda: len(bytearray(b"x") * (64 * _MB)))
    assert 64 * _MB <= held < 72 * _MB
    assert given_back < 8 * _MB


def _pieces() -> list[bytearray]:
    """Return pieces that are too small for the allocator to map individually."""
    return [bytearray(b"x") * 100_000 for _ in range(600)]


def test_unreleased_memory_counts():
    _pieces()
    assert growth(_pieces) >= 58_000_000


def test_memory_of_a_failed_run_is_an_error(capfd):
    def work():
        raise ValueError("no such program")

    with pytest.raises(RuntimeError, match="see its output above"):
        growth(work)
    assert "ValueError: no such program" in capfd.readouterr().err


def test_row_has_a_value_under_each_heading():
    figures = Figures(cost=2_000_000, median=3e6, load=4_500_000, grown=6_000_000)
    twice = Figures(cost=4_000_000, median=6e6, load=9_000_000, grown=12_000_000)
    found = Comparison("net_int8", figures, twice, 5_900_000, 0.0, 2.61, 7.4)
    text = table.row(found)
    assert len(text) == len(table.heading("ns"))
    assert text.split() == "net_int8 2.00 4.00 0.50 0.50 4.5 9.0 6.0 12.0 5.9 0.0e+00 2.61 7".split()


def test_all_model_variants_are_listed():
    assert len(PROGRAMS) == 12
    assert {"resnet18", "resnet18_int8", "minilm_dynamic_int8", "llama_1_8da4w", "llama_32_8da4w"} <= set(PROGRAMS)

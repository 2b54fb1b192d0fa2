"""Tests that the page of MobileNetV2 matches its manifest."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

_PAGE = Path(os.environ["PAGE"]).read_text(encoding="utf-8")
_METHOD = json.loads(Path(os.environ["MANIFEST"]).read_text(encoding="utf-8"))["methods"][0]


def test_report_page_is_one_file_of_at_most_two_megabytes() -> None:
    assert len(_PAGE.encode()) <= 2_000_000
    assert not re.search(r'(src|href)="|url\(|https?://', _PAGE)


def test_report_page_peak_matches_the_manifest() -> None:
    found = re.search(r"Peak: ([\d,]+) of ([\d,]+) bytes at instruction \d+ \([\w:.]+\)", _PAGE)
    assert found is not None
    peak, planned = (int(number.replace(",", "")) for number in found.groups())
    assert peak == _METHOD["memory"]["lower_bound_bytes"]
    assert planned == sum(_METHOD["memory"]["planned_bytes"])


def test_report_page_lists_every_instructions_line() -> None:
    rows = re.findall(r'<td class="number"[^>]*>\d+</td><td>aten::[\w.]+</td><td>[^<]*</td><td>([^<]*)</td>', _PAGE)
    assert len(rows) == _METHOD["instructions"]
    assert all(re.fullmatch(r"models/mobilenet\.py:\d+", row) for row in rows)

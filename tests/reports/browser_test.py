"""Tests report pages in a browser.

MobileNetV2's page, with its list of sections and its image, is complete within two seconds. The
same applies to a page of several models and to a comparison.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

_PAGE = Path(os.environ["PAGE"]).resolve()
_MODELS = Path(os.environ["MODELS"]).resolve()
_DIFF = next(Path(name).resolve() for name in os.environ["DIFF"].split() if name.endswith(".html"))
_BROWSER = ("chromium", "--headless", "--no-sandbox", "--disable-gpu")


def _sections(page: Path) -> list[str]:
    """Return the sections that the page lists after two seconds of virtual time."""
    command = [*_BROWSER, "--timeout=2000", "--dump-dom", page.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert dom.rstrip().endswith("</html>")
    navigation = re.search(r"<nav>(.*?)</nav>", dom, re.DOTALL)
    assert navigation is not None
    return re.findall(r'href="#([\w-]+)"', navigation[1])


def test_report_page_renders_within_two_seconds() -> None:
    assert _sections(_PAGE) == [
        "summary",
        "operators-forward",
        "memory-forward",
        "delegates-forward",
        "graph-forward",
        "weights-forward",
    ]


def test_overview_and_comparison_pages_render() -> None:
    assert _sections(_MODELS) == ["costs", "operators", "programs"]
    assert _sections(_DIFF) == ["costs", "notes"]


def test_screenshot_can_be_saved(tmp_path: Path) -> None:
    image = tmp_path / "page.png"
    command = [*_BROWSER, "--window-size=1300,1250", f"--screenshot={image}", _PAGE.as_uri()]
    subprocess.run(command, capture_output=True, check=True, timeout=60)
    assert image.read_bytes()[:4] == b"\x89PNG" and image.stat().st_size > 20_000

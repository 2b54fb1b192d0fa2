"""The page of MobileNetV2 in a real browser: complete within two seconds, its list of sections and its picture are there."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

_PAGE = Path(os.environ["PAGE"]).resolve()
_BROWSER = ("chromium", "--headless", "--no-sandbox", "--disable-gpu")


def _dom(budget_ms: int) -> str:
    """What the page has become after so much of the browser's time."""
    command = [*_BROWSER, f"--timeout={budget_ms}", "--dump-dom", _PAGE.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def test_the_page_is_complete_within_two_seconds() -> None:
    dom = _dom(2000)
    navigation = re.search(r"<nav>(.*?)</nav>", dom, re.DOTALL)
    assert navigation is not None
    assert re.findall(r'href="#([\w-]+)"', navigation[1]) == [
        "summary",
        "operators-forward",
        "memory-forward",
        "delegates-forward",
        "graph-forward",
        "weights-forward",
    ]
    assert dom.rstrip().endswith("</html>")


def test_a_picture_of_it_can_be_taken(tmp_path: Path) -> None:
    picture = tmp_path / "page.png"
    command = [*_BROWSER, "--window-size=1300,1250", f"--screenshot={picture}", _PAGE.as_uri()]
    subprocess.run(command, capture_output=True, check=True, timeout=60)
    assert picture.read_bytes()[:4] == b"\x89PNG" and picture.stat().st_size > 20_000

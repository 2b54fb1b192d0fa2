"""The program names photographs as eager PyTorch does, on pictures that Pillow reads and scales."""

from __future__ import annotations

import functools
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from models.classify.efficientnet_lite import SIDE, EfficientNetLite0

_FLOWER = Path(os.environ["FLOWER"])
_PHOTOS = [
    path
    for name in ("SKIMAGE", "SKLEARN")
    for path in sorted(Path(os.environ[name]).parent.iterdir())
    if path.suffix in (".jpg", ".png")
]
_DAISY = 985
_SHARE = 0.875
_LINE = re.compile(r" +(?P<percent>[\d.]+) %  (?P<name>.+) \((?P<number>\d+)\)")


@functools.cache
def _classify(*options: str) -> dict[Path, list[tuple[float, str, int]]]:
    """What the program prints of each photo: percentage, name and number of five classes."""
    command = [os.environ["CLASSIFY"], *options, *map(str, [_FLOWER, *_PHOTOS])]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    found: dict[Path, list[tuple[float, str, int]]] = {}
    for line in lines:
        shown = _LINE.fullmatch(line)
        if shown is None:
            block = found.setdefault(Path(line), [])
        else:
            block.append((float(shown["percent"]), shown["name"], int(shown["number"])))
    return found


@functools.cache
def _eager() -> dict[Path, torch.Tensor]:
    """The percentages that float PyTorch gives."""
    network = EfficientNetLite0().eval()
    torch.set_num_threads(1)
    network.load_state_dict(torch.load(os.environ["WEIGHTS"], weights_only=True))
    with torch.no_grad():
        return {path: 100 * network(_tensor(path)).softmax(1)[0] for path in [_FLOWER, *_PHOTOS]}


def _tensor(path: Path) -> torch.Tensor:
    image = Image.open(path).convert("RGB")
    side = _SHARE * min(image.size)
    corners = [(size - side) / 2 for size in image.size] + [(size + side) / 2 for size in image.size]
    scaled = np.array(image.resize((SIDE, SIDE), Image.Resampling.BICUBIC, box=corners))
    return torch.from_numpy(scaled).permute(2, 0, 1).unsqueeze(0).float() / 127.5 - 1


def test_flower_is_a_daisy() -> None:
    best = _classify()[_FLOWER][0]
    assert best[1:] == ("daisy", _DAISY)


@pytest.mark.parametrize("path", _PHOTOS, ids=lambda path: path.name)
def test_best_class_is_that_of_eager_pytorch(path: Path) -> None:
    percentages = _eager()[path]
    percent, _, number = _classify()[path][0]
    assert number == int(percentages.argmax())
    assert percent == pytest.approx(float(percentages[number]), abs=2)


def test_five_classes_in_order() -> None:
    for block in _classify().values():
        percentages = [percent for percent, _, _ in block]
        assert len({number for _, _, number in block}) == 5
        assert percentages == sorted(percentages, reverse=True)


def test_int8_agrees_on_nine_of_ten() -> None:
    found = _classify("--int8")
    same = [path for path, percentages in _eager().items() if found[path][0][2] == int(percentages.argmax())]
    assert len(same) >= 0.9 * len(found)


def test_int8_takes_at_most_three_tenths() -> None:
    folder = Path(os.environ["CLASSIFY"]).parent
    sizes = {name: (folder / f"{name}.pte").stat().st_size for name in ("classify", "classify_int8")}
    assert sizes["classify_int8"] <= 0.3 * sizes["classify"]


def test_what_is_no_picture_is_told_and_the_others_are_named(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no picture")
    cut = tmp_path / "cut.png"
    cut.write_bytes(next(path for path in _PHOTOS if path.suffix == ".png").read_bytes()[:2000])
    missing = tmp_path / "missing.jpg"
    paths = map(str, [text, cut, missing, _FLOWER])
    result = subprocess.run([os.environ["CLASSIFY"], *paths], capture_output=True, text=True)
    assert result.returncode == 1
    assert f"{text}: no JPEG, PNG or binary PPM that can be read (unknown image type)" in result.stderr
    assert f"{cut}: no JPEG, PNG or binary PPM that can be read (" in result.stderr
    assert f"{missing}: No such file or directory" in result.stderr
    assert "daisy" in result.stdout

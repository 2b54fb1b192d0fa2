"""Tests that the program predicts the same classes as eager PyTorch."""

from __future__ import annotations

import functools
import os
import re
import shlex
import struct
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import ExifTags, Image

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
    """Return the percentage, name and index of the five printed classes, by photo."""
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
    """Return the percentages of eager PyTorch in float."""
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


def test_daisy_photo_is_classified_as_daisy() -> None:
    best = _classify()[_FLOWER][0]
    assert best[1:] == ("daisy", _DAISY)


@pytest.mark.parametrize("path", _PHOTOS, ids=lambda path: path.name)
def test_top_class_matches_eager(path: Path) -> None:
    percentages = _eager()[path]
    percent, _, number = _classify()[path][0]
    assert number == int(percentages.argmax())
    assert percent == pytest.approx(float(percentages[number]), abs=2)


def test_top_five_classes_are_in_order() -> None:
    for block in _classify().values():
        percentages = [percent for percent, _, _ in block]
        assert len({number for _, _, number in block}) == 5
        assert percentages == sorted(percentages, reverse=True)


def test_int8_top_class_agrees_on_nine_of_ten() -> None:
    found = _classify("--int8")
    same = [path for path, percentages in _eager().items() if found[path][0][2] == int(percentages.argmax())]
    assert len(same) >= 0.9 * len(found)


def test_int8_model_has_at_most_30_percent_of_the_size() -> None:
    folder = Path(os.environ["CLASSIFY"]).parent
    sizes = {name: (folder / f"{name}.pte").stat().st_size for name in ("classify", "classify_int8")}
    assert sizes["classify_int8"] <= 0.3 * sizes["classify"]


def _run_classify(*paths: Path) -> subprocess.CompletedProcess[str]:
    command = [os.environ["CLASSIFY"], *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _named(path: Path) -> list[str]:
    """Return the lines that the program prints for a photo, without the photo's name."""
    result = _run_classify(path)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()[1:]


def test_file_that_is_not_an_image_is_reported_and_others_are_classified(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no image")
    cut = tmp_path / "cut.png"
    cut.write_bytes(next(path for path in _PHOTOS if path.suffix == ".png").read_bytes()[:2000])
    missing = tmp_path / "missing.jpg"
    result = _run_classify(text, cut, missing, _FLOWER)
    assert result.returncode == 1
    assert f"{text}: not a readable JPEG, PNG or binary PPM (unknown image type)" in result.stderr
    assert f"{cut}: the image is truncated\n" in result.stderr
    assert f"{missing}: No such file or directory" in result.stderr
    assert "daisy" in result.stdout


_HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(100)
_WEBP = b"RIFF\x64\0\0\0WEBPVP8 " + bytes(100)
_UNKNOWN = (
    "not a readable JPEG, PNG or binary PPM (unknown image type); convert it, for example: convert photo.heic photo.jpg"
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"", "the file is empty", id="empty"),
        pytest.param(_HEIC, _UNKNOWN, id="HEIC"),
        pytest.param(_WEBP, _UNKNOWN, id="WebP"),
        pytest.param(b"P6 4 4 255\n123", "the pixels are truncated", id="PPM that is truncated"),
        pytest.param(
            b"P6 0 4 255\n", "the header needs width, height (1 to 16384) and 255 levels", id="PPM of no width"
        ),
        pytest.param(
            b"P6 99999 99999 255\n", "the header needs width, height (1 to 16384) and 255 levels", id="huge PPM"
        ),
    ],
)
def test_unsupported_image_formats_are_reported(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "photo"
    path.write_bytes(content)
    result = _run_classify(path)
    assert (result.returncode, result.stdout, result.stderr) == (1, "", f"{path}: {message}\n")


def test_small_file_with_a_huge_image_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.png"
    Image.new("L", (8200, 8200)).save(path)
    limit = f"ulimit -v {512 << 10} && exec {shlex.quote(os.environ['CLASSIFY'])} {shlex.quote(str(path))}"
    result = subprocess.run(["sh", "-c", limit], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (1, "")
    assert f"{path}: the image has 8200 x 8200 pixels, more than 64 million or 256 MiB; scale it down" in result.stderr


@pytest.mark.parametrize("side", [0, 20_000, 2**31 - 1])
def test_png_of_impossible_size_is_reported(side: int, tmp_path: Path) -> None:
    header = struct.pack(">4sIIBBBBB", b"IHDR", side, side, 8, 2, 0, 0, 0)
    path = tmp_path / "huge.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header)))
    result = _run_classify(path)
    assert (result.returncode, result.stdout) == (1, "")
    reason = "too large" if side else "0-pixel image"
    assert f"{path}: not a readable JPEG, PNG or binary PPM ({reason})" in result.stderr


@pytest.mark.parametrize("options", [{}, {"progressive": True}], ids=["", "progressive"])
@pytest.mark.parametrize("share", [0.3, 0.9, 0.999])
def test_truncated_jpeg_is_reported(share: float, options: dict[str, bool], tmp_path: Path) -> None:
    whole = tmp_path / "whole.jpg"
    Image.open(_FLOWER).save(whole, **options)
    assert "daisy" in _named(whole)[0]
    content = whole.read_bytes()
    cut = tmp_path / "cut.jpg"
    cut.write_bytes(content[: int(share * len(content))])
    result = _run_classify(cut)
    assert (result.returncode, result.stdout, result.stderr) == (1, "", f"{cut}: the image is truncated\n")


def test_damaged_image_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "damaged.png"
    Image.open(_FLOWER).save(path)
    content = bytearray(path.read_bytes())
    begin = content.index(b"IDAT") + 4
    content[begin : begin + 2] = b"\xff\xff"
    path.write_bytes(content)
    result = _run_classify(path)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith(f"{path}: the image is damaged (")


def test_bytes_after_a_jpeg_are_ignored(tmp_path: Path) -> None:
    """Test bytes after the image; phones append other images or a video to a photo."""
    path, longer = tmp_path / "photo.jpg", tmp_path / "longer.jpg"
    Image.open(_FLOWER).save(path)
    longer.write_bytes(path.read_bytes() + b"more" * 1000)
    assert _named(longer) == _named(path)


def _save_gray(image: Image.Image, path: Path) -> Image.Image:
    gray = image.convert("L")
    gray.save(path)
    return gray.convert("RGB")


def _save_palette(image: Image.Image, path: Path) -> Image.Image:
    few = image.convert("P", palette=Image.Palette.ADAPTIVE, colors=64)
    few.save(path)
    return few.convert("RGB")


def _save_alpha(image: Image.Image, path: Path) -> Image.Image:
    """Save the image half transparent. Transparency must be ignored."""
    opaque = image.copy()
    image.putalpha(128)
    image.save(path)
    return opaque


def _save_wide(image: Image.Image, path: Path) -> Image.Image:
    """Save the image with 16 bits per channel. The program reads the upper eight."""
    gray = np.array(image.convert("L"))
    Image.fromarray(gray.astype(np.uint16) * 256 + 77).save(path)
    return Image.fromarray(gray).convert("RGB")


@pytest.mark.parametrize("save", [_save_gray, _save_palette, _save_alpha, _save_wide])
def test_png_variants_decode_to_equal_pixels(save: Callable[[Image.Image, Path], Image.Image], tmp_path: Path) -> None:
    odd, plain = tmp_path / "odd.png", tmp_path / "plain.png"
    save(Image.open(_FLOWER), odd).save(plain)
    assert _named(odd) == _named(plain)


def test_gray_jpeg_is_decoded(tmp_path: Path) -> None:
    gray, colors = tmp_path / "gray.jpg", tmp_path / "colors.png"
    Image.open(_FLOWER).convert("L").save(gray)
    Image.open(gray).convert("RGB").save(colors)
    found, expected = _LINE.fullmatch(_named(gray)[0]), _LINE.fullmatch(_named(colors)[0])
    assert found and expected
    assert found["name"] == expected["name"]
    assert float(found["percent"]) == pytest.approx(float(expected["percent"]), abs=2)


def test_exif_orientation_is_ignored(tmp_path: Path) -> None:
    """Test that the EXIF orientation is ignored, as documented."""
    plain, turned = tmp_path / "plain.jpg", tmp_path / "turned.jpg"
    image = Image.open(_FLOWER)
    exif = image.getexif()
    exif[ExifTags.Base.Orientation] = 6
    image.save(plain)
    image.save(turned, exif=exif)
    assert turned.stat().st_size > plain.stat().st_size
    assert _named(turned) == _named(plain)


def test_single_pixel_image_has_five_classes(tmp_path: Path) -> None:
    path = tmp_path / "dot.png"
    Image.new("RGB", (1, 1), "red").save(path)
    assert len(_named(path)) == 5


def test_cpp_program_names_the_flower() -> None:
    result = subprocess.run([os.environ["NAME_PHOTO"], _FLOWER], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "daisy\n")


def test_cpp_program_reports_a_missing_photo() -> None:
    result = subprocess.run([os.environ["NAME_PHOTO"], "no_such.jpg"], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "no_such.jpg" in result.stderr

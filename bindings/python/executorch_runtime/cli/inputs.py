"""Read inputs from files, or generate random ones."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from executorch_runtime.values import TENSOR, Signature, ValueInfo

_OF_A_CALL = re.compile(r"c(?P<call>\d+)_\w*?(?P<index>\d+)")
_IMAGES = {".bmp", ".gif", ".jpeg", ".jpg", ".png", ".ppm", ".tif", ".tiff", ".webp"}
_BITS = {"bfloat16": "uint16"}
_MEAN = np.array([0.485, 0.456, 0.406], np.float32)  # normalization of images for torchvision's models
_DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


class InputError(Exception):
    """An input is not valid. The message includes a remedy."""


def read_calls(files: Sequence[Path], signature: Signature) -> list[list[Any]]:
    """Read the inputs of each call.

    An .npz file contains the inputs of one call in order, or of several calls in arrays named `c0_in0`,
    `c0_in1`, `c1_in0`. An .npy file or an image is one input. Files are in the order of the inputs.
    """
    arrays = [array for path in files for array in _arrays_of(path, signature)]
    calls: dict[int, list[Any]] = {}
    for name, array in arrays:
        found = _OF_A_CALL.fullmatch(name)
        calls.setdefault(int(found["call"]) if found else 0, []).append(array)
    expected = len(signature.inputs)
    for number, inputs in sorted(calls.items()):
        if len(inputs) != expected:
            raise InputError(
                f"call {number} has {len(inputs)} inputs, but {signature} takes {expected}; pass one value per input"
            )
    return [
        [_fitting(value, info) for value, info in zip(inputs, signature.inputs)] for _, inputs in sorted(calls.items())
    ]


def read_arrays(path: Path) -> list[tuple[str, Any]]:
    """Read the arrays of an .npy or .npz file, with their names.

    Raises `InputError` for any other format, and OSError if the file cannot be read.
    """
    try:
        found = np.load(path, allow_pickle=False)
        return [("", found)] if isinstance(found, np.ndarray) else [(name, found[name]) for name in found.files]
    except (ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        # For unknown formats, NumPy assumes pickled objects and advises users to trust them.
        reason = "it does not start like one, or contains objects" if "allow_pickle" in str(error) else error
        raise InputError(f"{path} is not an .npy or .npz file: {reason}; save it with numpy.save") from error


def _arrays_of(path: Path, signature: Signature) -> list[tuple[str, Any]]:
    if path.suffix.lower() not in _IMAGES:
        return read_arrays(path)
    tensors = [info for info in signature.inputs if len(info.shape) == 4]
    if not tensors:
        raise InputError(
            f"{path} is an image, but {signature} does not have an input of four dimensions; pass an .npy file"
        )
    return [("", _read_image(path, tensors[0]))]


def _read_image(path: Path, info: ValueInfo) -> Any:
    """Read an image in the size and layout (NCHW) of the input.

    Floats are normalized as for torchvision's models; integers are not scaled.
    """
    try:
        from PIL import Image
    except ImportError:
        raise InputError(f"{path} is an image, but Pillow is not installed; install it, or pass an .npy file") from None
    _, channels, height, width = info.shape
    try:
        image = Image.open(path).convert("RGB" if channels == 3 else "L").resize((width, height))
    except OSError as error:
        if error.strerror:
            raise  # the file cannot be read
        raise InputError(f"{path} is not an image: {error}; pass a PNG, JPEG or PPM file") from error
    values = np.asarray(image).reshape(height, width, channels)
    if info.dtype.startswith(("float", "bfloat")):
        scaled = values.astype(np.float32) / 255
        values = (scaled - _MEAN) / _DEVIATION if channels == 3 else scaled
    return values.transpose(2, 0, 1)[None].astype(_numpy_dtype(info))


def _fitting(value: Any, info: ValueInfo) -> Any:
    """Return the value of a zero-dimensional array if the input is a scalar."""
    if info.kind == TENSOR:
        return value
    return value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value


def random_inputs(signature: Signature, scalars: Sequence[Any], seed: int, below: int) -> list[Any]:
    """Return random inputs.

    Tensors have the upper bounds of their sizes. Floats are normally distributed, integers are from
    0 to `below` - 1. Inputs with a range have its end, or its start if the range is unbounded. All
    other inputs have the values that the program was compiled with.
    """
    generator = np.random.default_rng(seed)
    return [
        _random(info, generator, below) if info.kind == TENSOR else _scalar(info, scalar)
        for info, scalar in zip(signature.inputs, scalars)
    ]


def _scalar(info: ValueInfo, compiled: Any) -> Any:
    if not info.steps or info.steps[0] is None:
        return compiled
    steps = info.steps[0]
    return steps.max if steps.max < 2**31 else steps.min


def _random(info: ValueInfo, generator: np.random.Generator, below: int) -> Any:
    if info.dtype == "bfloat16":
        bits = generator.standard_normal(info.shape, np.float32).view(np.uint32)
        return (bits >> 16).astype(np.uint16)
    if info.dtype.startswith(("float", "complex")):
        return generator.standard_normal(info.shape).astype(info.dtype)
    return generator.integers(0, 2 if info.dtype == "bool" else below, info.shape).astype(info.dtype)


def _numpy_dtype(info: ValueInfo) -> str:
    return _BITS.get(info.dtype, info.dtype)

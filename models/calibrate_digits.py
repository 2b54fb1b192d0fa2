"""Write calibration inputs for the digits network, from its training images.

Usage: `python -m models.calibrate_digits IMAGES.idx3 CALIBRATION.safetensors`
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from models.idx import read_idx

_LARGEST_VALUE = 16.0
_COUNT = 64


def calibration(images: np.ndarray) -> torch.Tensor:
    """Convert uint8 [count, 8, 8] images to 64 inputs `x`, float32 [64, 1, 8, 8].

    Every fifth image is held out of training, and is not used here.
    """
    trained = np.delete(images, np.s_[::5], axis=0)
    return torch.from_numpy(trained[:_COUNT].copy()).float().unsqueeze(1) / _LARGEST_VALUE


if __name__ == "__main__":
    images_path, calibration_path = map(Path, sys.argv[1:])
    save_file({"x": calibration(read_idx(images_path))}, calibration_path)

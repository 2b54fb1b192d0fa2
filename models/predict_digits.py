"""Write eager PyTorch's prediction for every digit, for comparison.

Usage: `python -m models.predict_digits IMAGES.idx3 WEIGHTS.safetensors PREDICTIONS.idx1`
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from models.digits import DigitsNet
from models.idx import read_idx, write_idx

_LARGEST_VALUE = 16.0


def predict(images: np.ndarray, weights: Path) -> np.ndarray:
    """Convert uint8 [count, 8, 8] images to predicted digits, uint8 [count]."""
    network = DigitsNet().eval()
    network.load_state_dict(load_file(weights))
    batch = torch.from_numpy(images.copy()).float().unsqueeze(1) / _LARGEST_VALUE
    with torch.no_grad():
        return network(batch).argmax(1).to(torch.uint8).numpy()


if __name__ == "__main__":
    images_path, weights_path, predictions_path = map(Path, sys.argv[1:])
    write_idx(predictions_path, predict(read_idx(images_path), weights_path))

"""Train the digits network. Write its weights and its data set.

    python -m models.train_digits models

The data set has the 1,797 handwritten digits of scikit-learn: 8 x 8 images with values from 0 to
16. Every fifth image is held out of training; its accuracy is printed. Training takes about 20
seconds on one core and is not
part of the build: the results are checked in.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from sklearn.datasets import load_digits

from models.digits import DigitsNet
from models.idx import write_idx

_EPOCHS = 60
_BATCH = 64
_LARGEST_VALUE = 16.0


def train(images: torch.Tensor, labels: torch.Tensor) -> DigitsNet:
    """Train with Adam and a cosine schedule. Images are shifted by up to one pixel."""
    network = DigitsNet().train()
    optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, _EPOCHS)
    for _ in range(_EPOCHS):
        for batch in torch.randperm(len(images)).split(_BATCH):
            optimizer.zero_grad()
            logits = network(_shift(images[batch]))
            torch.nn.functional.cross_entropy(logits, labels[batch]).backward()
            optimizer.step()
        schedule.step()
    return network.eval()


def _shift(images: torch.Tensor) -> torch.Tensor:
    padded = torch.nn.functional.pad(images, (1, 1, 1, 1))
    row, column = torch.randint(0, 3, (2,)).tolist()
    return padded[:, :, row : row + 8, column : column + 8]


def accuracy(network: DigitsNet, images: torch.Tensor, labels: torch.Tensor) -> float:
    with torch.no_grad():
        return (network(images).argmax(1) == labels).double().mean().item()


def main(folder: Path) -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    data = load_digits()
    images = torch.from_numpy(data.images).float().unsqueeze(1) / _LARGEST_VALUE
    labels = torch.from_numpy(data.target)
    held_out = torch.arange(len(images)) % 5 == 0
    network = train(images[~held_out], labels[~held_out])
    print(f"held out: {accuracy(network, images[held_out], labels[held_out]):.4f}")
    print(f"all:      {accuracy(network, images, labels):.4f}")
    save_file(network.state_dict(), folder / "digits.safetensors")
    write_idx(folder / "digits_data" / "images.idx3-ubyte", data.images.astype(np.uint8))
    write_idx(folder / "digits_data" / "labels.idx1-ubyte", data.target.astype(np.uint8))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""What a weights file holds, for entry points that make their model by it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor


@dataclass(frozen=True)
class WeightsFile:
    """A weights file, read.

    tensors: by the file's names; matrices that it has quantized in blocks are `exir.block_weight.BlockWeight`.
    metadata: what else it says, by key: numbers, strings and lists of them of a `.gguf` file, strings of a `.safetensors`
        file, nothing of a state dict.
    """

    tensors: Mapping[str, Tensor]
    metadata: Mapping[str, Any] = field(default_factory=dict)

"""The content of a weights file, for entry points that build their model from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor


@dataclass(frozen=True)
class WeightsFile:
    """The content of a weights file.

    tensors: the tensors, by their names in the file; matrices with block quantization are
        `exir.weights.block_weight.BlockWeight`.
    metadata: other entries, by key: values, strings and lists of a `.gguf` file; strings of a
        `.safetensors` file; nothing for a state dict.
    """

    tensors: Mapping[str, Tensor]
    metadata: Mapping[str, Any] = field(default_factory=dict)

"""The quantization recipes; see docs/how_to/quantize_a_model.md."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto


class Activations(Enum):
    """How activations are quantized."""

    STATIC = auto()
    """int8, with ranges that calibration measured."""
    DYNAMIC = auto()
    """int8 inputs of linear layers, quantized at run time with the range of each row."""
    FLOAT = auto()


@dataclass(frozen=True)
class Recipe:
    """A quantization recipe.

    activations: how activations are quantized.
    weight_bits: bits of each weight element.
    per_channel: whether each output channel of a weight has its own scale.
    group_size: number of elements of a weight row that share a scale, unless the options override it; None for the whole row.
    """

    activations: Activations
    weight_bits: int = 8
    per_channel: bool = True
    group_size: int | None = None

    @property
    def needs_calibration(self) -> bool:
        """Whether the recipe needs calibration inputs."""
        return self.activations is Activations.STATIC


RECIPES: Mapping[str, Recipe] = {
    "int8_static": Recipe(Activations.STATIC),
    "int8_static_per_tensor": Recipe(Activations.STATIC, per_channel=False),
    "int8_dynamic": Recipe(Activations.DYNAMIC),
    "int4_dynamic": Recipe(Activations.DYNAMIC, weight_bits=4, group_size=32),
    "int8_weight_only": Recipe(Activations.FLOAT),
    "int4_weight_only": Recipe(Activations.FLOAT, weight_bits=4, group_size=32),
}

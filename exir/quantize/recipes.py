"""Ways of quantizing, by name. docs/quantization.md says what each is for."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Activations(Enum):
    """What becomes of the tensors that operators pass on."""

    STATIC = "int8, with ranges that calibration measured"
    DYNAMIC = "int8 in front of linear layers, with the range that they have in each run"
    FLOAT = "float"


@dataclass(frozen=True)
class Recipe:
    """One way of quantizing.

    activations: what becomes of them.
    per_channel: whether each output channel of a weight has a scale of its own.
    """

    activations: Activations
    per_channel: bool = True

    @property
    def needs_calibration(self) -> bool:
        """Whether ranges are measured on inputs like those that the model will see."""
        return self.activations is Activations.STATIC


RECIPES: Mapping[str, Recipe] = {
    "int8_static": Recipe(Activations.STATIC),
    "int8_static_per_tensor": Recipe(Activations.STATIC, per_channel=False),
    "int8_dynamic": Recipe(Activations.DYNAMIC),
    "int8_weight_only": Recipe(Activations.FLOAT),
}

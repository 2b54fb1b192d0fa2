"""Options of quantization."""

import difflib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass

from exir.error import ConfigError
from exir.files.options import check_type
from exir.quantize.recipes import RECIPES, Recipe

OBSERVERS = ("histogram", "minmax")

# The type of each option.
OPTION_TYPES = {
    "recipe": str,
    "exclude": list[str],
    "group_size": int,
    "observer": str,
    "calibration_batches": int,
    "quantize_inputs": bool,
    "quantize_outputs": bool,
}


@dataclass(frozen=True)
class QuantizationOptions:
    """A quantization recipe and its options. Invalid values raise `ConfigError`.

    recipe: name of the recipe, a key of `RECIPES`.
    exclude: qualified names of modules that stay float, with everything they contain; `*` matches any text.
    group_size: number of elements of a weight row that share a scale, for recipes that are not
      static. The default is 32 for 4-bit weights, and the whole row for 8-bit weights. It must
      divide the row length of at least one layer.
    observer: how a static recipe chooses a range from the calibration data. `minmax` uses the full range; `histogram` clips
        outliers where that lowers the squared error.
    calibration_batches: maximum number of calibration inputs that a static recipe uses; None for all.
    quantize_inputs: take int8 inputs where the program starts by quantizing them.
    quantize_outputs: return int8 outputs where the program ends by dequantizing them.
    """

    recipe: str
    exclude: Sequence[str] = ()
    group_size: int | None = None
    observer: str | None = None
    calibration_batches: int | None = None
    quantize_inputs: bool = False
    quantize_outputs: bool = False

    def __post_init__(self) -> None:
        _check_types(self)
        _check_choice("recipe", self.recipe, sorted(RECIPES))
        _check_at_least_one("calibration_batches", self.calibration_batches)
        _check_at_least_one("group_size", self.group_size)
        if self.observer is not None:
            _check_choice("observer", self.observer, OBSERVERS)
        if self.how.needs_calibration:
            self._check_static()
        else:
            self._check_not_static()

    def _check_static(self) -> None:
        if self.group_size is not None:
            raise ConfigError(
                f"'group_size' needs a recipe that is not static; '{self.recipe}' has a scale for each "
                "channel or tensor"
            )

    def _check_not_static(self) -> None:
        if self.quantize_inputs or self.quantize_outputs:
            raise ConfigError(
                f"'quantize_inputs' and 'quantize_outputs' need a static recipe; '{self.recipe}' keeps "
                "inputs and outputs float"
            )
        for key in ("observer", "calibration_batches"):
            if getattr(self, key) is not None:
                raise ConfigError(
                    f"'{key}' needs a static recipe; '{self.recipe}' does not use calibration"
                )

    @property
    def how(self) -> Recipe:
        """The recipe that the options name."""
        return RECIPES[self.recipe]

    @property
    def weight_group(self) -> int | None:
        """The number of weight elements that share a scale; None for the whole row."""
        return self.group_size or self.how.group_size

    @property
    def no_form(self) -> str:
        """The reason for operators that the recipe does not support."""
        return f"recipe '{self.recipe}' does not support this operator"


def require_torchao(recipe: str) -> None:
    """Raise `ConfigError` if the package torchao is not installed."""
    if importlib.util.find_spec("torchao") is None:
        raise ConfigError(
            f"recipe '{recipe}': torchao is not installed; install torchao, or the wheel as "
            "rules-executorch[torchao]"
        )


def _check_types(options: QuantizationOptions) -> None:
    for key, expected in OPTION_TYPES.items():
        value = getattr(options, key)
        if value is not None or key == "recipe":
            check_type(list(value) if isinstance(value, tuple) else value, expected, f"'{key}'")


def _check_at_least_one(key: str, value: int | None) -> None:
    if value is not None and value < 1:
        raise ConfigError(f"'{key}' must be at least 1, got {value}")


def _check_choice(key: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        close = difflib.get_close_matches(value, known, 1)
        hint = f"; did you mean '{close[0]}'?" if close else f"; valid: {', '.join(known)}"
        raise ConfigError(f"unknown {key} '{value}'{hint}")

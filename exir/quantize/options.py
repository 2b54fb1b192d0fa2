"""What to quantize, and how."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from exir.error import ConfigError
from exir.quantize.recipes import RECIPES, Recipe

OBSERVERS = ("histogram", "minmax")


@dataclass(frozen=True)
class QuantizationOptions:
    """A recipe and its options. `ConfigError` for values that do not fit.

    recipe: a name of `RECIPES`.
    exclude: modules that stay float with all that they contain: qualified names, in which `*` stands for anything.
    observer: how a range is chosen for what calibration has seen: `minmax` takes all of it, `histogram` cuts off rare
        outliers where that makes the squared error smaller.
    calibration_batches: how many of the calibration inputs are used; all by default.
    """

    recipe: str
    exclude: Sequence[str] = ()
    observer: str = "histogram"
    calibration_batches: int | None = None

    def __post_init__(self) -> None:
        _check_choice("recipe", self.recipe, sorted(RECIPES))
        _check_choice("observer", self.observer, OBSERVERS)
        if self.calibration_batches is not None and self.calibration_batches < 1:
            raise ConfigError(
                f"'calibration_batches' must be at least 1, got {self.calibration_batches}"
            )

    @property
    def how(self) -> Recipe:
        """The recipe of this name."""
        return RECIPES[self.recipe]


def _check_choice(key: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        close = difflib.get_close_matches(value, known, 1)
        hint = f"; did you mean '{close[0]}'?" if close else f"; there are {', '.join(known)}"
        raise ConfigError(f"'{key}': there is no {key} '{value}'{hint}")

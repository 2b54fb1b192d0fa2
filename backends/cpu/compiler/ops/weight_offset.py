"""What takes weights of few bits elsewhere than to code * scale."""

from enum import IntEnum

from torch import Tensor


class WeightOffset(IntEnum):
    """What there is one of for each group, beside its scale."""

    NONE = 0
    ZERO_POINTS = 1
    """(code - zero point) * scale."""
    MINIMA = 2
    """What a code is above the lowest * scale + minimum."""

    def parameters(self, given: Tensor | None) -> tuple[Tensor | None, Tensor | None]:
        """Zero points and minima, of what there is."""
        return (given, None) if self is WeightOffset.ZERO_POINTS else (None, given)

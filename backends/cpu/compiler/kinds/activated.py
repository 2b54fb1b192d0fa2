"""Kinds of steps that apply an activation to what they compute."""

from dataclasses import replace
from typing import Any, Self, cast

from backends.cpu.compiler.kinds.activation import Activation
from backends.cpu.compiler.kinds.operation import Operation


class Activated(Operation):
    """An operation with an activation at its end."""

    activation: Activation

    @property
    def without_residual(self) -> int | None:
        """How many inputs it has if none of them is a residual; None where it takes none."""
        return None

    def with_activation(self, activation: Activation) -> Self:
        """The same with another activation."""
        return cast(Self, replace(cast(Any, self), activation=activation))

"""Ops that apply an activation to their results."""

from dataclasses import replace
from typing import Any, Self, cast

from backends.cpu.schema.declarations import Count, OpSpec
from backends.cpu.schema.records import Activation


class Activated(OpSpec):
    """An op that applies an activation and optionally adds a residual before it."""

    activation: Activation

    @property
    def without_residual(self) -> int | None:
        """The number of inputs without a residual. It is None if the op cannot add one."""
        return len(self.inputs) - 1 if self.inputs[-1].count is Count.OPTIONAL else None

    def with_activation(self, activation: Activation) -> Self:
        """Return a copy with another activation."""
        return cast(Self, replace(cast(Any, self), activation=activation))

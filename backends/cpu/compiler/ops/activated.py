"""Ops whose declaration is not in the schema yet, with an activation."""

from backends.cpu.compiler.ops.spec import OpSpec
from backends.cpu.schema import activated


class Activated(OpSpec, activated.Activated):
    """An op with an activation at its end."""

    @property
    def without_residual(self) -> int | None:
        """The number of inputs without a residual; None if the op cannot add one."""
        return None

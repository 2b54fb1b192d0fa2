"""Every error that the compiler raises.

`UserError`s are the model author's to mend: one message that says what is wrong, where,
and what to do. An `InternalError` is a fault of the compiler.
"""

from enum import Enum, unique

from torch._export.verifier import SpecViolationError
from torch.fx import Node

from exir.base_error import ConfigError, ExirError, InvalidProgramError, UserError

__all__ = [
    "ConfigError",
    "EdgeDialectError",
    "ExirError",
    "ExportError",
    "ExportErrorType",
    "InternalError",
    "InvalidProgramError",
    "ModelError",
    "NotLocal",
    "PassError",
    "UnsupportedOperatorError",
    "UserError",
    "WeightsError",
    "internal_assert",
]


class ModelError(UserError):
    """The model's module, entry point or specification is at fault."""


class WeightsError(UserError):
    """A weights file that cannot be read or does not fit the model."""


class UnsupportedOperatorError(UserError, SpecViolationError):
    """An operator that the edge dialect, a pass or the runtime cannot carry."""


class EdgeDialectError(UserError, SpecViolationError):
    """A program that is not of the edge dialect: wrong operator, dtype, arguments or metadata."""


class PassError(UserError):
    """A pass failed; the message names it, the cause is chained."""


@unique
class ExportErrorType(Enum):
    """Kinds of `ExportError`."""

    INVALID_INPUT_TYPE = 1
    INVALID_OUTPUT_TYPE = 2
    VIOLATION_OF_SPEC = 3
    NOT_SUPPORTED = 4
    MISSING_PROPERTY = 5
    UNINITIALIZED = 6


class ExportError(UserError):
    """A program that cannot be lowered, with the kind of the fault as `error_code`."""

    def __init__(self, error_code: ExportErrorType, message: str, node: Node | None = None) -> None:
        self.error_code = error_code
        super().__init__(f"[{error_code.name}] {message}", node)


class NotLocal(ExirError):
    """A rewrite of one operator would need to see the whole program; the caller must retrace it."""


class InternalError(ExirError):
    """The compiler contradicts itself."""


def internal_assert(condition: bool, message: str, node: Node | None = None) -> None:
    """Raise `InternalError(message)` unless `condition` holds."""
    if not condition:
        raise InternalError(message, node)

"""The errors of the compiler.

A `UserError` is for the author of the model. Its message names the place, the problem and the
remedy. An `InternalError` is a bug of the compiler.
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
    """The model's module, entry point or specification is not valid."""


class WeightsError(UserError):
    """A weights file cannot be read, or does not match the model."""


class UnsupportedOperatorError(UserError, SpecViolationError):
    """An operator that the edge dialect, a pass or the runtime does not support."""


class EdgeDialectError(UserError, SpecViolationError):
    """A program violates the edge dialect: operator, dtype, arguments or metadata."""

    def __init__(self, message: str, node: Node | None = None) -> None:
        remedy = "" if ";" in message else "; correct the pass or backend that changed the graph"
        super().__init__(message + remedy, node)


class PassError(UserError):
    """A pass failed. The message names it, and the cause is chained."""


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
    """A program cannot be lowered; `error_code` is the kind of error."""

    def __init__(self, error_code: ExportErrorType, message: str, node: Node | None = None) -> None:
        self.error_code = error_code
        super().__init__(f"[{error_code.name}] {message}", node)


class NotLocal(ExirError):
    """Rewriting one operator affects the whole program; the caller must retrace it."""


class InternalError(ExirError):
    """A bug of the compiler."""


def internal_assert(condition: bool, message: str, node: Node | None = None) -> None:
    """Raise `InternalError(message)` unless `condition` holds."""
    if not condition:
        raise InternalError(message, node)

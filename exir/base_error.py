"""The compiler's error classes that do not need torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch.fx import Node

    from exir.debug.source import SourceLocation


class ExirError(Exception):
    """Base class of all errors.

    It stores the graph node, source line and pass, if known.

    pass_name: the pass that raised the error.
    """

    def __init__(self, message: str, node: Node | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.node_name: str | None = node.name if node is not None else None
        self.source: SourceLocation | None = _source_line(node) if node is not None else None
        self.pass_name: str | None = None

    def __str__(self) -> str:
        lines = [self.message]
        if self.node_name:
            lines.append(f"  node: {self.node_name}")
        if self.source:
            lines.append(f"  source: {self.source}: {self.source.code}")
        if self.pass_name:
            lines.append(f"  pass: {self.pass_name}")
        return "\n".join(lines)


class UserError(ExirError):
    """The model, its configuration or a call is not valid."""


class ConfigError(UserError, ValueError):
    """A configuration key or value is unknown or not valid."""


class InvalidProgramError(UserError):
    """The bytes are not a valid `.pte` program; the message names the faulty element."""


def _source_line(node: Node) -> SourceLocation | None:
    # A caller that has a node has already imported torch.
    from exir.debug.source import source_of

    return source_of(node)

"""A rebuilt program, and the modules that define its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from exir import ExecutorchBackendConfig, ExecutorchProgramManager, to_edge


@dataclass(frozen=True)
class Rebuilt:
    """A rebuilt program.

    eager: the eager module of each method, if the official runtime cannot run the program.
    share_planned: the planned buffer that the methods share, or 0.
    """

    manager: ExecutorchProgramManager
    eager: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    share_planned: int = 0


Make = Callable[[], Rebuilt]


def rebuild(
    module: nn.Module, inputs: tuple[Any, ...], shapes: Any = None, config: ExecutorchBackendConfig | None = None
) -> Rebuilt:
    """Build the program of one module."""
    program = torch.export.export(module.eval(), inputs, dynamic_shapes=shapes)
    return Rebuilt(to_edge(program).to_executorch(config or ExecutorchBackendConfig()))

"""A program made anew, and the modules that say what it computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from exir import ExecutorchBackendConfig, ExecutorchProgramManager, to_edge


@dataclass(frozen=True)
class Rebuilt:
    """A program and, where the official runtime cannot run it, what its methods compute in eager PyTorch.

    share_planned: the planned buffer that the methods share, or 0.
    """

    manager: ExecutorchProgramManager
    eager: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    share_planned: int = 0


Make = Callable[[], Rebuilt]


def of(
    module: nn.Module, inputs: tuple[Any, ...], shapes: Any = None, config: ExecutorchBackendConfig | None = None
) -> Rebuilt:
    """The program of one module."""
    program = torch.export.export(module.eval(), inputs, dynamic_shapes=shapes)
    return Rebuilt(to_edge(program).to_executorch(config or ExecutorchBackendConfig()))

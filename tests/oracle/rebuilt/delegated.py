"""Programs for the demo backends, which the official runtime does not have."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.export import export

from backends.demo.compiler_demo import (
    BackendWithCompilerDemo,
    BackendWithDelegateMappingDemo,
    CompilerDemoPartitioner,
)
from exir import ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower
from exir.backend.backend_api import to_backend
from exir.backend.compile_spec_schema import CompileSpec
from exir.lowered_backend_module import LoweredBackendModule
from tests.oracle.rebuilt.rebuilt import Make, Rebuilt


class _Sine(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.sin(x)


class _Composite(nn.Module):
    def __init__(self, lowered: LoweredBackendModule) -> None:
        super().__init__()
        self.lowered = lowered

    def forward(self, x: Tensor) -> Tensor:
        return self.lowered(x) + x


class _Products(nn.Module):
    def forward(self, a: Tensor, x: Tensor, b: Tensor) -> Tensor:
        z = torch.mm(a, x) + b
        return torch.mm(z - a, x) + b


def _composite() -> Rebuilt:
    inputs = (torch.ones(1),)
    edge = to_edge(export(_Sine(), inputs)).exported_program()
    lowered = to_backend(BackendWithCompilerDemo.__name__, edge, [CompileSpec("max_value", bytes([1]))])
    manager = to_edge(export(_Composite(lowered), inputs)).to_executorch()
    return Rebuilt(manager, {"forward": lambda x: torch.sin(x) + x})


def _matrices() -> tuple[Tensor, Tensor, Tensor]:
    return torch.randn(2, 2), torch.randn(2, 2), torch.randn(2, 2)


def _partitioned() -> Rebuilt:
    module = _Products()
    manager = to_edge(export(module, _matrices())).to_backend(CompilerDemoPartitioner()).to_executorch()
    return Rebuilt(manager, {"forward": module})


def _inline() -> Rebuilt:
    """Build a program that contains the delegates' data."""
    module = _Products()
    edge = to_edge_transform_and_lower(export(module, _matrices()), partitioner=[CompilerDemoPartitioner()])
    return Rebuilt(edge.to_executorch(ExecutorchBackendConfig(extract_delegate_segments=False)), {"forward": module})


class _Alone(nn.Module):
    """A module that consists of one delegate."""

    def __init__(self, lowered: LoweredBackendModule) -> None:
        super().__init__()
        self.lowered = lowered

    def forward(self, x: Tensor) -> Tensor:
        return self.lowered(x)


def _mapped() -> Rebuilt:
    module, inputs = BackendWithDelegateMappingDemo.get_test_model_and_inputs()
    edge = to_edge(export(module, inputs)).exported_program()
    lowered = to_backend(BackendWithDelegateMappingDemo.__name__, edge, [])
    return Rebuilt(to_edge(export(_Alone(lowered), inputs)).to_executorch(), {"forward": module})


PROGRAMS: dict[str, Make] = {
    "tut07b_composite_lowered": _composite,
    "tut08_partitioner_demo": _partitioned,
    "tut08b_transform_and_lower_demo": _inline,
    "tut09_delegate_mapping_demo": _mapped,
}

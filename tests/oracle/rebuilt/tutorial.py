"""The programs of the export tutorial that do not use a backend."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim, export

from exir import ExecutorchBackendConfig, to_edge
from exir.dialects._ops import ops
from exir.memory_planning import MemoryPlanningAlgorithmSuite, greedy
from exir.pass_base import ExportPass
from exir.passes import MemoryPlanningPass
from tests.oracle.rebuilt.rebuilt import Make, Rebuilt, rebuild


class SimpleConv(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.conv(x))


class Sum(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y


class _Ones(nn.Module):
    """A linear layer whose weights are ones."""

    def __init__(self, outputs: int, inputs: int, with_bias: bool) -> None:
        super().__init__()
        self.outputs, self.inputs, self.with_bias = outputs, inputs, with_bias

    def forward(self, x: Tensor) -> Tensor:
        bias = torch.ones(self.outputs) if self.with_bias else None
        return nn.functional.linear(x, torch.ones(self.outputs, self.inputs), bias)


class _ReluToSigmoid(ExportPass):
    def call_operator(self, op: Any, args: tuple[Any, ...], kwargs: dict[str, Any], meta: Any) -> Any:
        if op == ops.edge.aten.relu.default:
            op = ops.edge.aten.sigmoid.default
        return super().call_operator(op, args, kwargs, meta)


def _image(size: int) -> tuple[Tensor]:
    return (torch.randn(1, 3, size, size),)


def _dynamic() -> Rebuilt:
    columns = Dim("columns", min=1, max=10)
    return rebuild(Sum(), (torch.randn(3, 3), torch.randn(3, 3)), {"x": {1: columns}, "y": {1: columns}})


def _encode_decode() -> Rebuilt:
    encode, decode = (_Ones(5, 10, True), (torch.randn(1, 10),)), (_Ones(10, 5, False), (torch.randn(1, 5),))
    programs = {"encode": export(*encode), "decode": export(*decode)}
    return Rebuilt(to_edge(programs).to_executorch())


def _transformed() -> Rebuilt:
    manager = to_edge(export(SimpleConv().eval(), _image(32))).transform([_ReluToSigmoid()])
    return Rebuilt(manager.to_executorch())


def _constants() -> Rebuilt:
    values = {
        "get_dim": 3,
        "get_name": "simpleconv",
        "get_scale": 0.5,
        "is_quant": False,
        "get_bias": torch.arange(4.0),
    }
    return Rebuilt(to_edge(export(SimpleConv().eval(), _image(16)), constant_methods=values).to_executorch())


def _planned_by(planner: MemoryPlanningPass) -> Rebuilt:
    return rebuild(SimpleConv(), _image(64), config=ExecutorchBackendConfig(memory_planning_pass=planner))


_GREEDY = MemoryPlanningPass(memory_planning_algo=MemoryPlanningAlgorithmSuite(algo_list=[greedy]))

PROGRAMS: dict[str, Make] = {
    "tut01_simpleconv": lambda: rebuild(SimpleConv(), _image(256)),
    "tut02_basic_add": lambda: rebuild(Sum(), (torch.randn(3, 3), torch.randn(3, 3))),
    "tut03_dynamic_basic": _dynamic,
    "tut05_multimethod_encode_decode": _encode_decode,
    "tut06_transform_exportpass": _transformed,
    "tut10_cfg_greedy": lambda: _planned_by(_GREEDY),
    "tut10_cfg_noalloc_io": lambda: _planned_by(MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)),
    "tut10_cfg_keep_view": lambda: rebuild(
        SimpleConv(), _image(64), config=ExecutorchBackendConfig(remove_view_copy=False)
    ),
    "tut11_constant_methods": _constants,
}

"""Nested inputs and outputs, control flow, and methods that share state."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch._higher_order_ops.map import map as map_over
from torch.export import export

from exir import ExecutorchBackendConfig, to_edge
from exir.passes import MemoryPlanningPass
from tests.oracle.rebuilt.rebuilt import Make, Rebuilt, rebuild


class _Nested(nn.Module):
    def forward(self, named: dict[str, Tensor], listed: list[Tensor]) -> dict[str, object]:
        return {"a": named["x"] + listed[0], "b": [listed[1] * 2, (named["y"],)]}


class _Branches(nn.Module):
    def forward(self, flag: Tensor, x: Tensor) -> Tensor:
        return torch.cond(flag, lambda x: x.sin() + 1, lambda x: x.cos() * 2, (x,))


class _Map(nn.Module):
    def forward(self, rows: Tensor, y: Tensor) -> Tensor:
        return map_over(lambda row, y: row * y + 1, rows, y)


class _State(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("state", torch.zeros(4))
        self.weight = nn.Linear(4, 4)


class _Set(nn.Module):
    def __init__(self, state: _State) -> None:
        super().__init__()
        self.owner = state

    def forward(self, x: Tensor) -> Tensor:
        self.owner.state.copy_(self.owner.weight(x))
        return x + 0


class _Get(nn.Module):
    def __init__(self, state: _State) -> None:
        super().__init__()
        self.owner = state

    def forward(self, x: Tensor) -> Tensor:
        return self.owner.state + x + self.owner.weight(x)


def _shared_state() -> Rebuilt:
    """Build methods with shared state, which the official runtime does not support."""
    state = _State().eval()
    methods = {"set": _Set(state), "get": _Get(state)}
    planner = MemoryPlanningPass(share_mutable_buffers=True)
    config = ExecutorchBackendConfig(memory_planning_pass=planner, emit_mutable_buffer_names=True)
    programs = {name: export(module, (torch.randn(4),)) for name, module in methods.items()}
    return Rebuilt(to_edge(programs).to_executorch(config), methods, share_planned=2)


def _nested() -> Rebuilt:
    named, listed = {"x": torch.randn(2), "y": torch.randn(3)}, [torch.randn(2), torch.randn(4)]
    return rebuild(_Nested(), (named, listed))


PROGRAMS: dict[str, Make] = {
    "nested_pytree_io": _nested,
    "control_flow_cond": lambda: rebuild(_Branches(), (torch.tensor(True), torch.randn(3, 4))),
    "control_flow_map": lambda: rebuild(_Map(), (torch.randn(4, 3), torch.randn(3))),
    "multi_state_shared": _shared_state,
}

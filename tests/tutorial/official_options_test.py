"""Tests that programs with options of the official package match eager PyTorch.

Only the official package has these options; the programs run on the C runtime.
"""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils import _pytree as pytree

from exir.cli.reporting.calls import Call
from exir.testing.graphs import operator_names
from tests.operators.compiled import replay

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "compat"))


class _Cache(torch.nn.Module):
    """Sets two rows of a state one after another, and returns the whole state."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("state", torch.zeros(4, 3))

    def forward(self, at: torch.Tensor, row: torch.Tensor) -> Any:
        self.state.index_put_((at,), row)
        self.state.index_put_((at + 1,), row * 2)
        return self.state, self.state.sum()


class _Old(torch.nn.Module):
    """Reads a state's old value through a view after a row is set."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("state", torch.ones(4, 3))

    def forward(self, at: torch.Tensor, row: torch.Tensor) -> Any:
        before = self.state.view(12)
        new = torch.index_put(self.state, (at,), row)
        total = before * 2
        self.state.copy_(new)
        return total, new.sum()


class _Temporary(torch.nn.Module):
    """Mutates a tensor that is not a state, and uses a view of its old value."""

    def forward(self, at: torch.Tensor, row: torch.Tensor) -> Any:
        rows = row.expand(4, 3) + 1
        before = rows.reshape(12)
        once = torch.index_put(rows, (at,), row)
        twice = torch.index_put(once, (at + 1,), row, accumulate=True)
        return twice.reshape(12), before * 2


class _Swap(torch.nn.Module):
    """Swaps two states, and sets one row of each."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("a", torch.zeros(4, 3))
        self.register_buffer("b", torch.ones(4, 3))

    def forward(self, at: torch.Tensor, row: torch.Tensor) -> Any:
        a, b = torch.index_put(self.a, (at,), row), torch.index_put(self.b, (at,), row * 3)
        self.a.copy_(b)
        self.b.copy_(a)
        return a + b


class _Sum(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sin(x) + x


def _lowered(module: torch.nn.Module, inputs: tuple[Any, ...], run_reinplace_pass: bool) -> Any:
    from executorch.exir import ExecutorchBackendConfig, to_edge

    edge = to_edge(torch.export.export(copy.deepcopy(module), inputs))
    return edge.to_executorch(ExecutorchBackendConfig(run_reinplace_pass=run_reinplace_pass))


def _calls(module: torch.nn.Module) -> list[Call]:
    """Return three calls with their results in eager PyTorch."""
    every = []
    for position in range(3):
        inputs = (torch.tensor([position]), torch.randn(1, 3))
        expected = pytree.tree_map(torch.clone, module(*inputs))
        every.append(Call("forward", inputs, tuple(pytree.tree_leaves(expected))))
    return every


@pytest.mark.parametrize("module_type, in_place", [(_Cache, 2), (_Old, 1), (_Temporary, 2), (_Swap, 2)])
def test_in_place_operators_match_functional_ones(module_type: type[torch.nn.Module], in_place: int) -> None:
    torch.manual_seed(0)
    module = module_type()
    inputs = (torch.tensor([0]), torch.randn(1, 3))
    for option, expected in ((False, 0), (True, in_place)):
        program = _lowered(module, inputs, option)
        names = operator_names(program.exported_program())
        assert names.count("aten::index_put_") == expected, names
        assert replay(program.buffer, _calls(copy.deepcopy(module)), {}, "--atol=1e-6", "--rtol=0") == ""


def test_state_mutated_in_place_is_copied_only_where_returned() -> None:
    inputs = (torch.tensor([0]), torch.randn(1, 3))
    names = operator_names(_lowered(_Cache(), inputs, True).exported_program())
    assert "aten::copy_" not in names and names.count("aten::clone.out") == 1


def _config(**options: Any) -> Any:
    from executorch.exir import ExecutorchBackendConfig

    return ExecutorchBackendConfig(**options)


def test_in_place_operator_without_a_kernel_is_refused() -> None:
    from executorch.exir.dialects._ops import ops

    available = r"in-place kernels: aten::copy_ and aten::index_put_$"
    assert _config(reinplace_extra_ops=frozenset({ops.edge.aten.index_put.default})) is not None
    with pytest.raises(ValueError, match=rf"'reinplace_extra_ops': aten::relu_ has no kernel; {available}"):
        _config(reinplace_extra_ops=frozenset({ops.edge.aten.relu.default}))
    with pytest.raises(
        ValueError, match="'reinplace_extra_ops': aten.cat.default has no in-place variant with the same"
    ):
        _config(reinplace_extra_ops=frozenset({ops.edge.aten.cat.default}))
    with pytest.raises(ValueError, match="'reinplace_extra_ops': aten.relu.default is not an edge operator"):
        _config(reinplace_extra_ops=frozenset({torch.ops.aten.relu.default}))


def test_custom_in_place_operator_is_accepted() -> None:
    from executorch.exir.dialects._ops import ops

    with torch.library._scoped_library("in_place_test", "DEF") as library:
        library.define("twice(Tensor x) -> Tensor")
        library.define("twice_(Tensor(a!) x) -> Tensor(a!)")
        assert _config(reinplace_extra_ops=frozenset({ops.edge.in_place_test.twice.default})) is not None


@pytest.mark.parametrize(
    "config, problem",
    [("cuda", "got str"), (True, "got bool"), ({"forward": "cuda"}, "got str for method 'forward'")],
)
def test_unspecified_device_copies_are_refused(config: Any, problem: str) -> None:
    message = f"'propagate_device_config' must be a PropagateDeviceConfig, or a dict of them by method, {problem}$"
    with pytest.raises(ValueError, match=message):
        _config(propagate_device_config=config)


def test_device_copies_are_requested_per_method() -> None:
    from executorch.exir.passes.propagate_device_config import PropagateDeviceConfig

    for option in (None, PropagateDeviceConfig(), {"forward": PropagateDeviceConfig()}):
        assert _config(propagate_device_config=option).propagate_device_config is option


def test_delegate_on_another_device_is_refused() -> None:
    from executorch.exir import to_edge
    from executorch.exir.backend.canonical_partitioners.all_node_partitioner import AllNodePartitioner
    from executorch.exir.backend.compile_spec_schema import CompileSpec
    from executorch.exir.backend.test.backend_with_compiler_demo import BackendWithCompilerDemo
    from executorch.exir.passes.propagate_device_pass import TARGET_DEVICE_COMPILE_SPEC_KEY

    def lowered(device: bytes) -> Any:
        specs = [CompileSpec("max_value", bytes([3])), CompileSpec(TARGET_DEVICE_COMPILE_SPEC_KEY, device)]
        edge = to_edge(torch.export.export(_Sum(), (torch.randn(3),)))
        return edge.to_backend(AllNodePartitioner(BackendWithCompilerDemo.__name__, specs))

    assert lowered(b"cpu").to_executorch(_config()).buffer
    message = r"'.*' runs on cuda:1, as backend 'BackendWithCompilerDemo' requests, .* set enable_non_cpu_memory_planning=False"
    with pytest.raises(ValueError, match=message):
        lowered(b"cuda:1").to_executorch(_config())
    on_the_cpu = _config(enable_non_cpu_memory_planning=False)
    assert lowered(b"cuda:1").to_executorch(on_the_cpu).buffer

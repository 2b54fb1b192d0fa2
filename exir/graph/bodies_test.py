"""Tests that graphs of control flow can access the constants that they capture."""

from typing import Any

import torch
from torch import Tensor, nn
from torch._higher_order_ops import scan, while_loop
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind

from exir.decomposition.decompose import to_core_aten
from exir.graph.bodies import bodies, drop_unused_operands, run_in_bodies
from exir.graph.constants import ConstantTable
from exir.graph.control_flow import regions
from exir.graph.fake_mode import fake_mode_of
from exir.testing.graphs import assert_same, run, run_module
from exir.testing.models import Example


class _NestedControlFlow(nn.Module):
    """A `cond` in a `while_loop`.

    The branch captures a weight, which is also the loop's initial value.
    """

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(3, 3))
        self.register_buffer("state", torch.rand(3))

    def forward(self, x: Tensor) -> Any:
        def body(i: Tensor, a: Tensor) -> tuple[Tensor, Tensor]:
            chosen = torch.cond(
                a[0, 0] > 0, lambda b: b @ self.weight, lambda b: b * 2 + self.state, (a,)
            )
            return i + 1, torch.tanh(chosen + x)

        result = while_loop(lambda i, a: i < 3, body, (torch.tensor(0), self.weight.clone()))[1]
        self.state.add_(1)
        return result


class _RowScan(nn.Module):
    """A scan over the rows of weights."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.rand(4, 3, 3))
        self.last = nn.Parameter(torch.rand(3, 3))

    def forward(self, x: Tensor) -> Any:
        return scan(lambda a, w: (torch.tanh(a @ w), a @ self.last), x.clone(), self.weights)


def _export_program(module: nn.Module) -> tuple[Example, ExportedProgram]:
    torch.manual_seed(0)
    example = Example(module.eval(), (torch.rand(3, 3),))
    return example, to_core_aten(example.export(), {})


def _captured_constants(program: ExportedProgram) -> list[list[str | None]]:
    """Return the names of the constants that each body can access."""
    found = []
    for body in bodies(program):
        specs = body.program.graph_signature.input_specs
        found.append([spec.target for spec in specs if spec.kind is not InputKind.USER_INPUT])
    return found


def test_captured_weights_are_known_at_every_level() -> None:
    _, program = _export_program(_NestedControlFlow())
    depths = [len(body.path) for body in bodies(program)]
    assert depths == [1, 1, 2, 2]
    condition, body, on_true, _ = _captured_constants(program)
    assert "weight" in condition and "weight" in body and "weight" in on_true
    assert all("state" not in names for names in _captured_constants(program))


def test_rows_and_carried_values_are_not_constants() -> None:
    _, program = _export_program(_RowScan())
    assert _captured_constants(program) == [["last"]]


def test_changed_constant_is_replaced_in_one_body_only() -> None:
    example, program = _export_program(_NestedControlFlow())

    def double(view: ExportedProgram) -> None:
        constants = ConstantTable(view, fake_mode_of(view.graph))
        if any("aten.mm" in str(node.target) for node in view.graph.nodes):
            for node in view.graph.find_nodes(op="placeholder"):
                tensor = constants.tensor(node)
                if tensor is not None:
                    constants.set_value(node, tensor * 2)

    run_in_bodies(program, double)
    changed = _NestedControlFlow()
    changed.load_state_dict(example.module.state_dict())
    weight = changed.weight.detach()

    def forward(x: Tensor) -> Any:
        a = weight
        for _ in range(3):
            a = torch.tanh((a @ (weight * 2) if a[0, 0] > 0 else a * 2 + changed.state) + x)
        return a

    (x,) = example.inputs
    with torch.no_grad():
        assert_same(run(program, (x,)), [forward(x)])


def test_unused_operands_are_removed_from_control_flow_graphs() -> None:
    example, program = _export_program(_NestedControlFlow())
    before = run(program, example.inputs)
    drop_unused_operands(program)
    for body in bodies(program):
        first = len(regions(body.path[-1])[0].operands) - len(body.path[-1].args[-1])
        siblings = [region.graph_module.graph for region in regions(body.path[-1])]
        columns = zip(*(graph.find_nodes(op="placeholder")[first:] for graph in siblings))
        assert all(any(node.users for node in column) for column in columns)
    assert_same(run(program, example.inputs), before)
    assert_same(before, run_module(example.module, example.inputs))

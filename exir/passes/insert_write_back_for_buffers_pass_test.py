"""Tests that mutated buffers are written back without losing old values."""

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from exir.passes.insert_write_back_for_buffers_pass import InsertWriteBackForBuffersPass
from exir.program import to_edge
from exir.testing import models
from exir.testing.graphs import operator_names, rewrite_in_place
from exir.testing.models import Example

COPY = torch.ops.aten.copy_.default


class Two(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("a", torch.zeros(2))
        self.register_buffer("b", torch.ones(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.a.add_(x)
        self.b.mul_(x)
        return self.a + self.b


def written_back(program: ExportedProgram) -> ExportedProgram:
    done = InsertWriteBackForBuffersPass()
    program = done.run(program)
    done.ensures(program)
    return program


def copies(program: ExportedProgram) -> list[Node]:
    return program.graph.find_nodes(op="call_function", target=COPY)


def test_write_backs_are_last_in_buffer_order() -> None:
    program = written_back(to_edge(Example(Two(), (torch.ones(2),)).export()).exported_program())
    last = list(program.graph.nodes)[-3:-1]
    assert last == copies(program)
    assert [copy.args[0].name for copy in last] == ["b_a", "b_b"]


def test_signature_names_the_write_backs() -> None:
    program = written_back(to_edge(models.counter().export()).exported_program())
    assert program.graph_signature.buffers_to_mutate == {copies(program)[0].name: "total"}


def test_program_without_state_is_unchanged_by_write_back() -> None:
    program = to_edge(models.mlp().export()).exported_program()
    before = [node.name for node in program.graph.nodes]
    assert [node.name for node in written_back(program).graph.nodes] == before


def test_returned_old_value_is_saved_before_the_write_back() -> None:
    program = to_edge(Example(Two(), (torch.ones(2),)).export()).exported_program()
    output = program.graph.output_node()
    old = program.graph.find_nodes(op="placeholder")[0]
    output.args = ((*output.args[0][:2], old),)
    saved = written_back(program).graph.output_node().args[0][2]
    nodes = list(program.graph.nodes)
    assert saved.target is torch.ops.aten.clone.default
    assert nodes.index(saved) < nodes.index(copies(program)[0])


def test_swapped_buffers_are_saved_before_the_write_backs() -> None:
    program = to_edge(Example(Two(), (torch.ones(2),)).export()).exported_program()
    output = program.graph.output_node()
    a, b = program.graph.find_nodes(op="placeholder")[:2]
    output.args = ((b, a, *output.args[0][2:]),)
    sources = [copy.args[1] for copy in copies(written_back(program))]
    assert [(source.target, source.args) for source in sources] == [
        (torch.ops.aten.clone.default, (b,)),
        (torch.ops.aten.clone.default, (a,)),
    ]


class Rows(torch.nn.Module):
    """Sets a row of a buffer, and returns the buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("rows", torch.zeros(4, 2))

    def forward(self, at: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        self.rows.index_put_((at,), row)
        return self.rows


def test_in_place_result_is_copied_only_where_it_leaves() -> None:
    program = to_edge(Example(Rows(), (torch.tensor([1]), torch.ones(1, 2))).export()).exported_program()
    rewrite_in_place(program)
    program = written_back(program)
    assert operator_names(program) == ["aten::index_put_", "aten::clone"]
    new, returned = program.graph.output_node().args[0]
    assert returned.args == (new,)

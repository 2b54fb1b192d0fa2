"""Tests of programs as readable text."""

import io

from exir import to_edge
from exir.print_program import inspect_node, print_program
from exir.schema import Program
from exir.testing import models, programs
from exir.testing.models import Example


def _emit_program(example: Example) -> Program:
    return to_edge(example.export()).to_executorch().executorch_program


def _program_text(program: Program, **options: bool) -> list[str]:
    out = io.StringIO()
    print_program(program, out=out, **options)
    return [line.strip() for line in out.getvalue().splitlines()]


def test_printed_method_lists_inputs_calls_and_outputs() -> None:
    lines = _program_text(_emit_program(models.mlp()))
    assert lines[0] == "method forward"
    assert [line.split("(")[0] for line in lines if line[0].isdigit()] == [
        "0: aten::addmm.out",
        "1: aten::relu.out",
        "2: aten::addmm.out",
    ]
    assert lines[-1].startswith("outputs: %")


def test_printed_program_shows_constants_and_offsets() -> None:
    lines = _program_text(_emit_program(models.mlp()))
    assert any("float[8, 16] constant 1" in line for line in lines)
    assert any("float[3, 16] at 1+" in line for line in lines)


def test_printed_planned_buffers_start_at_1() -> None:
    program = _emit_program(models.mlp())
    _, size = program.execution_plan[0].non_const_buffer_sizes
    arenas = [line for line in _program_text(program) if line.startswith("arena ")]
    assert arenas == [f"arena 1: {size} bytes"]


def test_offsets_can_be_omitted_from_the_print() -> None:
    assert not any(
        " at 1+" in line for line in _program_text(_emit_program(models.mlp()), show_meminfo=False)
    )


def test_upper_bounds_are_printed_on_request() -> None:
    program = _emit_program(models.dynamic_add())
    assert any(
        "float~[16, 4]" in line for line in _program_text(program, mark_dynamic_shape_tensor=True)
    )
    assert any("float[16, 4]" in line for line in _program_text(program))


def test_printed_control_flow_shows_jumps() -> None:
    lines = _program_text(_emit_program(programs.CASES["branches"]()))
    jumps = [line.split(": ")[1] for line in lines if " go to " in line]
    assert len(jumps) == 2
    assert jumps[0].startswith("unless %") and jumps[1].startswith("go to ")


def test_arrow_marks_the_node() -> None:
    graph = models.mlp().export().graph
    node = list(graph.nodes)[-2]
    marked = [line for line in inspect_node(graph, node).splitlines() if line.startswith("-->")]
    assert len(marked) == 1 and f"%{node.name} :" in marked[0]

"""Tests that programs contain the ranges of sizes and integers."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._higher_order_ops import map as map_rows
from torch._higher_order_ops import scan
from torch.export import Dim, export

from exir import to_edge
from exir.error import ExportError
from exir.graph.input_bounds import open_dimensions
from exir.inspection.ranges import NUMBER, Range, Steps, ranges_of, steps_of


class _FunctionModule(torch.nn.Module):
    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any) -> object:
        return self.function(*inputs)


def _emit_plan(function: Callable[..., object], inputs: tuple[Any, ...], *shapes: Any) -> Any:
    program = export(_FunctionModule(function), inputs, dynamic_shapes=(shapes,))
    return to_edge(program).to_executorch().executorch_program.execution_plan[0]


def _plan_inputs(plan: Any) -> list[tuple[Steps | None, ...]]:
    return [steps_of(plan, index) for index in plan.inputs]


def test_fixed_dimension_of_a_dynamic_input_is_not_a_range() -> None:
    plan = _emit_plan(lambda x: x * 2, (torch.ones(6, 4),), {0: Dim("n", min=2, max=8)})
    assert _plan_inputs(plan) == [(Steps(2, 8), None)]
    assert steps_of(plan, plan.outputs[0]) == (Steps(2, 8), None)


def test_static_program_has_no_ranges() -> None:
    plan = _emit_plan(lambda x: x * 2, (torch.ones(6, 4),), None)
    assert ranges_of(plan) is None
    assert _plan_inputs(plan) == [()]


def test_multiple_of_a_dim_has_a_step() -> None:
    plan = _emit_plan(lambda x: x * 2, (torch.ones(16),), {0: 8 * Dim("n", min=1, max=8)})
    assert _plan_inputs(plan) == [(Steps(8, 64, 8),)]


def test_steps_start_at_the_minimum_size() -> None:
    plan = _emit_plan(lambda x: x * 2, (torch.ones(7),), {0: 3 * Dim("n", min=1, max=5) + 1})
    assert _plan_inputs(plan) == [(Steps(4, 16, 3),)]


def test_equal_dims_refer_to_each_other() -> None:
    n = Dim("n", min=1, max=8)
    plan = _emit_plan(lambda x, y: x * y.sum(), (torch.ones(7), torch.ones(3)), {0: 2 * n + 1}, {0: n})
    first, second = plan.inputs
    ranges = ranges_of(plan)
    assert ranges is not None
    assert ranges[:2] == [Range(first, 0, 3, 17, 2, 0), Range(second, 0, 1, 8, 1, 0)]


def test_implicit_lower_bound_of_torch_is_omitted() -> None:
    with pytest.warns(UserWarning, match="has no upper bound, so the example's value 6"):
        plan = _emit_plan(lambda x: x * 2, (torch.ones(6),), {0: Dim.AUTO})
    assert _plan_inputs(plan) == [(Steps(0, 6),)]


def test_integer_input_has_a_range() -> None:
    plan = _emit_plan(lambda x, k: x * k, (torch.ones(6), 3), None, Dim.DYNAMIC(min=1, max=5))
    ranges = ranges_of(plan)
    assert ranges is not None
    assert ranges[0] == Range(plan.inputs[1], NUMBER, 1, 5, 1, 0)


def test_integer_that_determines_sizes_is_bounded_by_the_example() -> None:
    with pytest.warns(UserWarning, match="integer input 'inputs_1' has no upper bound"):
        plan = _emit_plan(lambda x, k: torch.zeros(k) + x, (torch.ones(1), 3), None, Dim.DYNAMIC)
    assert _plan_inputs(plan)[1] == (Steps(0, 3),)


def test_integer_that_determines_no_size_is_unbounded() -> None:
    plan = _emit_plan(lambda x, k: x * k, (torch.ones(6), 3), None, Dim.DYNAMIC)
    assert _plan_inputs(plan)[1] == (Steps(0, 2**63 - 1),)


def test_range_of_an_integer_from_two_starts_at_zero() -> None:
    plan = _emit_plan(lambda x, k: x * k, (torch.ones(6), 3), None, Dim.DYNAMIC(min=2, max=5))
    assert _plan_inputs(plan)[1] == (Steps(0, 5),)


def test_size_decreasing_in_an_integer_is_planned_for_zero() -> None:
    """torch.export assigns the integer a range that starts at 2."""
    plan = _emit_plan(lambda x, k: x[k:] * 1, (torch.ones(10), 3), None, Dim.DYNAMIC(min=0, max=4))
    assert _plan_inputs(plan)[1] == (Steps(0, 4),)
    assert steps_of(plan, plan.outputs[0]) == (Steps(6, 10),)


def _running_sums(x: torch.Tensor) -> torch.Tensor:
    return scan(lambda total, row: (total + row, total.clone()), torch.zeros(4), x)[1]


@pytest.mark.parametrize("loop", [lambda x: map_rows(torch.sin, x), _running_sums])
def test_loop_over_rows_requires_a_row(loop: Callable[..., object]) -> None:
    plan = _emit_plan(loop, (torch.ones(6, 4),), {0: Dim("rows", max=8)})
    assert _plan_inputs(plan) == [(Steps(1, 8), None)]


def test_loop_over_rows_requires_one_step_of_the_size() -> None:
    plan = _emit_plan(
        lambda x: map_rows(torch.sin, x), (torch.ones(6, 4),), {0: 2 * Dim("pairs", max=4)}
    )
    assert _plan_inputs(plan) == [(Steps(2, 8, 2), None)]


def test_constant_integer_has_no_range() -> None:
    plan = _emit_plan(lambda x, k: x * k, (torch.ones(6), 3), None, None)
    assert _plan_inputs(plan)[1] == ()


def test_negative_example_of_an_integer_is_refused() -> None:
    with pytest.raises(
        ExportError, match="'inputs_1' has the example value -3, but torch.export assumes at least 0"
    ):
        _emit_plan(lambda x, k: x * k, (torch.ones(6), -3), None, Dim.DYNAMIC)


def test_compiling_does_not_change_bounds_of_its_input() -> None:
    program = export(
        _FunctionModule(lambda x: x * 2), (torch.ones(6),), dynamic_shapes=(({0: Dim.AUTO},),)
    )
    before = dict(program.range_constraints)
    with pytest.warns(UserWarning, match="has no upper bound"):
        to_edge(program).to_executorch()
    assert program.range_constraints == before


@pytest.mark.parametrize(
    ("indices", "low"),
    [(slice(-1, None), 1), (slice(0, 2), 2), (slice(0, 1), 1), (slice(-2, None), 2)],
)
def test_slice_of_static_size_raises_the_lower_bound(indices: slice, low: int) -> None:
    module = _FunctionModule(lambda x: x[indices] * 2.0)
    exported = export(module, (torch.zeros(3, 7),), dynamic_shapes=(({0: Dim("rows", min=0, max=4)},),))
    (known,) = to_edge(exported).exported_program().range_constraints.values()
    assert (known.lower, known.upper) == (low, 4)


@pytest.mark.parametrize(
    ("indices", "steps"),
    [(slice(0, 2), Steps(3, 12, 3)), (slice(-4, None), Steps(6, 12, 3)), (slice(2, 2), Steps(0, 12, 3))],
)
def test_slice_of_static_size_raises_the_lower_bound_of_a_multiple(indices: slice, steps: Steps) -> None:
    """torch.export stores the bounds of the multiple, and a range from 2 of its Dim."""
    x = torch.ones(6, 7)
    plan = _emit_plan(lambda x: x[indices] * 2, (x,), {0: 3 * Dim("n", min=0, max=4)})
    assert _plan_inputs(plan) == [(steps, None)]


def test_slice_of_static_size_keeps_the_bounds_of_other_sizes() -> None:
    module = _FunctionModule(lambda x, y: (x[:2] * 2.0, x.sum(0) + y))
    dims = tuple({0: Dim(name, min=0, max=4)} for name in ("rows", "others"))
    exported = export(module, (torch.zeros(3, 7), torch.zeros(3, 7)), dynamic_shapes=(dims,))
    bounds = to_edge(exported).exported_program().range_constraints.values()
    assert sorted((int(known.lower), int(known.upper)) for known in bounds) == [(0, 4), (2, 4)]


def test_slice_from_an_integer_narrows_the_range_of_the_integer() -> None:
    """torch.export evaluates `n // 2 > 2 - n` for the example; the result is empty."""
    module = _FunctionModule(lambda x, n: x[n:][n // 2 :] * 1.0)
    shapes: Any = ({}, Dim.DYNAMIC(min=0, max=5))
    exported = export(module, (torch.zeros(2, 3), 2), dynamic_shapes=(shapes,))
    (known,) = to_edge(exported).exported_program().range_constraints.values()
    assert (known.lower, known.upper) == (2, 2)


def test_dims_of_one_name_have_one_warning() -> None:
    n, inputs = Dim("n"), (torch.ones(6), torch.ones(6))
    program = export(_FunctionModule(torch.add), inputs, dynamic_shapes=(({0: n}, {0: n}),))
    assert [dimension.name for dimension in open_dimensions(program)] == ["inputs_0.0"]
    with pytest.warns(UserWarning, match="has no upper bound") as found:
        plan = _emit_plan(torch.add, inputs, {0: n}, {0: n})
    assert [str(warning.message).split("'")[1] for warning in found] == ["inputs_0.0"]
    assert _plan_inputs(plan) == [(Steps(0, 6),)] * 2


@pytest.mark.parametrize(("low", "expected"), [(0, 0), (1, 1), (3, 3)])
def test_unbounded_dim_keeps_its_minimum(low: int, expected: int) -> None:
    with pytest.warns(UserWarning, match="has no upper bound"):
        plan = _emit_plan(lambda x: x * 2, (torch.ones(6),), {0: Dim("n", min=low)})
    assert _plan_inputs(plan) == [(Steps(expected, 6),)]


def test_integer_that_equals_a_size_has_the_range_of_the_size() -> None:
    shapes = {0: Dim.DYNAMIC(min=2, max=8)}, Dim.DYNAMIC(min=2, max=8)
    plan = _emit_plan(lambda x, k: x + torch.zeros(k), (torch.ones(6), 6), *shapes)
    assert _plan_inputs(plan) == [(Steps(2, 8),)] * 2


def test_loop_over_rows_keeps_a_larger_minimum() -> None:
    shapes = {0: Dim("rows", min=3, max=8)}
    plan = _emit_plan(lambda x: map_rows(torch.sin, x), (torch.ones(6, 4),), shapes)
    assert _plan_inputs(plan) == [(Steps(3, 8), None)]


def test_loop_that_might_not_run_accepts_no_rows() -> None:
    def branch(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 9, lambda a: map_rows(torch.sin, a), lambda a: a * 2, (x,))

    plan = _emit_plan(branch, (torch.ones(6, 4),), {0: Dim("rows", max=8)})
    assert _plan_inputs(plan) == [(Steps(0, 8), None)]


def test_slice_in_a_branch_raises_the_lower_bound() -> None:
    def branch(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 9, lambda a: a[:2] * 2, lambda a: a[:2].sin(), (x,))

    plan = _emit_plan(branch, (torch.ones(6, 4),), {0: Dim("rows", min=0, max=8)})
    assert _plan_inputs(plan) == [(Steps(2, 8), None)]


def test_slice_of_an_unbounded_size_raises_its_lower_bound() -> None:
    with pytest.warns(UserWarning, match="has no upper bound"):
        plan = _emit_plan(lambda x: x[:3] * 2, (torch.ones(6, 4),), {0: Dim.AUTO})
    assert _plan_inputs(plan) == [(Steps(3, 6), None)]


def test_slices_of_data_dependent_and_of_two_sizes_keep_the_bounds() -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rows = x.nonzero()
        torch._check(rows.shape[0] >= 2)
        return rows[:2] * 2, x[: y.shape[0]] * 2

    shapes = tuple({0: Dim(name, min=0, max=8)} for name in ("n", "m"))
    plan = _emit_plan(function, (torch.ones(6), torch.ones(3)), *shapes)
    assert _plan_inputs(plan) == [(Steps(0, 8),)] * 2


@pytest.mark.parametrize(("end", "largest"), [(10, 4), (10, 5), (20, 3)])
def test_slice_that_is_empty_for_large_integers_lowers_the_upper_bound(end: int, largest: int) -> None:
    """torch.export evaluates `n * n <= end` only for the example."""
    shapes = None, Dim.DYNAMIC(min=0, max=largest)
    plan = _emit_plan(lambda x, n: x[n * n : end] * 1.0, (torch.zeros(25, 3), 2), *shapes)
    assert _plan_inputs(plan) == [(), (Steps(0, 3),)]

"""Tests that conditions on input sizes are derived from guards and operators."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram, export

from exir.program import to_edge
from exir.verification.assumptions import input_conditions

_N, _M = Dim.DYNAMIC(min=2, max=12), Dim.DYNAMIC(min=2, max=12)


class _FunctionModule(nn.Module):
    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any) -> object:
        return self.function(*inputs)


def _edge_program(
    function: Callable[..., object], inputs: Sequence[Any], *shapes: Any
) -> ExportedProgram:
    program = export(_FunctionModule(function), tuple(inputs), dynamic_shapes=(shapes,))
    return to_edge(program).exported_program()


def _accepted(
    function: Callable[..., object], inputs: Sequence[Any], *shapes: Any
) -> list[tuple[int, ...]]:
    """Return the values of the program's symbols that satisfy its conditions."""
    program = _edge_program(function, inputs, *shapes)
    bounds = list(program.range_constraints.items())
    grid = torch.cartesian_prod(*(torch.arange(int(b.lower), int(b.upper) + 1) for _, b in bounds))
    points = [tuple(point) for point in grid.reshape(-1, len(bounds)).tolist()]
    symbols = [symbol for symbol, _ in bounds]
    return [
        point
        for point in points
        if all(condition.xreplace(dict(zip(symbols, point))) for condition in input_conditions(program))
    ]


def _single(values: list[tuple[int, ...]]) -> list[int]:
    return [value for (value,) in values]


def test_view_requires_divisibility() -> None:
    accepted = _accepted(lambda x: x.view(-1, 4).sum(0), (torch.ones(8, 3),), {0: _N})
    assert _single(accepted) == [4, 8, 12]


@pytest.mark.parametrize(("example", "rest"), [(4, 0), (5, 1)])
def test_branch_of_python_code_requires_its_side(example: int, rest: int) -> None:
    def branch(x: Tensor) -> Tensor:
        return x * 2 if x.shape[0] % 2 == 0 else x - 1

    accepted = _accepted(branch, (torch.ones(example, 3),), {0: _N})
    assert _single(accepted) == [size for size in range(2, 13) if size % 2 == rest]


def test_branch_on_sizes_of_two_inputs() -> None:
    def branch(x: Tensor, y: Tensor) -> Tensor:
        return x.sum() if x.shape[0] > y.shape[0] else y.sum()

    accepted = _accepted(branch, (torch.ones(7), torch.ones(3)), {0: _N}, {0: _M})
    assert accepted and all(x > y for x, y in accepted)
    assert len(accepted) == 11 * 10 // 2


def test_comparisons_that_select_a_layout_are_not_conditions() -> None:
    x = torch.ones(4, 3)
    program = _edge_program(lambda x: x.reshape(x.shape[1], x.shape[0]).sum(0), (x,), {0: _N, 1: _M})
    assert input_conditions(program) == ()


def test_branches_that_the_ranges_imply_are_not_conditions() -> None:
    program = _edge_program(lambda x: x * 2 if x.shape[0] < 20 else x, (torch.ones(7),), {0: _N})
    assert input_conditions(program) == ()


def test_static_program_has_no_conditions() -> None:
    assert input_conditions(_edge_program(lambda x: x.view(2, 4), (torch.ones(8),), None)) == ()


def test_squeezed_size_is_not_one() -> None:
    n = Dim("n", min=1, max=6)
    accepted = _accepted(lambda x: x.squeeze() + 1, (torch.ones(4, 3),), {0: n})
    assert _single(accepted) == [2, 3, 4, 5, 6]


def test_unused_outputs_of_a_split_are_not_checked() -> None:
    accepted = _accepted(
        lambda x: x.split(3)[0] * 2, (torch.ones(8, 3),), {0: Dim.DYNAMIC(min=7, max=12)}
    )
    assert _single(accepted) == [7, 8, 9, 10, 11, 12]


def test_slice_that_exceeds_its_dimension_is_accepted() -> None:
    shapes = ({0: Dim.DYNAMIC(min=4, max=8)}, Dim.DYNAMIC(min=2, max=9))
    program = _edge_program(lambda x, n: x[:n] * 2, (torch.ones(6, 3), 3), *shapes)
    assert input_conditions(program) == ()


def test_used_outputs_of_a_chunk_are_checked() -> None:
    accepted = _accepted(lambda x: x.chunk(3)[2] * 2, (torch.ones(8, 3),), {0: _N})
    assert _single(accepted) == [3, 5, 6, 7, 8, 9, 10, 11, 12]


def test_fault_of_a_meta_kernel_is_not_a_condition() -> None:
    @torch.library.custom_op("exir_tests::faulty_meta", mutates_args=())
    def faulty(x: Tensor) -> Tensor:
        return x.clone()

    @faulty.register_fake
    def _(x: Tensor) -> Tensor:
        if type(x.shape[0]) is int and x.shape[0] == 1:
            raise TypeError("fault of the meta kernel")
        return torch.empty_like(x)

    accepted = _accepted(faulty, (torch.ones(4, 3),), {0: Dim("n", min=1, max=12)})
    assert _single(accepted) == [*range(1, 13)]


def test_conditions_are_kept_by_later_stages() -> None:
    function = lambda x: x.view(-1, 4).sum(0)
    program = export(_FunctionModule(function), (torch.ones(8, 4),), dynamic_shapes=(({0: _N},),))
    edge = to_edge(program).transform([])
    assert len(input_conditions(edge.exported_program())) == 0
    program = export(_FunctionModule(function), (torch.ones(8, 3),), dynamic_shapes=(({0: _N},),))
    edge = to_edge(program).transform([])
    assert len(input_conditions(edge.exported_program())) == 1


def test_conditions_do_not_change_the_exported_program() -> None:
    program = export(
        _FunctionModule(lambda x: x.view(-1, 4).sum(0)),
        (torch.ones(8, 3),),
        dynamic_shapes=(({0: _N},),),
    )
    to_edge(program)
    assert input_conditions(program) == ()


_COMPARISONS: dict[str, tuple[Callable[[int], bool], list[int]]] = {
    "== 1": (lambda n: n == 1, [0, 2, 3, 4]),
    "!= 1": (lambda n: n != 1, [0, 2, 3, 4]),
    "== 0": (lambda n: n == 0, [1, 2, 3, 4]),
    "> 1": (lambda n: n > 1, [2, 3, 4]),
    "< 1": (lambda n: n < 1, [1, 2, 3, 4]),
    ">= 1": (lambda n: n >= 1, [1, 2, 3, 4]),
    "<= 0": (lambda n: n <= 0, [1, 2, 3, 4]),
    "1 <": (lambda n: n > 1, [2, 3, 4]),
    "in": (lambda n: n in (0, 1), [2, 3, 4]),
    "not": (lambda n: not n, [1, 2, 3, 4]),
    "half": (lambda n: n // 2 == 0, [2, 3, 4]),
    "maximum": (lambda n: max(n, 1) > n, [1, 2, 3, 4]),
    "minimum": (lambda n: torch.sym_min(n, 1) == 1, [1, 2, 3, 4]),
    "outside the range": (lambda n: n > -1, [0, 1, 2, 3, 4]),
}


@pytest.mark.parametrize("name", _COMPARISONS)
def test_comparison_with_a_size_below_two_is_a_condition(name: str) -> None:
    compare, sizes = _COMPARISONS[name]
    n = Dim("n", min=0, max=4)
    accepted = _accepted(lambda x: x * 2 if compare(x.shape[0]) else x - 1, (torch.ones(3, 2),), {0: n})
    assert _single(accepted) == sizes


def test_comparison_of_two_sizes_below_two_is_a_condition() -> None:
    def branch(x: Tensor, y: Tensor) -> Tensor:
        return x.sum() if x.shape[0] * y.shape[0] == 1 else y.sum()

    n, m = Dim("n", min=1, max=3), Dim("m", min=1, max=3)
    accepted = _accepted(branch, (torch.ones(3), torch.ones(2)), {0: n}, {0: m})
    assert len(accepted) == 8 and (1, 1) not in accepted


def test_module_of_torch_that_raises_for_one_element_has_a_condition() -> None:
    n = Dim("n", min=1, max=4)
    program = export(nn.InstanceNorm1d(2), (torch.ones(1, 2, 3),), dynamic_shapes=({2: n},))
    (condition,) = input_conditions(to_edge(program).exported_program())
    (symbol,) = condition.free_symbols
    assert [size for size in range(1, 5) if condition.xreplace({symbol: size})] == [2, 3, 4]


def test_only_zero_is_rejected_if_one_is_valid() -> None:
    accepted = _accepted(lambda x: x[0] * 2, (torch.ones(3, 2),), {0: Dim("n", min=0, max=4)})
    assert _single(accepted) == [1, 2, 3, 4]


@pytest.mark.parametrize(("is_causal", "sizes"), [(False, [1, 2, 3, 4]), (True, [2, 3, 4])])
def test_causal_check_of_a_library_matters_only_to_causal_attention(
    is_causal: bool, sizes: list[int]
) -> None:
    source = (
        "def attend(query):\n"
        "    is_causal = query.shape[2] > 1 and enabled\n"
        "    return attention(query, query, query, is_causal=is_causal)\n"
    )
    names: dict[str, Any] = {
        "attention": nn.functional.scaled_dot_product_attention,
        "enabled": is_causal,
    }
    exec(compile(source, "/site/transformers/integrations/sdpa_attention.py", "exec"), names)
    accepted = _accepted(names["attend"], (torch.ones(1, 2, 3, 4),), {2: Dim("n", min=1, max=4)})
    assert _single(accepted) == sizes


@pytest.mark.parametrize("reduce", [torch.amax, torch.amin])
def test_maximum_of_no_elements_is_rejected(reduce: Callable[..., Tensor]) -> None:
    accepted = _accepted(lambda x: reduce(x, 0), (torch.ones(3, 2),), {0: Dim("n", min=0, max=4)})
    assert _single(accepted) == [1, 2, 3, 4]


@pytest.mark.parametrize("median", [torch.median, torch.nanmedian])
def test_full_median_of_no_elements_is_accepted(median: Callable[..., Tensor]) -> None:
    accepted = _accepted(lambda x: median(x), (torch.ones(3, 2),), {0: Dim("n", min=0, max=4)})
    assert _single(accepted) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("median", [torch.median, torch.nanmedian])
def test_median_of_an_empty_dimension_is_rejected(median: Callable[..., Any]) -> None:
    accepted = _accepted(lambda x: median(x, 0)[0], (torch.ones(3, 2),), {0: Dim("n", min=0, max=4)})
    assert _single(accepted) == [1, 2, 3, 4]


def test_operator_in_the_body_of_a_loop_is_checked() -> None:
    def rows(x: Tensor) -> Tensor:
        return torch._higher_order_ops.map(lambda row: row.view(-1, 4).sum(0), x)

    accepted = _accepted(rows, (torch.ones(3, 8),), {1: _N})
    assert _single(accepted) == [4, 8, 12]


def test_guards_that_dynamo_generates_are_not_conditions() -> None:
    def halve_or_double(x: Tensor) -> Tensor:
        return torch.cond(x.sum() > 0, lambda v: v * 0.5, lambda v: v * 2, (x,))

    accepted = _accepted(halve_or_double, (torch.ones(4, 3),), {0: Dim("n", min=1, max=6)})
    assert _single(accepted) == [1, 2, 3, 4, 5, 6]

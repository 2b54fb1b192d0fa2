"""Test each row of the kernel tables against PyTorch.

Each call that a row supports must match PyTorch. All other calls must be rejected.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
import torch

from exir.operators.dtypes import DTYPE_CODES
from exir.operators.kernels import Kernel, load_kernels
from exir.operators.operators import builtin_operators
from exir.operators.rules import MAX_RANK, Call, TensorInfo
from kernels.testing.parity import TOLERANCES, blank
from kernels.testing.parity import load_kernels as load_library
from kernels.testing.sweep_arguments import arguments_of
from kernels.testing.sweep_case import Case, cases_of
from kernels.testing.sweep_reference import NotInPyTorch, expected_of

LIBRARY = load_library()
ROOT = Path(__file__).parents[2]
TABLES = [
    ROOT / folder / "kernels.toml"
    for folder in ("kernels/portable", "kernels/quantized", "kernels/torchvision", "runtime/prim")
]
TABLE = load_kernels(TABLES, builtin_operators())
_OF_ANY_ELEMENTS = (
    "aten::empty.out",
    "aten::native_dropout.out",
    "aten::rand.out",
    "aten::randn.out",
    "dim_order_ops::_empty_dim_order.out",
)
# runtime/prim/tensors_test.c tests the kernels that return scalars or only set sizes.
ROWS = [kernel for kernel in TABLE if not kernel.source.endswith("runtime/prim/kernels.toml")]


def run_case(case: Case) -> set[tuple[str, str]]:
    """Compare a call with PyTorch, and return the dtypes of its tensor arguments.

    Raises NotInPyTorch.
    """
    arguments = arguments_of(case)
    expected = expected_of(case, arguments)
    outs = [argument for argument in case.kernel.operator.outs if argument.keyword_only]
    results = _results(case, arguments, expected, len(outs))
    LIBRARY.call(case.kernel.operator.name, *arguments, *_outs(case, arguments, results))
    for result, wanted in zip(results, expected, strict=True):
        _compare(case, result, wanted)
    tried = dict(zip((argument.name for argument in outs), (result.dtype for result in results)))
    return {(name, str(dtype).removeprefix("torch.")) for name, dtype in {**case.dtypes, **tried}.items()}


def _results(case: Case, arguments: list[object], expected: list[torch.Tensor], outs: int) -> list[torch.Tensor]:
    """Create outputs with PyTorch's dtypes, or other floating dtypes of the case."""
    if outs == 0:
        target = arguments[0]
        assert isinstance(target, torch.Tensor)
        return [target]
    names = [argument.name for argument in case.kernel.operator.outs if argument.keyword_only]
    if len(names) < len(expected):
        names = names * len(expected)
    dtypes = [_out_dtype(case, name, tensor.dtype) for name, tensor in zip(names, expected, strict=True)]
    return [blank(tensor.to(dtype)) for tensor, dtype in zip(expected, dtypes, strict=True)]


def _out_dtype(case: Case, name: str, natural: torch.dtype) -> torch.dtype:
    asked = case.dtypes[name]
    dtype = asked if asked.is_floating_point and natural.is_floating_point else natural
    if str(dtype).removeprefix("torch.") not in case.kernel.rules.tensors[name].dtypes:
        raise NotInPyTorch(f"the result is {dtype}, which '{name}' does not accept")
    return dtype


def _outs(case: Case, arguments: list[object], results: list[torch.Tensor]) -> list[object]:
    """Return the outputs of a call, then its returns, which are the same tensors."""
    if any(argument.type == "Tensor[]" for argument in case.kernel.operator.outs):
        return [results, results]
    if results[0] is arguments[0]:
        return [results[0]]
    return [*results, results if len(results) > 1 else results[0]]


def _compare(case: Case, result: torch.Tensor, expected: torch.Tensor) -> None:
    assert result.shape == expected.shape, case
    if case.kernel.operator.name in _OF_ANY_ELEMENTS:
        return
    dtypes = [
        dtype for dtype in (*case.dtypes.values(), result.dtype) if result.is_floating_point() or result.is_complex()
    ]
    rtol = max((TOLERANCES[dtype][0] for dtype in dtypes if dtype in TOLERANCES), default=0.0)
    torch.testing.assert_close(
        result,
        expected.to(result.dtype),
        rtol=rtol,
        atol=rtol,
        equal_nan=True,
        check_stride=False,
        msg=lambda m: f"{case}: {m}",
    )


@pytest.mark.parametrize("kernel", ROWS, ids=[f"{i}-{kernel.operator.name}" for i, kernel in enumerate(ROWS)])
def test_kernel_row_supports_its_declared_arguments(kernel: Kernel) -> None:
    """Test that each dtype of each argument is in a call that PyTorch also supports."""
    tried: set[tuple[str, str]] = set()
    refused: dict[str, list[str]] = defaultdict(list)
    for case in cases_of(kernel):
        try:
            tried |= run_case(case)
        except NotInPyTorch as error:
            refused[str(error)].append(str(case))
    claimed = {(name, dtype) for name, rule in kernel.rules.tensors.items() for dtype in rule.dtypes}
    assert claimed - tried == set(), f"never tried; PyTorch rejects {dict(refused)}"


def _tensor_infos(case: Case) -> dict[str, list[TensorInfo]]:
    """Describe the arguments to the compiler, with the lowest supported rank."""
    return {
        name: [TensorInfo(str(dtype).removeprefix("torch."), tuple(range(case.kernel.rules.tensors[name].ranks[0])))]
        for name, dtype in case.dtypes.items()
    }


def _takes(kernel: Kernel, infos: dict[str, list[TensorInfo]]) -> bool:
    return not TABLE.refusals(kernel.operator.name, Call(infos))


@pytest.mark.parametrize("kernel", list(TABLE), ids=[f"{i}-{kernel.operator.name}" for i, kernel in enumerate(TABLE)])
def test_undeclared_arguments_are_refused(kernel: Kernel) -> None:
    """Test other dtypes and ranks, one argument at a time."""
    usual = _tensor_infos(next(cases_of(kernel))) if kernel.rules.tensors else {}
    assert _takes(kernel, usual)
    rows = TABLE.of(kernel.operator.name)
    for name, (info,) in usual.items():
        for dtype in DTYPE_CODES.keys() - {supported for row in rows for supported in row.rules.tensors[name].dtypes}:
            assert not _takes(kernel, {**usual, name: [TensorInfo(dtype, info.dim_order)]}), (name, dtype)
        ranks = {
            rank
            for row in rows
            for rank in range(row.rules.tensors[name].ranks[0], row.rules.tensors[name].ranks[1] + 1)
        }
        for rank in set(range(MAX_RANK + 1)) - ranks:
            assert not _takes(kernel, {**usual, name: [TensorInfo(info.dtype, tuple(range(rank)))]}), (name, rank)
        if all(row.rules.tensors[name].layout == "contiguous" for row in rows) and max(ranks) >= 2:
            assert not _takes(kernel, {**usual, name: [TensorInfo(info.dtype, (1, 0))]}), name

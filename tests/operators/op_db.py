"""Compiles and runs the samples of torch's operator database."""

from __future__ import annotations

import sys
import types
import unittest
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode, PendingUnbackedSymbolNotFound
from torch.utils import _pytree as pytree

from exir import to_edge
from exir.cli.reporting.calls import Call
from exir.cli.reporting.fallback import check_kernels
from exir.error import ExirError
from exir.operators.kernels import load_kernels
from exir.operators.operators import builtin_operators
from kernels.testing.native import DTYPE_CODES
from tests.operators.compiled import run_program
from tests.operators.exact import exact_of_scalars

# Modules that the database imports for tests that are not needed here.
_STAND_INS: dict[str, dict[str, Any]] = {
    "expecttest": {"TestCase": unittest.TestCase},
    "setuptools": {"Command": object},
    "setuptools.command": {},
    "setuptools.command.build_ext": {"build_ext": object},
}
for _name, _members in _STAND_INS.items():
    sys.modules[_name] = types.ModuleType(_name)
    vars(sys.modules[_name]).update(_members)

from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo, SampleInput

_ROOT = Path(__file__).parents[2]
_FOLDERS = ("kernels/portable", "kernels/quantized", "runtime/prim")
KERNELS = load_kernels([_ROOT / folder / "kernels.toml" for folder in _FOLDERS], builtin_operators())
# Absolute and relative tolerances, as in torch's tests of other devices.
_TOLERANCES = {
    torch.float16: (4e-3, 4e-3),
    torch.bfloat16: (3e-2, 3e-2),
    torch.float32: (2e-4, 2e-4),
    torch.float64: (1e-9, 1e-9),
    torch.complex64: (2e-4, 2e-4),
    torch.complex128: (1e-9, 1e-9),
}
_NARROW = {torch.float16, torch.bfloat16, torch.float32}


class Refused(Exception):
    """The compiler or torch's exporter rejects the sample; the message has the reason."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a sample: `passed`, `exact`, `refused` or `wrong`.

    `exact` means more accurate than eager PyTorch.
    """

    kind: str
    reason: str = ""


class _Call(torch.nn.Module):
    """An operator on the tensors of a sample; other arguments are fixed.

    The result is the value that the database compares, because matrix factors are unique only up to
    their signs.
    """

    def __init__(self, op: OpInfo, sample: SampleInput) -> None:
        super().__init__()
        self._op = op
        self._process = sample.output_process_fn_grad
        self._leaves, self._spec = pytree.tree_flatten(((sample.input, *sample.args), sample.kwargs))

    @property
    def tensors(self) -> tuple[torch.Tensor, ...]:
        """The tensor arguments."""
        return tuple(plain(leaf) for leaf in self._leaves if isinstance(leaf, torch.Tensor))

    def forward(self, *tensors: torch.Tensor) -> Any:
        given = iter(tensors)
        leaves = [next(given) if isinstance(leaf, torch.Tensor) else leaf for leaf in self._leaves]
        args, kwargs = pytree.tree_unflatten(leaves, self._spec)
        return self._process(self._op(*args, **kwargs))


def operators() -> dict[str, OpInfo]:
    """Return the operators of the database by name and variant."""
    return {f"{op.name}{'.' if op.variant_test_name else ''}{op.variant_test_name}": op for op in op_db}


def dtypes_of(op: OpInfo) -> list[torch.dtype]:
    """Return the dtypes that torch supports here and program files can store."""
    return [dtype for dtype in DTYPE_CODES if dtype in op.supported_dtypes("cpu")]


def outcomes(op: OpInfo, dtype: torch.dtype, most: int) -> Iterator[Outcome]:
    """Yield the outcomes for the first samples of a dtype."""
    torch.manual_seed(0)
    for sample in islice(op.sample_inputs("cpu", dtype, requires_grad=False), most):
        yield outcome(op, sample)


def outcome(op: OpInfo, sample: SampleInput) -> Outcome:
    """Compile one sample, and run it."""
    module = _Call(op, sample).eval()
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            inputs = module.tensors
            expected = [plain(result) for result in pytree.tree_leaves(_eager(module, inputs))]
            program = _compile(module, inputs)
    except Refused as refusal:
        return Outcome("refused", str(refusal))
    except Exception as error:
        return Outcome("wrong", f"the compiler: {type(error).__name__}: {error}")
    problem = _against(program, inputs, expected)
    if not problem:
        return Outcome("passed")
    closer = exact_results(op, sample, expected)
    return Outcome("exact", problem) if closer and not _against(program, inputs, closer) else Outcome("wrong", problem)


def _against(program: bytes, inputs: tuple[torch.Tensor, ...], expected: list[Any]) -> str:
    """Return the differences between the runtime's results and the expected ones."""
    atol, rtol = tolerance([*inputs, *expected])
    return run_program(program, Call("forward", inputs, tuple(expected)), atol, rtol)


def exact_results(op: OpInfo, sample: SampleInput, rounded: list[Any]) -> list[Any]:
    """Return more exact results than eager PyTorch's `rounded` ones, if available.

    They are computed in double precision, or from the definition. Eager PyTorch rounds within
    operators more often than the kernels do.
    """
    numbers = exact_of_scalars(op.name, sample.input, sample.args)
    if numbers is not None:
        return [numbers.to(rounded[0].dtype)]
    dtypes = {tensor.dtype for tensor in rounded if isinstance(tensor, torch.Tensor)}
    if not dtypes or not dtypes <= _NARROW:
        return []
    module = _Call(op, sample.transform(widened)).eval()
    with torch.no_grad():
        wide = [plain(result) for result in pytree.tree_leaves(_eager(module, module.tensors))]
    return [
        value.to(like.dtype) if isinstance(value, torch.Tensor) else value
        for value, like in zip(wide, rounded, strict=True)
    ]


def widened(value: Any) -> Any:
    """Convert tensors of float32 or lower precision to float64; keep other values."""
    is_narrow = isinstance(value, torch.Tensor) and value.dtype in _NARROW
    return value.to(torch.float64) if is_narrow else value


def _eager(module: _Call, inputs: tuple[torch.Tensor, ...]) -> Any:
    """Run the module in eager PyTorch.

    Raises `Refused`: some samples are views of memory that a program does not receive.
    """
    try:
        return module(*(tensor.clone() for tensor in inputs))
    except (AssertionError, RuntimeError) as error:
        raise Refused(f"eager PyTorch on dense tensors: {error}") from error


def _compile(module: _Call, inputs: tuple[torch.Tensor, ...]) -> bytes:
    """Compile the module. Raises `Refused`."""
    try:
        exported = torch.export.export(module, inputs)
    except Exception as error:
        raise Refused(f"torch.export: {type(error).__name__}") from error
    try:
        manager = to_edge(exported).to_executorch()
        check_kernels(manager, KERNELS)
    except (ExirError, GuardOnDataDependentSymNode, PendingUnbackedSymbolNotFound) as error:
        raise Refused(str(error)) from error
    return manager.buffer


def plain(value: Any) -> Any:
    """Return a tensor as a dense one, as in the runtime, and other values unchanged.

    Raises `Refused`.
    """
    if not isinstance(value, torch.Tensor):
        return value
    if value.layout is not torch.strided:
        raise Refused("of a sparse tensor")
    if value.dtype is torch.complex32:
        raise Refused("complex half")
    return value.detach().resolve_conj().clone(memory_format=torch.contiguous_format)


def tolerance(values: list[Any]) -> tuple[float, float]:
    dtypes = {value.dtype for value in values if isinstance(value, torch.Tensor)}
    return max((_TOLERANCES[dtype] for dtype in dtypes if dtype in _TOLERANCES), default=(0.0, 0.0))

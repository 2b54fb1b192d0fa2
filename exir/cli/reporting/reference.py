"""Reference calls: the eager model's answers, for parity tests to replay on the runtime.

Per method: its example inputs, seeded random variants of them, for every dynamic dimension its
smallest, middle and largest size, and one size above the largest, which must be refused.
Calls of a method follow each other on one copy of the module, so that state is kept.
"""

import copy
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import sympy
import torch
from torch import Tensor, nn
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.utils import _pytree as pytree

from exir.cli.loading.user_code import describe
from exir.cli.reporting.calls import Call
from exir.error import ModelError
from exir.model_spec import Method, ModelSpec

VARIANTS = 3

# The runtime's status for a size above its bound: ET_STATUS_NOT_SUPPORTED.
STATUS_ABOVE_BOUND = 0x10

Shapes = list[tuple[Any, ...] | None]


def record_calls(
    spec: ModelSpec, programs: Mapping[str, ExportedProgram], roots: tuple[Path, ...] = ()
) -> list[Call]:
    """Calls of every method. `ModelError` when the model fails on its own example inputs.

    A random variant that the eager model refuses is no valid input, and left out.
    """
    calls: list[Call] = []
    with torch.no_grad():
        for name, method in spec.resolved_methods().items():
            calls += _record_method(name, method, programs[name], roots)
    return calls


def _record_method(
    name: str, method: Method, program: ExportedProgram, roots: tuple[Path, ...]
) -> Iterator[Call]:
    runner = _Runner(name, method)
    examples, _ = pytree.tree_flatten(program.example_inputs)
    try:
        yield runner.call(examples)
    except Exception as error:
        reason = describe(error, roots)
        raise ModelError(f"method '{name}' fails on its example inputs: {reason}") from error
    shapes = [None] * VARIANTS + list(_shapes_within_bounds(program))
    for seed, shape in enumerate(shapes):
        call = runner.try_call(_variant(examples, shape, seed))
        if call is not None:
            yield call
    for seed, shape in enumerate(_shapes_above_bounds(program)):
        inputs = _variant(examples, shape, seed)
        yield Call(name, tuple(inputs), (), STATUS_ABOVE_BOUND)


class _Runner:
    """Calls one method of a private copy of the module."""

    def __init__(self, name: str, method: Method) -> None:
        self._name = name
        self._module = method.as_module(copy.deepcopy(method.module))
        self._spec = pytree.tree_structure((method.args, dict(method.kwargs)))

    def call(self, inputs: list[Any]) -> Call:
        """Run on flat inputs; they are recorded as they were before the call."""
        given = [value.clone() if isinstance(value, Tensor) else value for value in inputs]
        args, kwargs = pytree.tree_unflatten(given, self._spec)
        outputs = pytree.tree_leaves(self._module(*args, **kwargs))
        kept = [value.clone() if isinstance(value, Tensor) else value for value in outputs]
        return Call(self._name, tuple(inputs), tuple(kept))

    def try_call(self, inputs: list[Any]) -> Call | None:
        """Run, or None with the buffers as before when the model refuses the inputs."""
        restore = _restorer(self._module)
        try:
            return self.call(inputs)
        except Exception:
            restore()
            return None


def _restorer(module: nn.Module) -> Callable[[], None]:
    """A function that gives every buffer, persistent or not, its present tensor and values again."""
    saved = [
        (owner, name, buffer, buffer.clone())
        for owner in module.modules()
        for name, buffer in owner.named_buffers(recurse=False)
    ]

    def restore() -> None:
        for owner, name, buffer, values in saved:
            setattr(owner, name, buffer.copy_(values))

    return restore


def _variant(examples: list[Any], shapes: Shapes | None, seed: int) -> list[Any]:
    """Random inputs like `examples`, in the given shapes or their own."""
    generator = torch.Generator().manual_seed(seed + 1)
    return [
        _random_like(value, shapes[index] if shapes else None, generator)
        for index, value in enumerate(examples)
    ]


def _random_like(value: Any, shape: tuple[int, ...] | None, generator: torch.Generator) -> Any:
    """A tensor of the same dtype, dim order and range of values; what is no tensor stays."""
    if not isinstance(value, Tensor):
        return value
    sizes = tuple(value.shape) if shape is None else shape
    random = _random(value, sizes, generator).to(value.dtype)
    return random if shape is not None else torch.empty_like(value).copy_(random)


def _random(value: Tensor, sizes: tuple[int, ...], generator: torch.Generator) -> Tensor:
    """Normal with the mean and spread of floats; uniform over the range of integers."""
    if value.dtype == torch.bool:
        return torch.rand(sizes, generator=generator) < 0.5
    if value.is_floating_point():
        numbers = value.double()
        spread = numbers.std(correction=0).item() if value.numel() else 0.0
        middle = numbers.mean().item() if value.numel() else 0.0
        return torch.randn(sizes, generator=generator, dtype=torch.float64) * (spread or 1.0) + middle
    low, high = (int(value.min()), int(value.max())) if value.numel() else (0, 0)
    return torch.randint(low, high + 1, sizes, generator=generator)


def _shapes_within_bounds(program: ExportedProgram) -> Iterator[Shapes]:
    bounds = _bounds(program)
    if bounds:
        for pick in (min, lambda ends: sum(ends) // 2, max):
            yield _shapes(program, {symbol: pick(ends) for symbol, ends in bounds.items()})


def _shapes_above_bounds(program: ExportedProgram) -> Iterator[Shapes]:
    bounds = _bounds(program)
    largest = {symbol: high for symbol, (_, high) in bounds.items()}
    for symbol, high in largest.items():
        yield _shapes(program, largest | {symbol: high + 1})


def _bounds(program: ExportedProgram) -> dict[sympy.Symbol, tuple[int, int]]:
    """Smallest and largest value of every symbol of the inputs' shapes, in order of appearance."""
    symbols: dict[sympy.Symbol, tuple[int, int]] = {}
    for shape in _symbolic_shapes(program):
        for size in shape or ():
            for symbol in sorted(_expression(size).free_symbols, key=str):
                bound = program.range_constraints[symbol]
                if bound.upper.is_finite and symbol not in symbols:
                    symbols[symbol] = (int(bound.lower), int(bound.upper))
    return symbols


def _shapes(program: ExportedProgram, sizes: Mapping[sympy.Symbol, int]) -> Shapes:
    return [
        None if shape is None else tuple(int(_expression(size).subs(sizes)) for size in shape)
        for shape in _symbolic_shapes(program)
    ]


def _symbolic_shapes(program: ExportedProgram) -> list[tuple[Any, ...] | None]:
    """The shape of each flat input; None for what is no tensor."""
    nodes = {node.name: node for node in program.graph.find_nodes(op="placeholder")}
    user_inputs = (s for s in program.graph_signature.input_specs if s.kind is InputKind.USER_INPUT)
    values = (nodes[spec.arg.name].meta.get("val") for spec in user_inputs)
    return [tuple(value.shape) if isinstance(value, Tensor) else None for value in values]


def _expression(size: int | torch.SymInt) -> sympy.Expr:
    return size.node.expr if isinstance(size, torch.SymInt) else sympy.Integer(size)

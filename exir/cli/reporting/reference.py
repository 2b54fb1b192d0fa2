"""Reference calls: outputs of the eager model, which parity tests replay.

Each method is called with

- its example inputs, and seeded random variants of them;
- the smallest, middle and largest size of every dynamic dimension;
- one size above the largest, which the runtime must reject.

The calls of a method run in sequence on one copy of the module, so that they share its state. A
file can provide inputs of additional calls. A sweep adds random inputs, with random sizes within
the bounds.

For a quantized model, a call records the output of the quantized program in eager mode, and that of
the float model. The two are compared only for inputs like the calibration inputs. Some calibration
inputs are recorded as calls.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sympy
import torch
from torch import Tensor, nn
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.utils import _pytree as pytree

from exir.cli.loading.user_code import describe
from exir.cli.quantization import Quantization
from exir.cli.reporting.calls import Call, QuantizedOutput
from exir.cli.reporting.rounding import RoundingRuns
from exir.error import ModelError
from exir.graph.size_bounds import finite_upper
from exir.model.module_copy import copy_modules
from exir.model.spec import Method, ModelSpec
from exir.quantize import Steps, output_steps
from exir.verification.sizes import satisfies_guards

VARIANTS = 3
_FIRST_OF_SWEEP = 1000

# ET_STATUS_NOT_SUPPORTED, the runtime's status for a size above its bound.
STATUS_ABOVE_BOUND = 0x10

Shapes = list[tuple[Any, ...] | None]


@dataclass(frozen=True)
class Further:
    """Additional calls of a model.

    inputs: the inputs from a file, by method.
    sweep: the number of random calls of each method. Sizes of dynamic dimensions are random, too.
    seed: the seed of the sweep. It does not affect other calls.
    """

    inputs: Mapping[str, Sequence[tuple[Any, ...]]] = field(default_factory=dict)
    sweep: int = 0
    seed: int = 0


def record_calls(
    spec: ModelSpec,
    programs: Mapping[str, ExportedProgram],
    roots: tuple[Path, ...] = (),
    quantization: Quantization | None = None,
    further: Further | None = None,
) -> list[Call]:
    """Record the calls of every method.

    Random inputs that the eager model rejects are skipped. Raises a `ModelError` if the model fails
    on its example inputs or on inputs from a file.
    """
    calls: list[Call] = []
    with torch.no_grad():
        for name, method in spec.resolved_methods().items():
            runner: _MethodRunner = _FloatRunner(name, method)
            measured: Sequence[tuple[Any, ...]] = ()
            if quantization is not None:
                runner = _QuantizedRunner(runner, quantization)
                measured = quantization.calls[name]
            calls += _record_method(runner, programs[name], measured, roots)
            if further is not None:
                calls += _record_further(runner, programs[name], further, not measured, roots)
    return calls


def _record_further(
    runner: "_MethodRunner",
    program: ExportedProgram,
    further: Further,
    compared: bool,
    roots: tuple[Path, ...],
) -> Iterator[Call]:
    for number, inputs in enumerate(further.inputs.get(runner.name, ())):
        try:
            yield runner.call(pytree.tree_leaves(inputs), compared=compared)
        except Exception as error:
            reason = describe(error, roots)
            raise ModelError(
                f"method '{runner.name}' fails on call {number} of the reference inputs: {reason}\n    correct the inputs"
            ) from error
    examples = pytree.tree_leaves(program.example_inputs)
    generator = torch.Generator().manual_seed(further.seed)
    for number in range(further.sweep):
        shape = _random_shapes(program, generator)
        variant = _random_inputs(
            examples, shape, _FIRST_OF_SWEEP + further.seed * further.sweep + number
        )
        call = _try_call(runner, variant, compared=compared)
        if call is not None:
            yield call


def _record_method(
    runner: "_MethodRunner",
    program: ExportedProgram,
    measured: Sequence[tuple[Any, ...]],
    roots: tuple[Path, ...],
) -> Iterator[Call]:
    examples, _ = pytree.tree_flatten(program.example_inputs)
    try:
        yield runner.call(examples, compared=not measured)
    except Exception as error:
        reason = describe(error, roots)
        raise ModelError(
            f"method '{runner.name}' fails on its example inputs: {reason}\n    correct the model or the inputs"
        ) from error
    for calibration_inputs in measured[:VARIANTS]:
        yield runner.call(pytree.tree_leaves(calibration_inputs), compared=True)
    shapes = [None] * VARIANTS + list(_shapes_within_bounds(program))
    for seed, shape in enumerate(shapes):
        call = _try_call(runner, _random_inputs(examples, shape, seed), compared=not measured)
        if call is not None:
            yield call
    for seed, shape in enumerate(_shapes_above_bounds(program)):
        inputs = runner.program_inputs(_random_inputs(examples, shape, seed))
        yield Call(runner.name, tuple(inputs), (), STATUS_ABOVE_BOUND)


class _MethodRunner(ABC):
    """Calls one method on private copies of modules."""

    name: str
    modules: tuple[nn.Module, ...]

    def program_inputs(self, inputs: list[Any]) -> list[Any]:
        """Convert inputs of the model to inputs of the program."""
        return inputs

    @abstractmethod
    def call(self, inputs: list[Any], compared: bool) -> Call:
        """Run on flat inputs, whose values before the call are recorded.

        compared: whether the outputs of the quantized and the float model are compared.
        """


class _FloatRunner(_MethodRunner):
    """Runs the float model."""

    def __init__(self, name: str, method: Method) -> None:
        self.name = name
        self.modules = (method.as_module(copy_modules(method.module)),)
        self._spec = pytree.tree_structure((method.args, dict(method.kwargs)))

    def call(self, inputs: list[Any], compared: bool) -> Call:
        args, kwargs = pytree.tree_unflatten(_copy_values(inputs), self._spec)
        outputs = pytree.tree_leaves(self.modules[0](*args, **kwargs))
        return Call(self.name, tuple(inputs), tuple(_copy_values(outputs)))


class _QuantizedRunner(_MethodRunner):
    """Runs the quantized program and the float model."""

    def __init__(self, real: _MethodRunner, quantization: Quantization) -> None:
        program = quantization.programs[real.name]
        self.name = real.name
        self._bytes = quantization.inputs.get(real.name, {})
        self._real = real
        self._steps = output_steps(program)
        self._spec = program.call_spec.in_spec
        self._module = copy_modules(program.module(check_guards=False))
        self._rounding = RoundingRuns(self._module)
        self.modules = (*real.modules, self._module, *self._rounding.modules)

    def call(self, inputs: list[Any], compared: bool) -> Call:
        program_inputs = self.program_inputs(inputs)
        args, kwargs = pytree.tree_unflatten(_copy_values(program_inputs), self._spec)
        outputs = _copy_values(pytree.tree_leaves(self._module(*args, **kwargs)))
        floats = self._real.call(inputs, compared).outputs
        differences = self._rounding.differences(program_inputs, outputs)
        results = zip(outputs, floats, self._steps, differences, strict=True)
        return Call(
            self.name,
            tuple(program_inputs),
            tuple(_quantization_of(*result, compared=compared) for result in results),
        )

    def program_inputs(self, inputs: list[Any]) -> list[Any]:
        return [self._quantize_input(index, value) for index, value in enumerate(inputs)]

    def _quantize_input(self, index: int, value: Any) -> Any:
        if index not in self._bytes:
            return value
        return torch.ops.quantized_decomposed.quantize_per_tensor(value, *self._bytes[index])


def _quantization_of(
    value: Any, real: Any, steps: Steps, rounding: float, compared: bool
) -> QuantizedOutput:
    comparable = compared and isinstance(real, Tensor) and real.is_floating_point()
    figures = steps.step, steps.scale, steps.zero_point, rounding
    return QuantizedOutput(value, real if comparable else None, *figures)


def _copy_values(values: Sequence[Any]) -> list[Any]:
    return [value.clone() if isinstance(value, Tensor) else value for value in values]


def _try_call(runner: _MethodRunner, inputs: list[Any], compared: bool) -> Call | None:
    """Run the method. Returns None if the model rejects the inputs.

    In that case, buffers are restored.
    """
    restore = _buffer_restorer(runner.modules)
    try:
        return runner.call(inputs, compared)
    except Exception:
        restore()
        return None


def _buffer_restorer(modules: Sequence[nn.Module]) -> Callable[[], None]:
    """Return a function that restores the current tensors and values of all buffers."""
    saved = [
        (owner, name, buffer, buffer.clone())
        for module in modules
        for owner in module.modules()
        for name, buffer in owner.named_buffers(recurse=False)
    ]

    def restore() -> None:
        for owner, name, buffer, values in saved:
            setattr(owner, name, buffer.copy_(values))

    return restore


def _random_inputs(examples: list[Any], shapes: Shapes | None, seed: int) -> list[Any]:
    """Return random inputs like `examples`, in the given shapes or the same shapes."""
    generator = torch.Generator().manual_seed(seed + 1)
    return [
        _random_like(value, shapes[index] if shapes else None, generator)
        for index, value in enumerate(examples)
    ]


def _random_like(value: Any, shape: tuple[int, ...] | None, generator: torch.Generator) -> Any:
    """Return a random tensor with the dtype, dim order and range of `value`.

    Values that are not tensors are returned unchanged.
    """
    if not isinstance(value, Tensor):
        return value
    sizes = tuple(value.shape) if shape is None else shape
    random = _random_tensor(value, sizes, generator).to(value.dtype)
    return random if shape is not None else torch.empty_like(value).copy_(random)


def _random_tensor(value: Tensor, sizes: tuple[int, ...], generator: torch.Generator) -> Tensor:
    """Draw floats with the mean and deviation of `value`, or integers in its range."""
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
    bounds = _symbol_bounds(program)
    if bounds:
        for pick in (min, lambda ends: sum(ends) // 2, max):
            sizes = {symbol: pick(ends) for symbol, ends in bounds.items()}
            if satisfies_guards(program, sizes):
                yield _input_shapes(program, sizes)


def _random_shapes(program: ExportedProgram, generator: torch.Generator) -> Shapes | None:
    """Return random sizes within the bounds, or None to use those of the example."""
    sizes = {
        symbol: int(torch.randint(low, high + 1, (), generator=generator))
        for symbol, (low, high) in _symbol_bounds(program).items()
    }
    return _input_shapes(program, sizes) if sizes and satisfies_guards(program, sizes) else None


def _shapes_above_bounds(program: ExportedProgram) -> Iterator[Shapes]:
    bounds = _symbol_bounds(program)
    largest = {symbol: high for symbol, (_, high) in bounds.items()}
    for symbol, high in largest.items():
        yield _input_shapes(program, largest | {symbol: high + 1})


def _symbol_bounds(program: ExportedProgram) -> dict[sympy.Symbol, tuple[int, int]]:
    """Return the bounds of every symbol in input shapes, in order of appearance."""
    symbols: dict[sympy.Symbol, tuple[int, int]] = {}
    for shape in _symbolic_shapes(program):
        for size in shape or ():
            for symbol in sorted(_size_expression(size).free_symbols, key=str):
                bounds = program.range_constraints[symbol]
                upper = finite_upper(bounds)
                if upper is not None and symbol not in symbols:
                    symbols[symbol] = (int(bounds.lower), upper)
    return symbols


def _input_shapes(program: ExportedProgram, sizes: Mapping[sympy.Symbol, int]) -> Shapes:
    return [
        None if shape is None else tuple(int(_size_expression(size).subs(sizes)) for size in shape)
        for shape in _symbolic_shapes(program)
    ]


def _symbolic_shapes(program: ExportedProgram) -> list[tuple[Any, ...] | None]:
    """Return the shape of each flat input, or None for values that are not tensors."""
    nodes = {node.name: node for node in program.graph.find_nodes(op="placeholder")}
    user_inputs = (s for s in program.graph_signature.input_specs if s.kind is InputKind.USER_INPUT)
    values = (nodes[spec.arg.name].meta.get("val") for spec in user_inputs)
    return [tuple(value.shape) if isinstance(value, Tensor) else None for value in values]


def _size_expression(size: int | torch.SymInt) -> sympy.Expr:
    return size.node.expr if isinstance(size, torch.SymInt) else sympy.Integer(size)

"""What floats are computed for between bytes becomes one step on bytes."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import torch
from torch import Tensor

from backends.cpu.compiler.bytes_weighted import Weighted, clamped, is_clamp
from backends.cpu.compiler.graph import Step, StepGraph, Value, constant
from backends.cpu.compiler.kinds.activation import NONE, Activation
from backends.cpu.compiler.kinds.bytes import Dequantize, MapI8, Pairing, Quantize, TableI8, is_row
from backends.cpu.compiler.kinds.convolution import Convolution
from backends.cpu.compiler.kinds.copy import Copy
from backends.cpu.compiler.kinds.depthwise import Depthwise
from backends.cpu.compiler.kinds.map import Map, Opcode
from backends.cpu.compiler.kinds.operation import Operation
from backends.cpu.compiler.kinds.permute import Permute
from backends.cpu.compiler.kinds.pool import Pool
from backends.cpu.compiler.kinds.pool_i8 import PoolI8
from backends.cpu.compiler.kinds.product import Product
from backends.cpu.compiler.kinds.quantizing import Quantizing, Reading
from backends.cpu.compiler.lower.builder import view
from backends.cpu.compiler.quantized import QuantizedConstants

_INPUTS = 3  # x, weight, bias
_PAIRINGS = {Opcode.ADD: Pairing.SUM, Opcode.MUL: Pairing.PRODUCT}
_Source = tuple[Value, Reading]
_Steps = list[Step] | None


def compute_in_bytes(graph: StepGraph, constants: QuantizedConstants) -> None:
    """Compute in integers what is quantized again and comes from nothing but quantized tensors.

    After: no float that only such steps read is left.
    """
    _move_bytes_first(graph)
    fusion = _Fusion(graph, constants)
    graph.steps = [each for step in graph.steps for each in fusion.become(step)]
    graph.steps = [step for step in graph.steps if step not in fusion.replaced]
    _drop_unread(graph)


def _move_bytes_first(graph: StepGraph) -> None:
    """Bring bytes in order instead of the numbers that they stand for."""
    writers = {value: step for step in graph.steps for value in step.outputs}
    graph.steps = [each for step in graph.steps for each in _moved_first(writers, step)]
    _drop_unread(graph)


def _moved_first(writers: Mapping[Value, Step], step: Step) -> list[Step]:
    writer = writers.get(step.inputs[0]) if isinstance(step.operation, Permute) else None
    if writer is None or not isinstance(writer.operation, Dequantize):
        return [step]
    moved = Value(writer.inputs[0].dtype, step.output.dims)
    first = Step(step.operation, writer.inputs, (moved,), nodes=step.nodes)
    return [first, Step(writer.operation, (moved,), step.outputs, nodes=writer.nodes)]


class _Fusion:
    """replaced: steps whose work others do."""

    def __init__(self, graph: StepGraph, constants: QuantizedConstants) -> None:
        self.replaced: set[Step] = set()
        self._constants = constants
        self._writers = {value.storage: step for step in graph.steps for value in step.outputs}
        self._readers = readers(graph)

    def become(self, step: Step) -> list[Step]:
        """The steps in place of `step`."""
        if not isinstance(step.operation, Quantize):
            return [step]
        writer = self._writers.get(step.inputs[0].storage)
        if writer is None or self._readers[writer.output.storage] != 1:
            return [step]
        found = self._in_bytes(writer, step)
        if found is None:
            return [step]
        self.replaced.add(writer)
        return found

    def _in_bytes(self, writer: Step, step: Step) -> _Steps:
        make = next((make for kinds, make in _MAKERS.items() if isinstance(writer.operation, kinds)), None)
        return None if make is None else make(self, writer, step)

    def _weighted(self, writer: Step, step: Step) -> _Steps:
        operation = writer.operation
        assert isinstance(operation, (Product, Convolution, Depthwise))
        if len(writer.inputs) != _INPUTS or not is_clamp(operation.activation):
            return None
        source, weight = self._source(writer.inputs[0]), writer.inputs[1].constant
        codes = None if weight is None else self._constants.codes(weight)
        return None if source is None or codes is None else Weighted(writer, step, *source, codes).steps()

    def _mapped(self, writer: Step, step: Step) -> _Steps:
        sources = self._sources(each for each in writer.inputs if not _is_number(each))
        assert isinstance(writer.operation, Map)
        if sources is None:
            return None
        if len({(value.storage, reading) for value, reading in sources}) == 1:
            same_dims = all(value.dims == writer.output.dims for value, _ in sources)
            return [_looked_up(writer, step, sources[0])] if same_dims else None
        call = _pairing(writer.operation)
        return None if call is None else _paired(writer, step, sources, *call)

    def _requantized(self, writer: Step, step: Step) -> _Steps:
        source = self._source(writer.output)
        assert source is not None
        return [_looked_up(writer, step, source)]

    def _pooled(self, writer: Step, step: Step) -> _Steps:
        source = self._source(writer.inputs[0])
        if source is None:
            return None
        assert isinstance(writer.operation, Pool)
        return [_step(PoolI8(writer.operation, source[1], _quantizing(step)), [source[0]], writer, step)]

    def _moved(self, writer: Step, step: Step) -> _Steps:
        """Moved as they are, each input after it stands for numbers as the output does."""
        sources = self._sources(writer.inputs)
        if sources is None or (isinstance(writer.operation, Copy) and writer.operation.fill is not None):
            return None
        before = [_requantizing(source, step) for source in sources]
        inputs = [value if table is None else table.output for (value, _), table in zip(sources, before)]
        last = _step(writer.operation, inputs, writer, step)
        return [*(table for table in before if table is not None), last]

    def _sources(self, values: Iterable[Value]) -> list[_Source] | None:
        found = [self._source(value) for value in values]
        sources = [source for source in found if source is not None]
        return sources if len(sources) == len(found) else None

    def _source(self, value: Value) -> _Source | None:
        """The bytes that `value` stands for."""
        writer = self._writers.get(value.storage)
        if writer is None or not isinstance(writer.operation, Dequantize):
            return None
        return view(writer.inputs[0], value.dims), writer.operation.reading


_MAKERS: dict[tuple[type[Operation], ...], Callable[[_Fusion, Step, Step], _Steps]] = {
    (Product, Convolution, Depthwise): _Fusion._weighted,
    (Map,): _Fusion._mapped,
    (Dequantize,): _Fusion._requantized,
    (Pool,): _Fusion._pooled,
    (Copy, Permute): _Fusion._moved,
}


def _quantizing(step: Step) -> Quantizing:
    assert isinstance(step.operation, Quantize)
    return step.operation.quantizing


def _step(operation: Operation, inputs: Sequence[Value], writer: Step, step: Step) -> Step:
    """What computes the bytes of `step` in place of it and of `writer`."""
    output = view(step.output, writer.output.dims)
    return Step(operation, tuple(inputs), (output,), dims=writer.dims, nodes=writer.nodes + step.nodes)


def _pairing(operation: Map) -> tuple[Pairing, Activation] | None:
    """What a map does when it is a sum or a product, perhaps clamped, and nothing else."""
    first, *others = operation.instructions
    if operation.operands != 2 or first.opcode not in _PAIRINGS or first.registers != (0, 1):
        return None
    after = NONE
    if len(others) == 1 and others[0].opcode is Opcode.ACTIVATE and others[0].registers == (2,):
        after = others[0].activation
    elif others:
        return None
    return (_PAIRINGS[first.opcode], after) if is_clamp(after) else None


def _paired(writer: Step, step: Step, sources: Sequence[_Source], pairing: Pairing, after: Activation) -> _Steps:
    """Both orders are the same number: the first operand is the one of the output's sizes."""
    dims = writer.output.dims
    full = sorted(sources, key=lambda source: source[0].dims != dims)
    (a, first), (b, second) = full
    if a.dims != dims or not is_row(b.dims, dims):
        return None
    return [_step(MapI8(pairing, first, second, clamped(_quantizing(step), after)), [a, b], writer, step)]


def _looked_up(writer: Step, step: Step, source: _Source) -> Step:
    value, reading = source
    numbers = reading(_bytes_of(value.dtype))
    if isinstance(writer.operation, Map):
        results = torch.empty_like(numbers)
        operands = [_number(each) if _is_number(each) else numbers for each in writer.inputs]
        writer.operation.run(operands, [results], ())
        numbers = results
    table = constant(_quantizing(step)(numbers).to(step.output.dtype))
    return _step(TableI8(), [value, table], writer, step)


def _is_number(value: Value) -> bool:
    return value.constant is not None and value.constant.numel() == 1


def _number(value: Value) -> Tensor:
    assert value.constant is not None
    return value.constant.reshape(())


def _requantizing(source: _Source, step: Step) -> Step | None:
    """What makes bytes that stand for numbers as the output of `step` does of those of `source`; None where
    they do already."""
    value, reading = source
    codes = _bytes_of(value.dtype)
    table = _quantizing(step)(reading(codes)).to(step.output.dtype)
    if value.dtype == step.output.dtype and torch.equal(table, codes):
        return None
    return Step(TableI8(), (value, constant(table)), (Value(table.dtype, value.dims),), nodes=step.nodes)


def _bytes_of(dtype: torch.dtype) -> Tensor:
    """All bytes, in the order of their bits."""
    return torch.arange(256, dtype=torch.uint8).view(dtype)


def readers(graph: StepGraph) -> Counter[Value]:
    """How often each value, or one that is a view of it, is read."""
    values = [value for step in graph.steps for value in step.inputs]
    values += [result.value for result in graph.results]
    return Counter(value.storage for value in values)


def _drop_unread(graph: StepGraph) -> None:
    """Drop dequantizing that nothing reads any more."""
    counts = readers(graph)
    graph.steps = [step for step in graph.steps if not _is_idle(step, counts)]


def _is_idle(step: Step, counts: Counter[Value]) -> bool:
    return isinstance(step.operation, Dequantize) and counts[step.output.storage] == 0

"""Fuse dequantize, float ops and quantize into one int8 op.

The fusion works on the op graph of a partition, where layouts, activations and residuals are part
of ops. The pass `fuse_int8` (exir/graph/int8_fusion.py) does the same for operators of the edge
dialect that are not delegated.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import torch
from torch import Tensor

from backends.cpu.compiler.graph import Op, OpGraph, Value, constant
from backends.cpu.compiler.int8_weighted import Weighted, is_clamp, with_clamp
from backends.cpu.compiler.lower.builder import view
from backends.cpu.compiler.ops.quantization import dequantized, is_row, quantized
from backends.cpu.compiler.ops.reference import evaluate
from backends.cpu.compiler.quantized import QuantizedConstants
from backends.cpu.schema.convolution import ConvF32, DwconvF32
from backends.cpu.schema.copies import Copy, Permute
from backends.cpu.schema.declarations import OpSpec
from backends.cpu.schema.elementwise import ElementwiseF32, Opcode
from backends.cpu.schema.gemm import GemmF32
from backends.cpu.schema.pooling import PoolF32, PoolQs8
from backends.cpu.schema.quantization import BinaryOp, BinaryQs8, Dequantize, LutQs8, Quantize
from backends.cpu.schema.records import NONE, Activation, OutputQuantization, QuantParams

_INPUTS = 3  # x, weight, bias
_BINARY_OPS = {Opcode.ADD: BinaryOp.ADD, Opcode.MUL: BinaryOp.MUL}
_Source = tuple[Value, QuantParams]
_Steps = list[Op] | None


def compute_in_int8(graph: OpGraph, constants: QuantizedConstants) -> None:
    """Replace float ops between dequantize and quantize with int8 ops.

    After: an op whose inputs are all dequantized and whose output is only quantized is an int8 op,
    unless it has no int8 variant. No unused `dequantize` remains.
    """
    _sink_dequantize(graph)
    fusion = _Fusion(graph, constants)
    graph.ops = [each for op in graph.ops for each in fusion.become(op)]
    graph.ops = [op for op in graph.ops if op not in fusion.replaced]
    _remove_unused_dequantize(graph)


def _sink_dequantize(graph: OpGraph) -> None:
    """Move `permute` before `dequantize`, so that it moves int8 values."""
    writers = {value: op for op in graph.ops for value in op.outputs}
    graph.ops = [each for op in graph.ops for each in _moved_first(writers, op)]
    _remove_unused_dequantize(graph)


def _moved_first(writers: Mapping[Value, Op], op: Op) -> list[Op]:
    writer = writers.get(op.inputs[0]) if isinstance(op.spec, Permute) else None
    if writer is None or not isinstance(writer.spec, Dequantize):
        return [op]
    moved = Value(writer.inputs[0].dtype, op.output.dims)
    first = Op(op.spec, writer.inputs, (moved,), nodes=op.nodes)
    return [first, Op(writer.spec, (moved,), op.outputs, nodes=writer.nodes)]


class _Fusion:
    """Fuses each `quantize` with the float op before it.

    replaced: the float ops that were fused.
    """

    def __init__(self, graph: OpGraph, constants: QuantizedConstants) -> None:
        self.replaced: set[Op] = set()
        self._constants = constants
        self._writers = {value.storage: op for op in graph.ops for value in op.outputs}
        self._readers = readers(graph)

    def become(self, op: Op) -> list[Op]:
        """Return the ops that replace `op`, or only `op` itself if it is not fused."""
        if not isinstance(op.spec, Quantize):
            return [op]
        writer = self._writers.get(op.inputs[0].storage)
        if writer is None or self._readers[writer.output.storage] != 1:
            return [op]
        found = self._as_int8(writer, op)
        if found is None:
            return [op]
        self.replaced.add(writer)
        return found

    def _as_int8(self, writer: Op, op: Op) -> _Steps:
        make = next((make for kinds, make in _MAKERS.items() if isinstance(writer.spec, kinds)), None)
        return None if make is None else make(self, writer, op)

    def _weighted(self, writer: Op, op: Op) -> _Steps:
        spec = writer.spec
        assert isinstance(spec, (GemmF32, ConvF32, DwconvF32))
        if len(writer.inputs) != _INPUTS or not is_clamp(spec.activation):
            return None
        source, weight = self._source(writer.inputs[0]), writer.inputs[1].constant
        int8_weight = None if weight is None else self._constants.quantized(weight)
        return None if source is None or int8_weight is None else Weighted(writer, op, *source, int8_weight).ops()

    def _mapped(self, writer: Op, op: Op) -> _Steps:
        sources = self._sources(each for each in writer.inputs if not _is_number(each))
        assert isinstance(writer.spec, ElementwiseF32)
        if sources is None:
            return None
        if len({(value.storage, params) for value, params in sources}) == 1:
            same_dims = all(value.dims == writer.output.dims for value, _ in sources)
            return [_looked_up(writer, op, sources[0])] if same_dims else None
        call = _binary_call(writer.spec)
        return None if call is None else _fused_binary(writer, op, sources, *call)

    def _requantized(self, writer: Op, op: Op) -> _Steps:
        source = self._source(writer.output)
        assert source is not None
        return [_looked_up(writer, op, source)]

    def _pooled(self, writer: Op, op: Op) -> _Steps:
        source = self._source(writer.inputs[0])
        if source is None:
            return None
        assert isinstance(writer.spec, PoolF32)
        return [_op(PoolQs8(writer.spec, source[1], _output_quantization(op)), [source[0]], writer, op)]

    def _moved(self, writer: Op, op: Op) -> _Steps:
        """Copy int8 values.

        Inputs whose quantization parameters differ from those of the output are requantized first.
        """
        sources = self._sources(writer.inputs)
        if sources is None or (isinstance(writer.spec, Copy) and writer.spec.fill is not None):
            return None
        before = [_requantized_op(source, op) for source in sources]
        inputs = [value if table is None else table.output for (value, _), table in zip(sources, before)]
        last = _op(writer.spec, inputs, writer, op)
        return [*(table for table in before if table is not None), last]

    def _sources(self, values: Iterable[Value]) -> list[_Source] | None:
        found = [self._source(value) for value in values]
        sources = [source for source in found if source is not None]
        return sources if len(sources) == len(found) else None

    def _source(self, value: Value) -> _Source | None:
        """Return the quantized tensor from which `value` is dequantized, or None."""
        writer = self._writers.get(value.storage)
        if writer is None or not isinstance(writer.spec, Dequantize):
            return None
        return view(writer.inputs[0], value.dims), writer.spec.params


_MAKERS: dict[tuple[type[OpSpec], ...], Callable[[_Fusion, Op, Op], _Steps]] = {
    (GemmF32, ConvF32, DwconvF32): _Fusion._weighted,
    (ElementwiseF32,): _Fusion._mapped,
    (Dequantize,): _Fusion._requantized,
    (PoolF32,): _Fusion._pooled,
    (Copy, Permute): _Fusion._moved,
}


def _output_quantization(op: Op) -> OutputQuantization:
    assert isinstance(op.spec, Quantize)
    return op.spec.output_quantization


def _op(spec: OpSpec, inputs: Sequence[Value], writer: Op, op: Op) -> Op:
    """Return the int8 op that replaces `writer` and the `quantize` op."""
    output = view(op.output, writer.output.dims)
    return Op(spec, tuple(inputs), (output,), dims=writer.dims, nodes=writer.nodes + op.nodes)


def _binary_call(spec: ElementwiseF32) -> tuple[BinaryOp, Activation] | None:
    """Return the function and the clamp of a sum or product, or None for other ops.

    The clamp is optional.
    """
    first, *others = spec.instructions
    if spec.operands != 2 or first.opcode not in _BINARY_OPS or first.operands != (0, 1):
        return None
    after = NONE
    if len(others) == 1 and others[0].opcode is Opcode.ACTIVATE and others[0].operands == (2,):
        after = others[0].activation
    elif others:
        return None
    return (_BINARY_OPS[first.opcode], after) if is_clamp(after) else None


def _fused_binary(writer: Op, op: Op, sources: Sequence[_Source], function: BinaryOp, after: Activation) -> _Steps:
    """Return a `binary_qs8` op, or None if the operands cannot be broadcast.

    An operand with the sizes of the output becomes the first one.
    """
    dims = writer.output.dims
    full = sorted(sources, key=lambda source: source[0].dims != dims)
    (a, first), (b, second) = full
    if a.dims != dims or not is_row(b.dims, dims):
        return None
    return [_op(BinaryQs8(function, first, second, with_clamp(_output_quantization(op), after)), [a, b], writer, op)]


def _looked_up(writer: Op, op: Op, source: _Source) -> Op:
    value, params = source
    numbers = dequantized(params, _all_values(value.dtype))
    if isinstance(writer.spec, ElementwiseF32):
        results = torch.empty_like(numbers)
        operands = [_number(each) if _is_number(each) else numbers for each in writer.inputs]
        evaluate(writer.spec, operands, [results], ())
        numbers = results
    table = constant(quantized(_output_quantization(op), numbers).to(op.output.dtype))
    return _op(LutQs8(), [value, table], writer, op)


def _is_number(value: Value) -> bool:
    return value.constant is not None and value.constant.numel() == 1


def _number(value: Value) -> Tensor:
    assert value.constant is not None
    return value.constant.reshape(())


def _requantized_op(source: _Source, op: Op) -> Op | None:
    """Return the op that requantizes `source` for the output of `op`.

    Return None if the op would change nothing.
    """
    value, params = source
    all_values = _all_values(value.dtype)
    table = quantized(_output_quantization(op), dequantized(params, all_values)).to(op.output.dtype)
    if value.dtype == op.output.dtype and torch.equal(table, all_values):
        return None
    return Op(LutQs8(), (value, constant(table)), (Value(table.dtype, value.dims),), nodes=op.nodes)


def _all_values(dtype: torch.dtype) -> Tensor:
    """Return all 256 values of an 8-bit dtype.

    The values are ordered by their bits as unsigned integers.
    """
    return torch.arange(256, dtype=torch.uint8).view(dtype)


def readers(graph: OpGraph) -> Counter[Value]:
    """Count the reads of each storage.

    Reads through views and reads by the caller are included.
    """
    values = [value for op in graph.ops for value in op.inputs]
    values += [result.value for result in graph.results]
    return Counter(value.storage for value in values)


def _remove_unused_dequantize(graph: OpGraph) -> None:
    """Remove `dequantize` ops without readers."""
    counts = readers(graph)
    graph.ops = [op for op in graph.ops if not _is_idle(op, counts)]


def _is_idle(op: Op, counts: Counter[Value]) -> bool:
    return isinstance(op.spec, Dequantize) and counts[op.output.storage] == 0

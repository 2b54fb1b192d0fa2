"""`BackendWithCompilerDemo`: a small backend, as an example and for tests.

The partitioner delegates sin, mm, add and mul on float32 tensors. A module that is lowered as a
whole can also contain convolutions with a ReLU, which become one op, and tangents, which become
three ops. The debug handle map relates an op to its nodes. The payload is text, which PAYLOAD.md
describes and the C side in this folder interprets.
"""

import re
from collections.abc import Callable, Iterable
from math import prod
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import ExportedProgram
from torch.fx import Node

from exir.backend.backend_details import BackendDetails, PreprocessResult, RuntimeMemory
from exir.backend.capability import propose_partitions
from exir.backend.compile_spec_schema import CompileSpec
from exir.backend.entry import BackendEntry
from exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from exir.backend.tags import tag_nodes
from exir.backend.utils import DelegateMappingBuilder
from exir.dialects.edge import to_torch_overload
from exir.error import UnsupportedOperatorError
from exir.graph.constants import ConstantTable
from exir.graph.fake_mode import fake_mode_of
from exir.graph.size_bounds import finite_upper
from exir.planning.placement import aligned

# Limits of the payload (PAYLOAD.md).
MAX_OPS = 256
MAX_INPUTS = 64
MAX_OUTPUTS = 64
MAX_CONSTANTS = 64
MAX_NUMEL = 999_999_999

# Alignment of results and constants in a runtime handle, in bytes.
_ALIGNMENT = 16
_NUMEL = re.compile(rb", numel:(\d+), ")
_CONSTANTS = re.compile(rb"#constants:([\dx;]+)#")

_aten = torch.ops.aten
_OPERANDS = {
    _aten.sin.default: 1,
    _aten.mm.default: 2,
    _aten.add.Tensor: 2,
    _aten.mul.Tensor: 2,
}


class BackendWithCompilerDemo(BackendDetails):
    """Writes version 1 of the payload. It does not support compile specs."""

    @classmethod
    def preprocess(cls, edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        """Compile a partition.

        Raises `UnsupportedOperatorError` for an unsupported node, or if a limit of the payload is
        exceeded.
        """
        writer = _Writer(edge_program)
        for node in edge_program.graph.nodes:
            if node.op not in ("placeholder", "output"):
                _WRITERS.get(to_torch_overload(node.target), _write_op)(writer, node)
        return PreprocessResult(writer.payload(), writer.mapping.get_delegate_mapping())

    @staticmethod
    def runtime_memory(processed_bytes: bytes, compile_specs: list[CompileSpec]) -> RuntimeMemory:
        """Return the total size of the program, ops, constants and results (`handle.h`)."""
        # Version 0 does not list outputs. In version 1, the data of the constants follows the
        # outputs.
        text = processed_bytes.partition(b"#outputs:")[0] + b"#"
        ops = [int(match[1]) for match in _NUMEL.finditer(text)]
        found = _CONSTANTS.search(text)
        constants = [prod(map(int, sizes.split(b"x"))) for sizes in found[1].split(b";")] if found else []
        data = sum(aligned(4 * numel, _ALIGNMENT) for numel in [*ops, *constants])
        expression = f"DEMO_HANDLE_BYTES({len(ops)}u, {len(constants)}u, {data}u)"
        return RuntimeMemory(expression, header="backends/demo/handle.h")


# `to_backend` finds direct subclasses of BackendDetails by name, as ExecuTorch does.
class BackendWithDelegateMappingDemo(BackendWithCompilerDemo, BackendDetails):
    """The same backend under the name of ExecuTorch's demo of debug handle maps."""

    @staticmethod
    def get_test_model_and_inputs() -> tuple[nn.Module, tuple[Tensor]]:
        """Return a model with ops that are fused and ops that are split."""
        return _ConvReluTan(), (torch.randn(4, 3, 64, 64),)


class CompilerDemoPartitioner(Partitioner):
    """Delegates the largest groups of supported nodes, without constants."""

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tag groups `demo_0`, `demo_1`, … in graph order."""
        tags = {}
        groups = propose_partitions(exported_program.graph, is_supported, MAX_OPS)
        for index, nodes in enumerate(groups):
            tag_nodes(nodes, f"demo_{index}")
            tags[f"demo_{index}"] = DelegationSpec(BackendWithCompilerDemo.__name__, [])
        return PartitionResult(exported_program, tags)


BACKEND = BackendEntry(id="compiler_demo", partitioner=CompilerDemoPartitioner)


def is_supported(node: Node) -> bool:
    """Return whether `node` is a supported operator on contiguous float32 tensors.

    The operators are sin, mm, add and mul, with alpha 1.
    """
    op = to_torch_overload(node.target)
    operands = _OPERANDS.get(op) if op is not None else None
    if operands is None or len(node.args) != operands or node.kwargs.get("alpha", 1) != 1:
        return False
    values = [node, *node.args]
    return all(isinstance(value, Node) and _is_plain_tensor(value) for value in values)


def _is_plain_tensor(node: Node) -> bool:
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor) or value.dtype != torch.float32:
        return False
    return value.is_contiguous() and _max_numel(value) <= MAX_NUMEL


def _max_numel(value: torch.Tensor) -> float:
    """Return the number of elements of `value` at the upper bounds of its sizes."""
    return prod(_upper_bound(size) for size in value.shape)


def _upper_bound(size: int | torch.SymInt) -> float:
    if isinstance(size, int):
        return size
    upper = finite_upper(size.node.shape_env.bound_sympy(size.node.expr))
    return float("inf") if upper is None else upper


class _Writer:
    """Collects the ops of a program and numbers its values.

    Numbers are assigned to inputs, then constants, then results.
    """

    def __init__(self, program: ExportedProgram) -> None:
        table = ConstantTable(program, fake_mode_of(program.graph))
        placeholders = program.graph.find_nodes(op="placeholder")
        values = {node: table.tensor(node) for node in placeholders}
        self._inputs = [node for node in placeholders if values[node] is None]
        self._constants = [value for value in values.values() if value is not None]
        self._outputs = program.graph.output_node().args[0]
        self._ops: list[str] = []
        ordered = [*self._inputs, *(node for node in placeholders if values[node] is not None)]
        self._numbers = {node: number for number, node in enumerate(ordered)}
        self._zero_biases = {node: self._add_zeros(node) for node in program.graph.nodes if _has_no_bias(node)}
        self.mapping = DelegateMappingBuilder(generated_identifiers=True)

    def _add_zeros(self, convolution: Node) -> int:
        self._constants.append(torch.zeros(convolution.args[1].meta["val"].shape[0]))
        return len(self._inputs) + len(self._constants) - 1

    def bias(self, convolution: Node) -> int:
        """Return the number of the bias.

        Without a bias, it consists of zeros.
        """
        zeros = self._zero_biases.get(convolution)
        return self.number(convolution.args[2], convolution) if zeros is None else zeros

    def number(self, value: Any, reader: Node) -> int:
        """Return the number of a value that `reader` reads."""
        if value not in self._numbers:
            raise _unsupported(reader)
        return self._numbers[value]

    def add_op(self, name: str, operands: list[int], nodes: list[Node], attributes: str = "") -> int:
        """Add an op that computes the last of `nodes`, or a part of it.

        Return the number of the op's result.
        """
        result = nodes[-1]
        numel = _max_numel(result.meta["val"])
        handle = result.meta.get("debug_handle", -1)
        text = f"op:demo::{name}, numel:{numel}, dtype:torch.float32{attributes}, args:{_joined(operands)}"
        self._ops.append(f"{text}<debug_handle>{handle}#")
        self.mapping.insert_delegate_mapping_entry(nodes=nodes)
        return len(self._inputs) + len(self._constants) + len(self._ops) - 1

    def set_result(self, node: Node, number: int) -> None:
        self._numbers[node] = number

    def payload(self) -> bytes:
        limits = (
            ("inputs", len(self._inputs), MAX_INPUTS),
            ("ops", len(self._ops), MAX_OPS),
            ("outputs", len(self._outputs), MAX_OUTPUTS),
            ("constants", len(self._constants), MAX_CONSTANTS),
        )
        for what, found, most in limits:
            if found > most:
                raise UnsupportedOperatorError(
                    f"BackendWithCompilerDemo: a partition has {found} {what}; it can have at most {most}"
                )
        outputs = _joined(self._numbers[node] for node in self._outputs)
        sizes = ";".join("x".join(map(str, value.shape)) for value in self._constants)
        constants = f"constants:{sizes}#" if self._constants else ""
        text = f"{len(self._ops)}version:1#inputs:{len(self._inputs)}#{constants}{''.join(self._ops)}outputs:{outputs}#"
        data = [value.detach().numpy().astype("<f4").tobytes() for value in self._constants]
        return text.encode("ascii") + b"".join(data)


def _write_op(writer: _Writer, node: Node) -> None:
    """Write one op for one node."""
    if not is_supported(node):
        raise _unsupported(node)
    operands = [writer.number(value, node) for value in node.args]
    writer.set_result(node, writer.add_op(str(to_torch_overload(node.target)), operands, [node]))


def _write_convolution(writer: _Writer, node: Node) -> None:
    """Check that a ReLU follows. Its op includes the convolution."""
    if [to_torch_overload(user.target) for user in node.users] != [_aten.relu.default]:
        raise _unsupported(node)


def _has_no_bias(node: Node) -> bool:
    return to_torch_overload(node.target) is _aten.convolution.default and node.args[2] is None


def _write_relu(writer: _Writer, node: Node) -> None:
    """Write one op for two nodes: a convolution and its ReLU."""
    convolution = node.args[0]
    if not isinstance(convolution, Node) or to_torch_overload(convolution.target) is not _aten.convolution.default:
        raise _unsupported(node)
    source, weight, _, stride, padding, dilation, transposed, _, groups = convolution.args
    is_simple = not transposed and groups == 1 and set(dilation) == {1}
    is_2d = weight.meta["val"].dim() == 4 and len(set(stride)) == len(set(padding)) == 1
    if not is_simple or not is_2d or not _is_plain_tensor(node):
        raise _unsupported(convolution)
    operands = [writer.number(source, convolution), writer.number(weight, convolution), writer.bias(convolution)]
    attributes = f", stride:{stride[0]}, padding:{padding[0]}"
    writer.set_result(node, writer.add_op("conv_relu", operands, [convolution, node], attributes))


def _write_tan(writer: _Writer, node: Node) -> None:
    """Write three ops for one node."""
    if not _is_plain_tensor(node):
        raise _unsupported(node)
    source = writer.number(node.args[0], node)
    sine = writer.add_op("aten.sin.default", [source], [node])
    cosine = writer.add_op("aten.cos.default", [source], [node])
    writer.set_result(node, writer.add_op("aten.div.Tensor", [sine, cosine], [node]))


_WRITERS: dict[Any, Callable[[_Writer, Node], None]] = {
    _aten.convolution.default: _write_convolution,
    _aten.relu.default: _write_relu,
    _aten.tan.default: _write_tan,
}


def _unsupported(node: Node) -> UnsupportedOperatorError:
    return UnsupportedOperatorError(
        f"BackendWithCompilerDemo cannot run {to_torch_overload(node.target) or node.target}; it supports sin, mm, add, mul,"
        " tan, and 2-d convolution with ReLU (one group, no dilation, equal strides and paddings), on contiguous"
        " float32 tensors",
        node,
    )


def _joined(numbers: Iterable[int]) -> str:
    return ";".join(map(str, numbers))


class _ConvReluTan(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, kernel_size=3, padding=1)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(16, 32, kernel_size=3, padding=1)
        self.relu2 = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        return torch.tan(self.relu2(self.conv2(self.relu1(self.conv1(x)))))

"""`BackendWithDelegateMappingDemo`: shows how a backend's own instructions are led back to the model.

It fuses a convolution with the relu behind it, and splits a tangent into sine, cosine and division; for each of its steps it says which
nodes the step came from. PAYLOAD.md describes what it writes, and the C side beside this file runs it.
"""

from collections.abc import Callable
from itertools import chain
from struct import pack
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import ExportedProgram
from torch.fx import Node

from exir.backend.backend_details import BackendDetails, PreprocessResult, RuntimeMemory
from exir.backend.compile_spec_schema import CompileSpec
from exir.backend.utils import DelegateMappingBuilder
from exir.dialects.edge import to_torch_overload
from exir.error import UnsupportedOperatorError
from exir.graph.constants import ConstantTable
from exir.graph.fake_mode import fake_mode_of
from exir.planning.placement import aligned

# Of the payload (PAYLOAD.md).
MAGIC = 0x3150444D
_CONV_RELU, _SIN, _COS, _DIV = range(4)
_HEADER_WORDS = 3
_STEP_WORDS = 16
_MAX_STEPS = 64

# Of the runtime side: how it aligns results in a handle.
_ALIGNMENT = 16

_aten = torch.ops.aten


class BackendWithDelegateMappingDemo(BackendDetails):
    """Takes a program of convolutions, each with a relu, and tangents, of one input and one output. No compile specs."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        """`UnsupportedOperatorError` for a node that it cannot run."""
        steps = _Steps(edge_program)
        for node in edge_program.graph.find_nodes(op="placeholder"):
            steps.add_input(node)
        for node in edge_program.graph.nodes:
            if node.op == "call_function":
                _rule(node)(steps, node)
        return PreprocessResult(steps.payload(), steps.mapping.get_delegate_mapping())

    @staticmethod
    def runtime_memory(processed_bytes: bytes, compile_specs: list[CompileSpec]) -> RuntimeMemory:
        """The program, its steps, and room for each result but the last: `handle.h`."""
        words = memoryview(processed_bytes).cast("i")
        numel_of_steps = words[_HEADER_WORDS + 3 : _HEADER_WORDS + words[1] * _STEP_WORDS : _STEP_WORDS].tolist()
        results = sum(aligned(4 * numel, _ALIGNMENT) for numel in numel_of_steps[:-1])
        expression = f"MAPPING_DEMO_HANDLE_BYTES({len(numel_of_steps)}u, {results}u)"
        return RuntimeMemory(expression, header="backends/mapping_demo/handle.h")

    @staticmethod
    def get_test_model_and_inputs() -> tuple[nn.Module, tuple[Tensor]]:
        """A model of what the backend takes."""
        return _ConvReluTan(), (torch.randn(4, 3, 64, 64),)


class _Steps:
    """The steps of a program while it is read, and the nodes that they come from."""

    def __init__(self, program: ExportedProgram) -> None:
        self._constants = ConstantTable(program, fake_mode_of(program.graph))
        self._records: list[list[int]] = []
        self._weights: list[Tensor] = []
        self._numbers: dict[Node, int] = {}
        self._input: Node | None = None
        self._output = program.graph.output_node()
        self.mapping = DelegateMappingBuilder(generated_identifiers=True)

    def add_input(self, node: Node) -> None:
        """A placeholder: the delegate's input, or a constant that a step will ask for."""
        if self.constant(node) is not None:
            return
        if self._input is not None or not _is_plain_tensor(node):
            raise UnsupportedOperatorError(
                "BackendWithDelegateMappingDemo takes one float32 tensor in C order as input", node
            )
        self._input = node
        self._numbers[node] = 0

    def constant(self, node: Any) -> Tensor | None:
        return self._constants.tensor(node)

    def number(self, node: Any, reader: Node) -> int:
        """The number of the value that `reader` reads."""
        if node not in self._numbers:
            raise _refusal(reader)
        return self._numbers[node]

    def add(self, kind: int, operands: tuple[int, ...], nodes: list[Node], convolution: tuple[int, ...] = ()) -> int:
        """A step that computes the value of the last of `nodes`, or a part of it; returns the number of its result."""
        numel = nodes[-1].meta["val"].numel()
        record = [kind, *operands, *([0] * (2 - len(operands))), numel, *convolution]
        self._records.append(record + [0] * (_STEP_WORDS - len(record)))
        identifier = self.mapping.insert_delegate_mapping_entry(nodes)
        assert identifier == len(self._records) - 1
        return len(self._records)

    def keep_weights(self, weight: Tensor, bias: Tensor) -> int:
        """Where they lie among the weights."""
        at = sum(tensor.numel() for tensor in self._weights)
        self._weights += [weight, bias]
        return at

    def computes(self, node: Node, number: int) -> None:
        self._numbers[node] = number

    def payload(self) -> bytes:
        results = [self._numbers.get(node) for node in self._output.args[0]]
        if results != [len(self._records)] or not 0 < len(self._records) <= _MAX_STEPS or self._input is None:
            raise UnsupportedOperatorError(
                f"BackendWithDelegateMappingDemo takes a program of at most {_MAX_STEPS} steps, whose last gives its one output"
            )
        words = [MAGIC, len(self._records), self._input.meta["val"].numel(), *chain(*self._records)]
        data = [tensor.numpy().astype("<f4").tobytes() for tensor in self._weights]
        return pack(f"<{len(words)}I", *words) + b"".join(data)


def _add_convolution(steps: _Steps, node: Node) -> None:
    """It becomes a step together with its relu."""
    if [to_torch_overload(user.target) for user in node.users] != [_aten.relu.default]:
        raise _refusal(node)


def _add_relu(steps: _Steps, node: Node) -> None:
    """One step for two nodes."""
    convolution = node.args[0]
    if not isinstance(convolution, Node) or to_torch_overload(convolution.target) is not _aten.convolution.default:
        raise _refusal(node)
    source = steps.number(convolution.args[0], convolution)
    words = _convolution_words(steps, convolution)
    steps.computes(node, steps.add(_CONV_RELU, (source,), [convolution, node], words))


def _add_tan(steps: _Steps, node: Node) -> None:
    """Three steps for one node."""
    source = steps.number(node.args[0], node)
    sine, cosine = steps.add(_SIN, (source,), [node]), steps.add(_COS, (source,), [node])
    steps.computes(node, steps.add(_DIV, (sine, cosine), [node]))


_RULES: dict[Any, Callable[[_Steps, Node], None]] = {
    _aten.convolution.default: _add_convolution,
    _aten.relu.default: _add_relu,
    _aten.tan.default: _add_tan,
}


def _rule(node: Node) -> Callable[[_Steps, Node], None]:
    rule = _RULES.get(to_torch_overload(node.target))
    if rule is None or not _is_plain_tensor(node):
        raise _refusal(node)
    return rule


def _convolution_words(steps: _Steps, node: Node) -> tuple[int, ...]:
    source, weight, bias, stride, padding, dilation, transposed, _, groups = node.args
    kernel, offsets = steps.constant(weight), steps.constant(bias)
    plain = not transposed and groups == 1 and set(dilation) == {1} and len(set(stride)) == 1 and len(set(padding)) == 1
    if kernel is None or kernel.dim() != 4 or not plain:
        raise _refusal(node)
    offsets = torch.zeros(kernel.shape[0]) if offsets is None else offsets
    result = node.meta["val"].shape[1:]
    at = steps.keep_weights(kernel, offsets)
    return (*source.meta["val"].shape, *result, *kernel.shape[2:], stride[0], padding[0], at)


def _is_plain_tensor(node: Node) -> bool:
    value = node.meta.get("val")
    if not isinstance(value, Tensor) or value.dtype != torch.float32:
        return False
    return all(isinstance(size, int) for size in value.shape) and value.is_contiguous()


def _refusal(node: Node) -> UnsupportedOperatorError:
    return UnsupportedOperatorError(
        f"BackendWithDelegateMappingDemo cannot run {to_torch_overload(node.target) or node.target}; it takes convolution2d followed by relu (one group, no dilation,"
        " equal strides and paddings) and tan, on float32 tensors of fixed sizes in C order",
        node,
    )


class _ConvReluTan(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, kernel_size=3, padding=1)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(16, 32, kernel_size=3, padding=1)
        self.relu2 = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        return torch.tan(self.relu2(self.conv2(self.relu1(self.conv1(x)))))

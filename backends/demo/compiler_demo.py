"""`BackendWithCompilerDemo`: a small backend that shows how one is made.

It takes sin, mm, add and mul on float32 tensors and writes them as text, which
PAYLOAD.md describes and the C side beside this file interprets.
"""

import re
from math import prod

import torch
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
from exir.planning.placement import aligned

# Limits of the payload (PAYLOAD.md).
MAX_OPS = 256
MAX_INPUTS = 64
MAX_OUTPUTS = 64
MAX_NUMEL = 999_999_999

# Of the runtime side: how it aligns results in a handle.
_ALIGNMENT = 16
_NUMEL = re.compile(rb", numel:(\d+), ")

_aten = torch.ops.aten
_OPERANDS = {
    _aten.sin.default: 1,
    _aten.mm.default: 2,
    _aten.add.Tensor: 2,
    _aten.mul.Tensor: 2,
}


class BackendWithCompilerDemo(BackendDetails):
    """Writes version 1 of the payload. Takes no compile specs."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        """`UnsupportedOperatorError` for a node that `is_supported` refuses, or too many of them."""
        graph = edge_program.graph
        inputs = graph.find_nodes(op="placeholder")
        calls = [node for node in graph.nodes if node.op not in ("placeholder", "output")]
        outputs = graph.output_node().args[0]
        _check_limits(len(inputs), len(calls), len(outputs))
        number = {node: index for index, node in enumerate([*inputs, *calls])}
        mapping = DelegateMappingBuilder(generated_identifiers=True)
        text = f"{len(calls)}version:1#inputs:{len(inputs)}#"
        for node in calls:
            text += _op_text(node, number)
            mapping.insert_delegate_mapping_entry(nodes=node)
        text += f"outputs:{_numbers(outputs, number)}#"
        return PreprocessResult(text.encode("ascii"), mapping.get_delegate_mapping())

    @staticmethod
    def runtime_memory(processed_bytes: bytes, compile_specs: list[CompileSpec]) -> RuntimeMemory:
        """The program, its ops, and room for each op's result: `handle.h`."""
        counts = [int(match[1]) for match in _NUMEL.finditer(processed_bytes)]
        results = sum(aligned(4 * numel, _ALIGNMENT) for numel in counts)
        return RuntimeMemory(f"DEMO_HANDLE_BYTES({len(counts)}u, {results}u)", header="backends/demo/handle.h")


class CompilerDemoPartitioner(Partitioner):
    """Delegates the largest groups of nodes that the backend supports; constants stay outside."""

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tags `demo_0`, `demo_1`, … in graph order."""
        tags = {}
        groups = propose_partitions(exported_program.graph, is_supported, MAX_OPS)
        for index, nodes in enumerate(groups):
            tag_nodes(nodes, f"demo_{index}")
            tags[f"demo_{index}"] = DelegationSpec(BackendWithCompilerDemo.__name__, [])
        return PartitionResult(exported_program, tags)


BACKEND = BackendEntry(id="compiler_demo", partitioner=CompilerDemoPartitioner)


def is_supported(node: Node) -> bool:
    """Whether `node` is one of the four operators, with alpha 1, on contiguous float32 tensors."""
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
    """Elements of `value`, at the upper bounds of dynamic dimensions."""
    return prod(_upper_bound(size) for size in value.shape)


def _upper_bound(size: int | torch.SymInt) -> float:
    if isinstance(size, int):
        return size
    bound = size.node.shape_env.bound_sympy(size.node.expr).upper
    return int(bound) if bound.is_finite else float("inf")


def _check_limits(inputs: int, ops: int, outputs: int) -> None:
    limits = (("inputs", inputs, MAX_INPUTS), ("ops", ops, MAX_OPS), ("outputs", outputs, MAX_OUTPUTS))
    for what, found, most in limits:
        if found > most:
            raise UnsupportedOperatorError(
                f"BackendWithCompilerDemo takes at most {most} {what} in a partition, got {found}"
            )


def _op_text(node: Node, number: dict[Node, int]) -> str:
    if not is_supported(node):
        raise UnsupportedOperatorError(
            f"BackendWithCompilerDemo cannot run {node.target}; it takes sin, mm, add and mul on"
            " contiguous float32 tensors",
            node,
        )
    name = str(to_torch_overload(node.target))
    numel = _max_numel(node.meta["val"])
    handle = node.meta.get("debug_handle", -1)
    operands = _numbers(node.args, number)
    return f"op:demo::{name}, numel:{numel}, dtype:torch.float32, args:{operands}<debug_handle>{handle}#"


def _numbers(nodes: tuple[Node, ...], number: dict[Node, int]) -> str:
    return ";".join(str(number[node]) for node in nodes)

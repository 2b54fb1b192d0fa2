"""A backend for complete methods that add to a buffer or subtract from it."""

from __future__ import annotations

import torch
from torch.export import ExportedProgram

from exir.backend.backend_details import BackendDetails, PreprocessResult
from exir.backend.compile_spec_schema import CompileSpec
from exir.backend.entry import BackendEntry
from exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from exir.backend.tags import tag_constant_data, tag_mutated_buffer, tag_nodes
from exir.dialects.edge import to_torch_overload

_SIGNS = {torch.ops.aten.add.Tensor: b"+", torch.ops.aten.sub.Tensor: b"-"}


class SumBackend(BackendDetails):
    """The payload is `+` or `-`."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        operators = {to_torch_overload(node.target) for node in edge_program.graph.nodes}
        (sign,) = [_SIGNS[operator] for operator in operators if operator in _SIGNS]
        assert len(edge_program.graph_signature.buffers_to_mutate) == 1
        return PreprocessResult(sign)


class SumPartitioner(Partitioner):
    """Delegates the whole graph as one partition."""

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        calls = [node for node in exported_program.graph.nodes if node.op == "call_function"]
        tag_nodes(calls, "sum")
        tag_constant_data(exported_program)
        tag_mutated_buffer(exported_program)
        return PartitionResult(exported_program, {"sum": DelegationSpec(SumBackend.__name__, [])})


BACKEND = BackendEntry(id="sum", partitioner=SumPartitioner)

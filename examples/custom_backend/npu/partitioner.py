"""The compiler side: delegates `relu` and `neg` of small float32 tensors."""

import subprocess

import npu_limits
import torch
from torch.export import ExportedProgram
from torch.fx import Node

from exir import data_path
from exir.backend.backend_details import BackendDetails, PreprocessResult
from exir.backend.compile_spec_schema import CompileSpec
from exir.backend.entry import BackendEntry
from exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from exir.backend.tags import note_refusal, tag_nodes
from exir.dialects.edge import to_torch_overload

_STEPS = {torch.ops.aten.relu.default: "r", torch.ops.aten.neg.default: "n"}


def _step(node: Node) -> str | None:
    operator = to_torch_overload(node.target) if node.op == "call_function" else None
    return _STEPS.get(operator)


class NpuBackend(BackendDetails):
    """Writes the payload: the digit of the device's revision, the operator's letter."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        (step,) = filter(None, map(_step, edge_program.graph.nodes))
        command = [data_path("npu/assemble.sh"), data_path("npu/revision.txt"), step]
        return PreprocessResult(subprocess.run(command, capture_output=True, check=True).stdout)


class NpuPartitioner(Partitioner):
    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        most = npu_limits.most_elements(data_path("npu/limits.json"))
        specs = {}
        for node in filter(_step, exported_program.graph.nodes):
            value = node.meta["val"]
            if value.dtype != torch.float32 or value.numel() > most:
                note_refusal(node, "NpuBackend", f"takes float32 tensors of at most {most} elements")
                continue
            tag_nodes([node], node.name)
            specs[node.name] = DelegationSpec("NpuBackend", [])
        return PartitionResult(exported_program, specs)


BACKEND = BackendEntry(id="npu", partitioner=NpuPartitioner)
